//! What arrives is what was pushed, in its order, whoever sends however much to whom.

use std::fmt::Debug;

use coarray::irregular::{Conveyor, ConveyorOptions, Hops, OpenConveyor};
use coarray::prelude::*;
use coarray_proptests::{Kind, Sample, Setting, Wide, config, mix};
use proptest::prelude::*;

/// Whom an image sends its items.
#[derive(Clone, Copy, Debug)]
enum Targets {
    One(usize),
    Itself,
    Next,
    Anybody,
    Nobody,
}

fn targets() -> impl Strategy<Value = Targets> {
    prop_oneof![
        (0usize..100).prop_map(Targets::One),
        Just(Targets::Itself),
        Just(Targets::Next),
        Just(Targets::Anybody),
        Just(Targets::Nobody),
    ]
}

/// What each image sends in a phase: to whom, and the most items. The last pattern is for all images after it.
type Plan = Vec<(Targets, usize)>;

pub fn options() -> impl Strategy<Value = ConveyorOptions> {
    let packets = prop_oneof![1usize..100, Just(8 << 10)];
    let hops = prop_oneof![Just(Hops::Automatic), Just(Hops::One), Just(Hops::Two)];
    (packets, hops).prop_map(|(packet_bytes, hops)| ConveyorOptions { packet_bytes, hops })
}

/// The targets of an image's items, in their order.
fn sent(plan: &Plan, phase: usize, image: usize, images: usize) -> Vec<usize> {
    let (targets, most) = plan[image.min(plan.len() - 1)];
    let items = match targets {
        Targets::Nobody => 0,
        // Uneven.
        _ => most * (image + phase + 1) % (most + 1),
    };
    let target = |item: usize| match targets {
        Targets::One(target) => target % images,
        Targets::Itself => image,
        Targets::Next => (image + 1) % images,
        _ => mix(item as u64, (image + 10 * phase) as u64) as usize % images,
    };
    (0..items).map(target).collect()
}

/// Where items of an image for this one begin in the sequence of all numbers.
fn seed(phase: usize, source: usize, target: usize) -> u64 {
    mix(mix(phase as u64, source as u64), target as u64)
}

/// What comes from `source` for `target`.
fn expected<I>(
    plan: &Plan,
    phase: usize,
    [source, target]: [usize; 2],
    item: impl Fn(u64) -> I,
) -> Vec<I> {
    let sent = sent(plan, phase, source, num_images());
    let count = sent.iter().filter(|&&to| to == target).count() as u64;
    (0..count)
        .map(|n| item(mix(seed(phase, source, target), n)))
        .collect()
}

/// This image's items with their targets.
fn own<I>(plan: &Plan, phase: usize, item: impl Fn(u64) -> I) -> Vec<(usize, I)> {
    let (me, images) = (this_image(), num_images());
    let mut counts = vec![0; images];
    let sent = sent(plan, phase, me, images).into_iter();
    sent.map(|to| {
        counts[to] += 1;
        (to, item(mix(seed(phase, me, to), counts[to] - 1)))
    })
    .collect()
}

