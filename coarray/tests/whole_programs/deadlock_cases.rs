//! Programs that can never go on, one for each kind of wait.

use coarray::asynchronous::{CofutureSet, co_broadcast_async, co_max_async, co_sum_async};
use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::locks::critical;
use coarray::prelude::*;
use coarray::sync_team;

use crate::deadlocks::{block_on, is_first};

/// A program that cannot go on, and words of its report. `HERE` stands for a place in this file; the report names no
/// other.
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

fn square() -> HaloArray<f64, 2> {
    let grid = ImageGrid::new([num_images(), 1]).unwrap();
    let blocks = Blocks::new([16, 16], grid).unwrap();
    HaloArray::filled(&blocks, 1, 0.0).unwrap()
}

pub const CASES: &[Case] = &[
    Case {
        name: "wait_any",
        images: 2,
        program: || match is_first() {
            true => {
                let mut sums: CofutureSet<i32> = [co_sum_async(1), co_sum_async(2)].into();
                sums.wait_any();
            }
            false => sync_all(),
        },
        says: &[
            "image 0 is in wait_any at HERE, for co_sum_async of i32 at HERE or co_sum_async of i32 at HERE, waiting for image 1",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "wait_any_of_two_images",
        images: 3,
        program: || match is_first() {
            true => {
                let mut sent: CofutureSet<i32> =
                    [co_broadcast_async(1, 1), co_broadcast_async(2, 2)].into();
                sent.wait_any();
            }
            false => sync_all(),
        },
        says: &[
            "image 0 is in wait_any at HERE, for co_broadcast_async of i32 from image 1 at HERE (image 1) or co_broadcast_async of i32 from image 2 at HERE (image 2), waiting for image 1",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "image 2 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "wait_any_of_an_event_and_a_sum",
        images: 2,
        program: || {
            let event = Coarray::new(Coevent::new());
            match is_first() {
                true => {
                    let sum = co_sum_async(1).map(|_| ());
                    CofutureSet::from([sum, event.wait_async()]).wait_any();
                }
                false => event.wait(),
            }
        },
        says: &[
            "image 0 is in wait_any at HERE, for co_sum_async of i32 at HERE (image 1) or 1 more post, since wait_async at HERE, to an event in the coarray of Coevent created at HERE (any image), waiting for image 1",
            "image 1 waits at HERE for 1 more post to an event",
            "the cycle: image 0 -> image 1 -> any image",
        ],
    },
    Case {
        name: "wait_any_of_events",
        images: 2,
        program: || {
            let events = Coarray::new([Coevent::new(), Coevent::new()]);
            let mut posts: CofutureSet<()> =
                events.iter().map(|event| event.wait_async()).collect();
            posts.wait_any();
        },
        says: &[
            "image 0 is in wait_any at HERE, for 1 more post, since wait_async at HERE, to an event in the coarray of [Coevent; 2] created at HERE or 1 more post, since wait_async at HERE, to an event in the coarray of [Coevent; 2] created at HERE, waiting for any image",
            "the cycle: images 0 and 1 -> any image",
        ],
    },
    Case {
        name: "await_an_event",
        images: 2,
        program: || {
            let event = Coarray::new(Coevent::new());
            if !is_first() {
                event.at(0).post();
            }
            sync_all();
            match is_first() {
                true => block_on(event.wait_for_async(2)),
                false => sync_all(),
            }
        },
        says: &[
            "image 0 awaits 1 more post, since wait_async at HERE, to an event in the coarray of Coevent created at HERE, waiting for any image",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 1 -> image 0 -> any image",
        ],
    },
    Case {
        name: "await",
        images: 2,
        program: || match is_first() {
            true => {
                let _ = block_on(co_sum_async(1));
            }
            false => sync_all(),
        },
        says: &[
            "image 0 awaits co_sum_async of i32 at HERE, waiting for image 1",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "await_all_round",
        images: 3,
        program: || {
            let team = Team::form(u64::from(is_first()));
            match is_first() {
                // One image begins with a sum of all images, the others with a broadcast of their team.
                true => {
                    let _ = block_on(async { co_sum_async(1).await });
                }
                false => {
                    team.change(|| {
                        let _ = block_on(co_broadcast_async(this_image(), 0));
                    });
                    let event = Coarray::new(Coevent::new());
                    event.wait();
                }
            }
        },
        says: &[
            "image 0 awaits co_sum_async of i32 at HERE, waiting for image 1",
            "image 1 is in creation of a coarray of Coevent at HERE, waiting for image 0",
            "image 2 is in creation of a coarray of Coevent at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "await_two_at_once",
        images: 2,
        program: || match is_first() {
            true => block_on(async {
                let (one, other) = (co_sum_async(1), co_max_async(1.5));
                let _ = (one.await, other.await);
            }),
            false => {
                let _one = co_sum_async(1);
                sync_all();
            }
        },
        says: &[
            "image 0 awaits co_max_async of f64 at HERE, waiting for image 1",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "await_at_the_end",
        images: 2,
        program: || {
            if is_first() {
                {
                    let _ = block_on(co_sum_async(1));
                };
            }
        },
        says: &[
            "coarray: image 0 cannot complete co_sum_async of i32 at HERE: image 1 has come to the end of the program",
        ],
    },
    Case {
        name: "poll_at_the_end",
        images: 2,
        program: || {
            if is_first() {
                let sum = co_sum_async(1);
                while !sum.is_ready() {}
            }
        },
        says: &[
            "coarray: image 0 cannot complete co_sum_async of i32 at HERE: image 1 has come to the end of the program",
        ],
    },
    Case {
        name: "wait",
        images: 2,
        program: || match is_first() {
            true => {
                let _ = co_sum_async([1u8; 3]).wait();
            }
            false => sync_all(),
        },
        says: &[
            "image 0 is in co_sum_async of 3 x u8 at HERE, waiting for image 1",
            "image 1 is in sync_all at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
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
        name: "creation",
        images: 2,
        program: || only_the_first(|| drop(Coarray::new([1u32; 5]))),
        says: &["image 0 is in creation of a coarray of [u32; 5] at HERE, waiting for image 1"],
    },
    Case {
        name: "open",
        images: 2,
        program: || {
            let mut cells = Coarray::new([1u32; 5]);
            only_the_first(|| drop(cells.open()));
        },
        says: &[
            "image 0 is in open of the coarray of [u32; 5] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "close",
        images: 2,
        program: || {
            let mut cells = Coarray::new([1u32; 5]);
            let event = Coarray::new(Coevent::new());
            let _cells = cells.open();
            if !is_first() {
                event.wait();
            }
        },
        says: &[
            "image 0 is in the end of the open phase of the coarray of [u32; 5] created at HERE, which began at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange",
        images: 2,
        program: || {
            let mut cells = square();
            only_the_first(|| cells.exchange());
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange_of_another_array",
        images: 2,
        program: || {
            let (mut one, mut other) = (square(), square());
            match is_first() {
                true => one.exchange(),
                false => other.exchange(),
            }
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
            "image 1 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "exchange_with_two_neighbours",
        images: 3,
        program: || {
            let mut cells = square();
            let event = Coarray::new(Coevent::new());
            match this_image() {
                1 => cells.exchange(),
                _ => event.wait(),
            }
        },
        says: &[
            "image 1 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 0",
        ],
    },
    Case {
        name: "exchange_started",
        images: 2,
        program: || {
            let mut cells = square();
            only_the_first(|| {
                let exchanging = cells.exchange_start();
                exchanging.finish();
            });
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange_at_the_end",
        images: 2,
        program: || {
            let mut cells = square();
            if is_first() {
                cells.exchange();
            }
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1, which has come to the end of the program",
            "image 1 has come to the end of the program, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "gather",
        images: 2,
        program: || {
            let cells = square();
            only_the_first(|| {
                let _ = cells.gather_global(0);
            });
        },
        says: &[
            "image 0 is in gather_global of the HaloArray<f64, 2> created at HERE to image 0, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "gmove",
        images: 2,
        program: || {
            let (cells, mut other) = (square(), square());
            only_the_first(|| gmove(&cells, &mut other).unwrap());
        },
        says: &[
            "image 0 is in gmove of the HaloArray<f64, 2> created at HERE to the HaloArray<f64, 2> created at HERE, called at HERE, waiting for image 1",
        ],
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
