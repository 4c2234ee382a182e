//! The four barriers, on images of all kinds of numbers: they keep the images together, bring everybody's words
//! to all, and report what does not fit.

use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use coarray_fabric::Deferral;
use coarray_launch::{Launch, run};
use coarray_runtime::{Barrier, Call, Failure, OnFailure, Operation, Team, fail_image};

const COUNTS: [usize; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 17];

#[track_caller]
fn sync(words: [u64; 4]) {
    let team = Team::current();
    let call = Call::plain(Operation::SyncAll, Location::caller());
    // SAFETY: no other layer learns from this barrier what this image has done.
    unsafe { team.try_barrier_with(&Deferral::new(), &call, words, 4) }.unwrap();
}

/// Meets so many times, and looks whether all are at the same barrier each time.
fn keep_together(count: u64, barrier: impl Fn(u64) -> Barrier + Sync) {
    for images in COUNTS {
        let entered: Vec<AtomicU64> = (0..images).map(|_| AtomicU64::new(0)).collect();
        run(images, || {
            let team = Team::current();
            let me = team.index() as u64;
            for number in 1..=count {
                // SAFETY: no collective operation is in progress.
                unsafe { team.set_barrier_algorithm(barrier(number)) };
                entered[team.index()].store(number, Ordering::Relaxed);
                sync([number, me, number ^ me, !number]);
                for (index, entered) in entered.iter().enumerate() {
                    let (now, index_word) = (entered.load(Ordering::Relaxed), index as u64);
                    assert!(now == number || now == number + 1);
                    let words = team.payload(index);
                    let theirs = [number, index_word, number ^ index_word, !number];
                    assert_eq!(words, theirs);
                }
            }
        });
    }
}

#[test]
fn images_stay_together_and_bring_words_by_the_flat_barrier() {
    keep_together(3000, |_| Barrier::Flat);
}

#[test]
fn images_stay_together_and_bring_words_by_the_dissemination_barrier() {
    keep_together(3000, |_| Barrier::Dissemination);
}

#[test]
fn images_stay_together_and_bring_words_by_the_tree_barrier() {
    keep_together(3000, |_| Barrier::Tree);
}

#[test]
fn images_stay_together_and_bring_words_by_the_central_barrier() {
    keep_together(3000, |_| Barrier::Central);
}

#[test]
fn the_barrier_may_change_each_time() {
    keep_together(1000, |number| Barrier::ALL[(number * 7 / 3 % 4) as usize]);
}

#[test]
fn teams_have_barriers_of_their_own() {
    for barrier in Barrier::ALL {
        run(6, || {
            let all = Team::current();
            let parity = all.index() as u64 % 2;
            let half = all.form(parity, None, OnFailure::EndJob, Location::caller());
            let half: Rc<Team> = half.unwrap();
            // SAFETY: no collective operation is in progress.
            unsafe { half.set_barrier_algorithm(barrier) };
            let _stay = half.enter();
            for number in 0..200 {
                sync([number, parity, half.index() as u64, !parity]);
                for index in 0..3 {
                    let theirs = [number, parity, index as u64, !parity];
                    assert_eq!(half.payload(index), theirs);
                }
            }
            assert_eq!(all.barrier_algorithm(), Barrier::Flat);
        });
    }
}

#[track_caller]
fn assert_reports(failure: &Failure, lines: &[u32]) {
    let text = failure.to_string();
    assert!(text.contains("different collective operations"), "{text}");
    for line in lines {
        assert!(text.contains(&format!("barriers.rs:{line}:")), "{text}");
    }
}

#[test]
fn every_barrier_reports_a_mismatch_with_both_lines() {
    for barrier in Barrier::ALL {
        for images in [2, 3, 6, 9] {
            for odd in [0, 1, images - 1] {
                let failure = Launch::new(images).run(|| {
                    let team = Team::current();
                    // SAFETY: no collective operation is in progress.
                    unsafe { team.set_barrier_algorithm(barrier) };
                    (0..20).for_each(|number| sync([number; 4]));
                    let meet = |operation, caller| {
                        let call = Call::plain(operation, caller);
                        // SAFETY: as in `sync`.
                        unsafe { team.barrier(&call) };
                    };
                    if team.index() == odd {
                        meet(Operation::CoAll, Location::caller());
                    } else {
                        meet(Operation::CoAny, Location::caller());
                    }
                    unreachable!("image {} came out", team.index());
                });
                let line = line!();
                assert_reports(&failure.unwrap_err(), &[line - 6, line - 4]);
            }
        }
    }
}

#[test]
fn different_barriers_are_a_mismatch_too() {
    for one in Barrier::ALL {
        for other in Barrier::ALL.into_iter().filter(|other| *other != one) {
            for images in [2, 5] {
                let failure = Launch::new(images).run(|| {
                    let team = Team::current();
                    let is_last = team.index() + 1 == images;
                    // SAFETY: no collective operation is in progress.
                    unsafe { team.set_barrier_algorithm(if is_last { one } else { other }) };
                    sync([0; 4]);
                    unreachable!("image {} came out", team.index());
                });
                let failure = failure.unwrap_err();
                assert_reports(&failure, &[]);
                let text = failure.to_string();
                for barrier in [one, other] {
                    let by = format!(", by the {} barrier", barrier.name());
                    assert!(text.contains(&by), "{text}");
                }
            }
        }
    }
}

/// Images that fail in the midst of count, after which the others meet by each barrier in turn.
#[test]
fn survivors_go_on_by_every_barrier() {
    for barrier in Barrier::ALL {
        let survivors = Launch::new(7).keep_going(true).run(|| {
            let team = Team::current();
            // SAFETY: no collective operation is in progress.
            unsafe { team.set_barrier_algorithm(barrier) };
            let call = Call::plain(Operation::SyncAll, Location::caller());
            for number in 1..=600 {
                if number == 300 && team.index() % 3 == 1 {
                    fail_image();
                }
                let deferral = Deferral::new();
                // SAFETY: as in `sync`.
                let met = unsafe { team.try_barrier_with(&deferral, &call, [number; 4], 4) };
                let missing = met.map_or_else(|failed| failed.images, |()| Vec::new());
                assert_eq!(missing.is_empty(), number < 300);
                assert!(missing.is_empty() || missing == [1, 4]);
                for index in (0..7).filter(|index| !missing.contains(index)) {
                    assert_eq!(team.payload(index), [number; 4]);
                }
            }
            team.index()
        });
        assert_eq!(survivors.unwrap(), [0, 2, 3, 5, 6]);
    }
}
