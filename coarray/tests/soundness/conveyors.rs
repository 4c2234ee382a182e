//! Conveyors that are leaked, unwound or interrupted: packets go nowhere but to the conveyor, and no item is lost or doubled.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::Launch;
use coarray::irregular::{Conveyor, ConveyorOptions, Full, Gets, OpenConveyor};
use coarray::prelude::*;

use crate::text;
use crate::wakers::{panics, with_waker};

/// Jobs in which places are direct, in which operations wait in queues, and in which puts overtake each other.
fn everywhere(body: impl Fn() + Sync) {
    Launch::new(2).run(&body).unwrap();
    Launch::new(2).direct(false).run(&body).unwrap();
    #[cfg(feature = "simulated")]
    Launch::new(2).simulated_nodes(2).run(&body).unwrap();
}

fn short() -> ConveyorOptions {
    ConveyorOptions {
        packet_bytes: 16,
        ..ConveyorOptions::default()
    }
}

#[test]
fn packets_for_a_conveyor_that_was_leaked_and_dropped_write_to_nothing_else() {
    everywhere(|| {
        let mut conveyor = Conveyor::<u64>::with_options(short());
        let mut open = conveyor.open();
        let others = if this_image() == 0 {
            forget(open);
            drop(conveyor);
            // As large as the conveyor's memory, and smaller: it would lie there if that were free.
            [1, 8, 64, 512].map(|length| Coarray::<[u64]>::zeroed(length))
        } else {
            let others = [1, 8, 64, 512].map(|length| Coarray::<[u64]>::zeroed(length));
            while open.push(0, u64::MAX).is_ok() {}
            forget(open);
            others
        };
        sync_all();
        for other in &others {
            assert!(other.iter().all(|&word| word == 0));
        }
    });
}

#[test]
fn a_conveyor_from_which_a_panic_has_come_is_not_opened_again() {
    everywhere(|| {
        let mut conveyor = Conveyor::<[u8]>::with_options(short());
        let panic = catch_unwind(AssertUnwindSafe(|| {
            conveyor.convey([(this_image(), b"abc")], |_, _| panic!("in the middle"));
        }));
        assert_eq!(text(&*panic.unwrap_err()), "in the middle");
        let panic = catch_unwind(AssertUnwindSafe(|| conveyor.open().wait()));
        assert!(text(&*panic.unwrap_err()).contains("still open"));
    });
}

#[test]
fn items_whose_reader_panics_are_taken_and_those_behind_them_are_whole() {
    everywhere(|| {
        let other = 1 - this_image();
        let mut conveyor = Conveyor::<u64>::with_options(short());
        let mut open = conveyor.open();
        let (mut pushed, mut next, mut panics) = (0, 0, 0);
        let mut read = |open: &mut OpenConveyor<'_, u64>| {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                open.pull_slices(|source, items| {
                    for &item in items {
                        assert_eq!((source, item), (other, next));
                        next += 1;
                    }
                    assert!(next % 3 != 0, "in the middle");
                });
            }));
            if let Err(panic) = outcome {
                assert_eq!(text(&*panic), "in the middle");
                panics += 1;
            }
        };
        while pushed < 1000 {
            match open.push(other, pushed) {
                Ok(()) => pushed += 1,
                Err(Full) => {
                    open.wait();
                    read(&mut open);
                }
            }
        }
        open.finish();
        while open.wait() {
            read(&mut open);
        }
        assert_eq!(next, 1000);
        assert!(panics > 0);
    });
}

#[test]
fn a_waker_that_panics_loses_no_item_and_doubles_none() {
    // Wakers wait where puts do.
    Launch::new(2)
        .direct(false)
        .run(|| {
            let mut row = Coarray::new([0u64; 2]);
            let row = row.open();
            let other = 1 - this_image();
            let mut conveyor = Conveyor::<u64>::with_options(short());
            let mut open = conveyor.open();
            let (mut pushed, mut pulled) = (0, Vec::new());
            with_waker(row.at(other), panics, || {
                let mut was_woken = false;
                while pushed < 100 {
                    let before = pushed;
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        if open.push(other, pushed).is_ok() {
                            pushed += 1;
                        } else {
                            open.wait();
                            pulled.extend(std::iter::from_fn(|| open.pull()));
                        }
                    }));
                    if let Err(panic) = outcome {
                        assert_eq!(text(&*panic), "the waker panics");
                        assert_eq!(pushed, before);
                        was_woken = true;
                    }
                }
                assert!(was_woken);
            });
            open.finish();
            while open.wait() {
                pulled.extend(std::iter::from_fn(|| open.pull()));
            }
            let all: Vec<_> = (0..100).map(|item| (other, item)).collect();
            assert_eq!(pulled, all);
        })
        .unwrap();
}

#[test]
fn targets_of_gets_that_are_leaked_are_never_written() {
    Launch::new(2)
        .direct(false)
        .run(|| {
            let mut x = Coarray::<[u64]>::from_fn(10, |_| 5);
            let x = x.open();
            let mut values = vec![0; 10];
            let mut gets = Gets::new(|image| x.at(image));
            for (index, value) in values.iter_mut().enumerate() {
                gets.get(1 - this_image(), index, value);
            }
            forget(gets);
            sync_all();
            assert_eq!(values, [0; 10]);
        })
        .unwrap();
}
