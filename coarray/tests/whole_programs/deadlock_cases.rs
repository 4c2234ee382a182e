//! Programs that can never go on, one for each kind of wait.

mod arrays;
mod asynchronous;

use coarray::locks::critical;
use coarray::prelude::*;
use coarray::sync_team;

use crate::deadlocks::is_first;

/// A program that cannot go on, and words of its report. `HERE` stands for a place in the file of the case; the report
/// names no other.
pub struct Case {
    pub name: &'static str,
    pub images: usize,
    pub program: fn(),
    pub says: &'static [&'static str],
}

/// The first image calls `operation`; the others wait for an event instead.
fn only_the_first(operation: impl FnOnce()) {
    let event = Coarray::new(Coevent::new());
    match is_first() {
        true => operation(),
        false => event.wait(),
    }
}

/// All.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    [asynchronous::CASES, arrays::CASES, CASES]
        .into_iter()
        .flatten()
}

const CASES: &[Case] = &[
    Case {
        name: "barrier",
        images: 2,
        program: || only_the_first(|| sync_all()),
        says: &["image 0 is in sync_all at HERE, waiting for image 1"],
    },
    Case {
        name: "pairs",
        images: 3,
        program: || sync_images(&[(this_image() + 1) % 3]),
        says: &[
            "image 0 is in sync_images at HERE, waiting for image 1",
            "image 1 is in sync_images at HERE, waiting for image 2",
            "image 2 is in sync_images at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 2 -> image 0",
        ],
    },
    Case {
        name: "collective",
        images: 2,
        program: || only_the_first(|| co_sum(&mut [0.5; 3])),
        says: &["image 0 is in co_sum of 3 x f64 at HERE, waiting for image 1"],
    },
    Case {
        name: "long_collective",
        images: 2,
        program: || only_the_first(|| co_broadcast(&mut vec![0u64; 1 << 20][..], 1)),
        says: &[
            "image 0 is in co_broadcast of 1048576 x u64 from image 1 at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "notified_put",
        images: 2,
        program: || {
            let mut row = Coarray::new([0.0; 4]);
            let arrived = Coarray::new([Coevent::new(), Coevent::new()]);
            let row = row.open();
            row.at(1 - this_image())[0].put_notify(1.0, &arrived.at(1 - this_image())[0]);
            arrived[1].wait();
        },
        says: &[
            "image 0 waits at HERE for 1 more post to an event in the coarray of [Coevent; 2] created at HERE, waiting for any image",
            "image 1 waits at HERE for 1 more post to an event in the coarray of [Coevent; 2] created at HERE, waiting for any image",
        ],
    },
    Case {
        name: "mutexes",
        images: 2,
        program: || {
            let mutex = Coarray::new(Comutex::new(0));
            let _mine = mutex.lock();
            sync_all();
            let _other = mutex.at(1 - this_image()).lock();
        },
        says: &[
            "image 0 waits in lock at HERE for the mutex in the coarray of Comutex<i32> created at HERE on image 1, waiting for image 1",
            "image 1 waits in lock at HERE for the mutex in the coarray of Comutex<i32> created at HERE on image 0, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "critical_section",
        images: 2,
        program: || {
            let inside = Coarray::new(Coevent::new());
            match is_first() {
                true => critical(|| {
                    inside.at(1).post();
                    sync_all();
                }),
                false => {
                    inside.wait();
                    critical(|| ());
                }
            }
        },
        says: &[
            "image 0 is in sync_all at HERE, waiting for image 1",
            "image 1 waits to enter the critical section at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "team_form",
        images: 2,
        program: || only_the_first(|| drop(Team::form(1))),
        says: &["image 0 is in Team::form at HERE, waiting for image 1"],
    },
    Case {
        name: "team_change",
        images: 2,
        program: || {
            let team = Team::form(7);
            only_the_first(|| team.change(|| ()));
        },
        says: &["image 0 is in Team::change of team 7 at HERE, waiting for image 1"],
    },
    Case {
        name: "team_sync",
        images: 3,
        program: || {
            let team = Team::form(u64::from(this_image() != 2));
            only_the_first(|| sync_team(&team));
        },
        says: &["image 0 is in sync_team of team 1 at HERE, waiting for image 1"],
    },
    Case {
        name: "sum_in_a_reduction",
        images: 2,
        program: || {
            let mut values = [1u64; 100];
            co_reduce(&mut values, |a, b| {
                co_sum(&mut [0u64; 50]);
                a + b
            });
        },
        says: &[
            "panicked at HERE: a collective was called while another one was in progress (called at HERE): ",
        ],
    },
    Case {
        name: "value",
        images: 3,
        program: || {
            let turn = Coarray::new(Coatomic::new(0usize));
            let mut steps = Coarray::new([0u8; 3]);
            let steps = steps.open();
            turn.at(1).store(1);
            match this_image() {
                0 => _ = turn.wait_until(|turn| turn == num_images()),
                // It has changed, but not to what is waited for.
                1 => _ = turn.wait_until(|turn| turn == 2),
                _ => _ = steps.here()[2].as_atomic().wait_until(|steps| steps > 0),
            }
        },
        says: &[
            "image 0 waits at HERE for a coatomic in the coarray of Coatomic<usize> created at HERE to change, waiting for any image",
            "image 1 waits at HERE for a coatomic in the coarray of Coatomic<usize> created at HERE to change, waiting for any image",
            "image 2 waits at HERE for a coatomic in the coarray of [u8; 3] created at HERE to change, waiting for any image",
            "the cycle: images 0 to 2 -> any image",
        ],
    },
    Case {
        name: "value_at_the_end",
        images: 2,
        program: || {
            let word = Coarray::new(Coatomic::new(0.5));
            // A thread that is gone changes nothing.
            std::thread::spawn(|| ()).join().unwrap();
            word.at(0).store(0.25);
            if is_first() {
                word.wait_until(|word| word > 1.0);
            }
        },
        says: &[
            "image 0 waits at HERE for a coatomic in the coarray of Coatomic<f64> created at HERE to change, waiting for any image",
        ],
    },
    Case {
        name: "event_of_another_image",
        images: 2,
        program: || {
            let event = Coarray::new(Coevent::new());
            event.post();
            sync_all();
            if is_first() {
                event.at(1).as_local().unwrap().wait();
            }
        },
        says: &[
            "coarray: image 0 panicked at HERE: this event is on image 1, and only that image can wait for it",
        ],
    },
];
