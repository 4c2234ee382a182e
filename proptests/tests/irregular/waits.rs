//! Nobody hangs: images that are silent, fail, or leave early end the wait of the others.

use std::mem;

use coarray::failure::fail_image;
use coarray::irregular::{Conveyor, ConveyorOptions, Hops};
use coarray::prelude::*;
use coarray_proptests::Setting;

/// Jobs of several images, direct and not, on one node and on several.
fn settings() -> impl Iterator<Item = Setting> {
    Setting::everywhere().filter(|setting| setting.images > 1)
}

/// Jobs that keep going without an image.
fn going_on() -> impl Iterator<Item = Setting> {
    settings().filter(|setting| setting.nodes == 1)
}

fn conveyor() -> Conveyor<u64> {
    Conveyor::with_options(ConveyorOptions {
        packet_bytes: 64,
        hops: Hops::Two,
    })
}

#[test]
fn an_image_that_never_finishes_is_a_deadlock_that_is_told() {
    for setting in settings() {
        let outcome = setting.launch().run(|| {
            let mut conveyor = conveyor();
            let mut open = conveyor.open();
            if this_image() > 0 {
                open.finish();
            }
            while open.wait() {}
        });
        let report = outcome.unwrap_err().to_string();
        assert!(report.contains("deadlock"), "{setting:?}: {report}");
        assert!(report.contains("of the conveyor opened at"), "{report}");
        assert!(report.contains("irregular/waits.rs:"), "{report}");
    }
}

#[test]
fn an_image_that_takes_part_no_more_is_a_deadlock_that_is_told() {
    for setting in settings() {
        let outcome = setting.launch().run(|| {
            let mut conveyor = conveyor();
            let open = conveyor.open();
            if this_image() == 0 {
                // It never comes to the end of the phase.
                mem::forget(open);
                sync_all();
            } else {
                drop(open);
            }
        });
        let report = outcome.unwrap_err().to_string();
        assert!(
            report.contains("conveyor opened at") || report.contains("sync_all"),
            "{report}"
        );
    }
}

#[test]
fn an_image_that_fails_ends_the_wait_with_a_report() {
    for setting in Setting::all().filter(|setting| setting.images > 1) {
        let outcome = setting.launch().keep_going(true).run(|| {
            let mut conveyor = conveyor();
            let mut open = conveyor.open();
            if this_image() == num_images() - 1 {
                fail_image();
            }
            for item in 0..1000 {
                while open.push(item % num_images(), 1).is_err() {
                    open.wait();
                    while open.pull().is_some() {}
                }
            }
            open.finish();
            while open.wait() {
                while open.pull().is_some() {}
            }
        });
        let report = outcome.unwrap_err().to_string();
        let last = format!("image {}", setting.images - 1);
        assert!(
            report.contains("conveyor") && report.contains(&last),
            "{setting:?}: {report}"
        );
    }
}

#[test]
fn whoever_survives_is_told_and_has_nothing_twice() {
    for (setting, stops) in going_on().flat_map(|setting| [(setting, false), (setting, true)]) {
        let last = setting.images - 1;
        let outcome = setting.launch().keep_going(true).run(|| {
            let mut conveyor = conveyor();
            let mut next = vec![0; num_images()];
            let mut receive = |source: usize, item| {
                assert_eq!(item, next[source]); // in order, none twice
                next[source] += 1;
            };
            if this_image() == last {
                let mut open = conveyor.open();
                // As far as there is room: an item that was refused must come before the next one.
                let _ = (0..50).try_for_each(|item| open.push(0, item));
                match stops {
                    true => mem::forget(open),
                    false => fail_image(),
                }
                return None;
            }
            let items =
                (0..1000).flat_map(|item| (0..num_images()).map(move |image| (image, item)));
            let failed = conveyor.try_convey(items, &mut receive).unwrap_err();
            // The guard is gone, and the conveyor of no use any more, like its team. The image that has leaked its guard may still use it.
            if !stops {
                assert_eq!(conveyor.try_open().unwrap_err(), failed);
            }
            drop(conveyor);
            let after = Team::form_survivors(1).change(|| {
                let mut sum = 0;
                let mut conveyor = Conveyor::<u64>::new();
                let items = (0..num_images()).map(|image| (image, 1));
                conveyor.convey(items, |_, item| sum += item);
                sum
            });
            Some((failed.images, failed.stopped, after))
        });
        let survivors: Vec<_> = outcome.unwrap().into_iter().flatten().collect();
        let (failed, stopped) = match stops {
            true => (vec![], vec![last]),
            false => (vec![last], vec![]),
        };
        assert_eq!(
            survivors,
            vec![(failed, stopped, last as u64); last],
            "{setting:?}"
        );
    }
}

#[test]
fn a_guard_that_is_dropped_does_not_wait_for_failed_images() {
    for setting in going_on() {
        let outcome = setting.launch().keep_going(true).run(|| {
            let (mut one, mut other) = (conveyor(), Conveyor::<[u8]>::new());
            let (mut open, mut beside) = (one.open(), other.open());
            if this_image() == 0 {
                fail_image();
            }
            open.push(0, 1).unwrap();
            beside.push(0, &[1, 2]).unwrap();
        });
        assert_eq!(outcome.unwrap().len(), setting.images - 1);
    }
}

#[test]
fn a_panic_while_items_are_received_ends_the_job() {
    for setting in settings() {
        let outcome = setting.launch().run(|| {
            let items = (0..1000).map(|item| (item % num_images(), 1));
            conveyor().convey(items, |_, _| assert!(this_image() != 1, "no more of this"));
        });
        let report = outcome.unwrap_err().to_string();
        assert!(report.contains("no more of this"), "{report}");
    }
}

#[test]
fn what_comes_for_an_image_that_has_left_is_thrown_away() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut conveyor = conveyor();
            for phase in 0..3 {
                let mut open = conveyor.open();
                if this_image() != phase % num_images() {
                    for item in 0..500 {
                        while open.push(item % num_images(), 1).is_err() {
                            open.wait();
                            while open.pull().is_some() {}
                        }
                    }
                }
            }
            // Nothing of these phases is left.
            let mut came = 0;
            conveyor.convey([(0, 5)], |_, item| came += item);
            assert_eq!(
                came,
                if this_image() == 0 {
                    5 * num_images() as u64
                } else {
                    0
                }
            );
        });
    }
}

#[test]
fn an_item_behind_one_that_was_left_and_then_taken_ends_a_wait() {
    for setting in settings() {
        setting.run(|| {
            let mut conveyor = conveyor();
            let mut open = conveyor.open();
            if this_image() == 1 {
                (0..2).for_each(|item| open.push(0, item).unwrap());
            }
            if this_image() == 0 {
                assert!(open.wait());
                assert!(!open.pull_if(|_, _| false));
                assert_eq!(open.pull(), Some((1, 0)));
                assert!(open.wait());
                assert_eq!(open.pull(), Some((1, 1)));
            }
        });
    }
}
