//! Waits for asynchronous operations, and tasks that await them.

use coarray::asynchronous::{CofutureSet, co_broadcast_async, co_max_async, co_sum_async};
use coarray::prelude::*;

use super::Case;
use crate::deadlocks::{block_on, is_first};

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
];
