//! Waiting for posts that do not come.

use coarray::prelude::*;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "nobody_posts",
        images: 2,
        mistake: "all wait for an event that nobody posts",
        body: nobody_posts,
    },
    Program {
        name: "own_event",
        images: 1,
        mistake: "an image is to post its own event after it has waited for it",
        body: own_event,
    },
    Program {
        name: "one_post_too_few",
        images: 3,
        mistake: "image 0 waits for all others, but one of them does not post",
        body: one_post_too_few,
    },
    Program {
        name: "one_round_too_many",
        images: 2,
        mistake: "five rounds of posts, six rounds of waits",
        body: one_round_too_many,
    },
    Program {
        name: "wrong_image",
        images: 3,
        mistake: "the post goes to image 1, and image 2 waits for it",
        body: wrong_image,
    },
    Program {
        name: "event_ring",
        images: 3,
        mistake: "everyone waits for the left neighbour before posting to the right one",
        body: event_ring,
    },
    Program {
        name: "event_and_sync_all",
        images: 2,
        mistake: "image 0 waits for a post that comes after a sync_all",
        body: event_and_sync_all,
    },
    Program {
        name: "lost_credit",
        images: 2,
        mistake: "a consumer gives one credit less than it takes items, until the producer has none",
        body: lost_credit,
    },
    Program {
        name: "branch",
        images: 3,
        mistake: "a barrier in a branch that only some images take; they would post behind it",
        body: branch,
    },
    Program {
        name: "left_main",
        images: 3,
        mistake: "an image returns early from main, and the others wait for its post",
        body: left_main,
    },
    Program {
        name: "chain",
        images: 4,
        mistake: "each waits for the next one, and the last has come to the end of the program",
        body: chain,
    },
];

fn nobody_posts() {
    let event = Coarray::new(Coevent::new());
    event.wait(); // [nobody_posts]
}

fn own_event() {
    let event = Coarray::new(Coevent::new());
    event.wait(); // [own_event]
    event.post();
}

fn one_post_too_few() {
    let done = Coarray::new(Coevent::new());
    if this_image() == 0 {
        done.wait_for(num_images() as u64 - 1); // [too_few.wait]
    } else if this_image() + 1 < num_images() {
        done.at(0).post();
    }
    sync_all(); // [too_few.sync]
}

fn one_round_too_many() {
    let ready = Coarray::new(Coevent::new());
    match this_image() {
        0 => (0..5).for_each(|_| ready.at(1).post()),
        1 => (0..=5).for_each(|_| ready.wait()), // [too_many]
        _ => {}
    }
}

fn wrong_image() {
    let letter = Coarray::new(Coevent::new());
    match this_image() {
        0 => letter.at(1).post(),
        2 => letter.wait(), // [wrong_image.wait]
        _ => {}
    }
    sync_all(); // [wrong_image.sync]
}

fn event_ring() {
    let turn = Coarray::new(Coevent::new());
    let right = (this_image() + 1) % num_images();
    turn.wait(); // [ring]
    turn.at(right).post();
}

fn event_and_sync_all() {
    let ready = Coarray::new(Coevent::new());
    if this_image() == 0 {
        ready.wait(); // [event_and_sync_all.wait]
    }
    sync_all(); // [event_and_sync_all.sync]
    if this_image() == 1 {
        ready.at(0).post();
    }
}

/// The producer may be two items ahead of the consumer. The consumer saves messages and forgets the odd credits.
fn lost_credit() {
    const AHEAD: usize = 2;
    let credit = Coarray::new(Coevent::new());
    let item = Coarray::new(Coevent::new());
    for round in 0..10 {
        match this_image() {
            0 => {
                if round >= AHEAD {
                    credit.wait(); // [lost_credit.producer]
                }
                item.at(1).post();
            }
            1 => {
                item.wait(); // [lost_credit.consumer]
                if round % 2 == 0 {
                    credit.at(0).post();
                }
            }
            _ => {}
        }
    }
}

fn branch() {
    let helped = Coarray::new(Coevent::new());
    let load = [7, 3, 8][this_image() % 3];
    if load > 5 {
        sync_all(); // [branch.sync]
        let neighbour = (this_image() + 1) % num_images();
        helped.at(neighbour).post();
    } else {
        helped.wait(); // [branch.wait]
    }
}

fn left_main() {
    let settings = Coarray::new(Coevent::new());
    if this_image() == 1 {
        // ... it finds its file missing, and forgets to say so ...
        return;
    }
    settings.wait(); // [left_main]
}

fn chain() {
    let next = Coarray::new(Coevent::new());
    let last = num_images() - 1;
    if this_image() == last {
        return;
    }
    if this_image() == last - 1 {
        next.wait(); // [chain.event]
    } else {
        sync_images(&[this_image() + 1]); // [chain.pair]
    }
}
