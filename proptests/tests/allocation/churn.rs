//! Creating and dropping, with delays of its own on each image.

use coarray::prelude::*;
use coarray_proptests::{IMAGE_COUNTS, Setting, config};
use proptest::prelude::*;

use crate::{Marked, dawdle};

/// The life of a coarray: its length, and how many creations later each image drops it.
#[derive(Clone, Debug)]
struct Life {
    length: usize,
    delays: [usize; IMAGE_COUNTS[IMAGE_COUNTS.len() - 1]],
}

fn lives(length: impl Strategy<Value = usize>, most: usize) -> impl Strategy<Value = Vec<Life>> {
    let delay = prop_oneof![4 => 0usize..3, 1 => 0usize..12];
    let life =
        (length, prop::array::uniform8(delay)).prop_map(|(length, delays)| Life { length, delays });
    prop::collection::vec(life, 1..most)
}

impl Life {
    /// The first creation that begins without it on this image, if it was born in creation `born`.
    fn end(&self, born: usize, image: usize) -> usize {
        born + 1 + self.delays[image]
    }
}

/// Lives through all of them, and checks after each creation what is alive. Returns where each lay,
/// relative to the first coarray; `None` if it was refused.
fn live(lives: &[Life], seed: u64) -> Vec<Option<usize>> {
    let origin = Coarray::new(0u64);
    let mut alive: Vec<(usize, Marked)> = Vec::new();
    let mut offsets = Vec::new();
    for (now, life) in lives.iter().enumerate() {
        alive.retain(|(end, _)| *end > now);
        dawdle(seed.wrapping_add(now as u64));
        let born = Coarray::<[u64]>::try_zeroed(life.length)
            .ok()
            .map(|coarray| Marked::new(coarray, now));
        offsets.push(
            born.as_ref()
                .map(|born| born.span().0 - std::ptr::from_ref(&*origin).addr()),
        );
        alive.extend(born.map(|born| (life.end(now, this_image()), born)));
        alive.iter().for_each(|(_, it)| it.check());
        let mut spans: Vec<_> = alive.iter().map(|(_, it)| it.span()).collect();
        spans.sort_unstable();
        assert!(
            spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
            "coarrays overlap: {spans:x?}"
        );
    }
    offsets
}

/// How many coarrays of so many `u64` fit besides a small one.
fn capacity(length: usize) -> usize {
    let _origin = Coarray::new(0u64);
    let mut all = Vec::new();
    while let Ok(coarray) = Coarray::<[u64]>::try_zeroed(length) {
        all.push(coarray);
    }
    all.len()
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn live_coarrays_never_overlap_and_lie_at_the_same_place_on_all_images(
        setting in Setting::anywhere(),
        lives in lives(0usize..3000, 60),
        seed: u64,
    ) {
        let offsets = setting.run_in(128 << 10, || live(&lives, seed));
        prop_assert!(offsets.iter().all(|image| image == &offsets[0]), "{offsets:?}");
    }

    #[test]
    fn a_creation_is_refused_only_if_what_some_image_still_holds_fills_the_heap(
        setting in Setting::anywhere(),
        lives in lives(Just(1000), 80),
        seed: u64,
    ) {
        let fit = setting.run_in(64 << 10, || capacity(1000))[0];
        prop_assert_eq!(fit, 8); // of 8000 bytes and a header each
        let offsets = setting.run_in(64 << 10, || live(&lives, seed));
        let mut ends: Vec<usize> = Vec::new();
        for (now, life) in lives.iter().enumerate() {
            ends.retain(|&end| end > now);
            let fits = ends.len() < fit;
            prop_assert_eq!(offsets[0][now].is_some(), fits, "creation {} of {:?}", now, ends);
            if fits {
                ends.extend((0..setting.images).map(|image| life.end(now, image)).max());
            }
        }
    }
}

#[test]
fn a_small_heap_serves_any_number_of_coarrays_that_come_and_go() {
    for setting in Setting::everywhere() {
        setting.run_in(64 << 10, || {
            let mut kept = Vec::new();
            for round in 0..400usize {
                let length = [2500, 300, 1, 1200][round % 4];
                dawdle(round as u64);
                kept.push(Marked::new(Coarray::<[u64]>::zeroed(length), round));
                // Some images keep the last one a little longer than others.
                let keep = usize::from((round + this_image()).is_multiple_of(3));
                kept.iter().for_each(Marked::check);
                kept.drain(..kept.len() - keep);
            }
        });
    }
}

#[test]
fn a_place_has_the_same_address_whichever_image_names_it() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut first = Coarray::<[u16; 5]>::zeroed();
            let mut second = Coarray::<[u64]>::zeroed(17);
            let (first, second) = coarray::open((&mut first, &mut second));
            for image in 0..num_images() {
                let mut named = [first.at(image)[3].address(), first.here()[3].address()];
                co_broadcast(&mut named, image);
                assert_eq!(named, [first.at(image)[3].address(); 2]);
                assert_eq!(named[0].image(), Some(image));
                let mut named = [second.at(image)[16].address()];
                co_broadcast(&mut named, image);
                assert_eq!(named, [second.at(image)[16].address()]);
            }
        });
    }
}