fn fixed<T: Remote + PartialEq + Debug>(
    setting: Setting,
    options: ConveyorOptions,
    plans: &[Plan],
    item: impl Fn(u64) -> T + Sync,
) {
    setting.run_in(4 << 20, || {
        let mut conveyor = Conveyor::<T>::with_options(options);
        for (phase, plan) in plans.iter().enumerate() {
            let mut came = vec![Vec::new(); num_images()];
            let own = own(plan, phase, &item);
            match (phase + options.packet_bytes) % 2 {
                0 => conveyor.convey(own, |source, item| came[source].push(item)),
                _ => conveyor
                    .convey_slices(own, |source, items| came[source].extend_from_slice(items)),
            }
            for (source, came) in came.iter().enumerate() {
                let expected = expected(plan, phase, [source, this_image()], &item);
                assert_eq!(*came, expected, "from image {source}");
            }
        }
    });
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn items_arrive_as_they_were_pushed(
        setting in Setting::anywhere(),
        options in options(),
        plans in prop::collection::vec(prop::collection::vec((targets(), 0usize..2000), 1..8), 1..3),
        kind in 0u8..7,
    ) {
        match kind {
            0 => fixed(setting, options, &plans, u64::sample),
            1 => fixed(setting, options, &plans, u8::sample),
            2 => fixed(setting, options, &plans, Kind::sample),
            3 => fixed(setting, options, &plans, Wide::sample),
            4 => fixed(setting, options, &plans, |seed| [seed as u8; 3]),
            5 => fixed(setting, options, &plans, |_| [0u64; 0]),
            _ => fixed(setting, options, &plans, |seed| [seed as u16; 150]),
        }
    }

    #[test]
    fn runs_of_any_length_arrive_as_they_were_pushed(
        setting in Setting::anywhere(),
        options in options(),
        plans in prop::collection::vec(prop::collection::vec((targets(), 0usize..300), 1..8), 1..3),
        longest in prop_oneof![Just(0u64), 1u64..20, Just(5000u64)],
    ) {
        let item = |seed: u64| -> Vec<char> {
            (0..mix(seed, 0) % (longest + 1)).map(|n| char::sample(mix(seed, n))).collect()
        };
        setting.run_in(4 << 20, || {
            let mut conveyor = Conveyor::<[char]>::with_options(options);
            for (phase, plan) in plans.iter().enumerate() {
                let mut came = vec![Vec::new(); num_images()];
                conveyor.convey(own(plan, phase, item), |source, run| came[source].push(run.to_vec()));
                for (source, came) in came.iter().enumerate() {
                    let expected = expected(plan, phase, [source, this_image()], item);
                    assert_eq!(*came, expected, "from image {source}");
                }
            }
        });
    }
}

#[test]
fn runs_of_values_without_bytes_keep_their_length() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut conveyor = Conveyor::<[[u8; 0]]>::new();
            let mut lengths = Vec::new();
            let runs = (0..10).map(|length| (length % num_images(), vec![[]; length]));
            conveyor.convey(runs, |_, run| lengths.push(run.len()));
            let (me, images) = (this_image(), num_images());
            let mut all: Vec<usize> = (0..10).filter(|length| length % images == me).collect();
            all = all.repeat(images);
            all.sort_unstable();
            lengths.sort_unstable();
            assert_eq!(lengths, all);
        });
    }
}

#[test]
fn many_images_reach_each_other_by_way_of_others() {
    // As many nodes as images, and a last row that is short.
    for (images, nodes) in [(65, 1), (23, 23)] {
        let setting = Setting {
            nodes,
            ..Setting::of(images)
        };
        let options = ConveyorOptions {
            packet_bytes: 64,
            hops: Hops::Two,
        };
        let plan = vec![(Targets::Anybody, 300)];
        fixed(setting, options, &[plan], u64::sample);
    }
}

#[test]
fn who_pulls_seldom_holds_others_up_but_loses_nothing() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let options = ConveyorOptions {
                packet_bytes: 32,
                ..ConveyorOptions::default()
            };
            let mut conveyor = Conveyor::<u64>::with_options(options);
            let mut open = conveyor.open();
            let (mut pushed, mut refusals) = (0, 0);
            let mut next = vec![0; num_images()];
            // One at a time. What others send meanwhile overwrites nothing that was not pulled.
            let mut pull = |open: &mut OpenConveyor<'_, u64>| {
                if let Some((source, number)) = open.pull() {
                    assert_eq!(number, next[source], "from image {source}");
                    next[source] += 1;
                }
            };
            while pushed < 2000 {
                if open.push(0, pushed).is_ok() {
                    pushed += 1;
                    continue;
                }
                refusals += 1;
                open.wait();
                pull(&mut open);
            }
            open.finish();
            while open.wait() {
                pull(&mut open);
            }
            assert!(open.is_finished());
            assert!(refusals > 0);
            let each = if this_image() == 0 { 2000 } else { 0 };
            assert!(next.iter().all(|&came| came == each));
        });
    }
}
