//! `sync_images` whose partner does not call it.

use coarray::prelude::*;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "sync_images_ring",
        images: 3,
        mistake: "everyone synchronises with the right neighbour only, who looks to the right as well",
        body: ring,
    },
    Program {
        name: "sync_images_and_sync_all",
        images: 2,
        mistake: "image 0 synchronises with image 1, which is in sync_all",
        body: and_sync_all,
    },
    Program {
        name: "sync_images_left_main",
        images: 2,
        mistake: "image 0 synchronises with an image that has left main",
        body: and_left_main,
    },
    Program {
        name: "sync_images_forgotten",
        images: 3,
        mistake: "all synchronise with image 0, which forgets the last of them",
        body: forgotten,
    },
    Program {
        name: "sync_images_and_event",
        images: 2,
        mistake: "image 1 would post after sync_images with image 0, which waits for the post",
        body: and_event,
    },
    Program {
        name: "sync_images_twice",
        images: 2,
        mistake: "image 1 synchronises twice with image 0, which does so once",
        body: twice,
    },
];

fn ring() {
    let right = (this_image() + 1) % num_images();
    sync_images(&[right]); // [pairs.ring]
}

fn and_sync_all() {
    if this_image() == 0 {
        sync_images(&[1]); // [pairs.and_sync_all]
    }
    sync_all(); // [pairs.sync_all]
}

fn and_left_main() {
    let last = num_images() - 1;
    if this_image() == 0 {
        sync_images(&[last]); // [pairs.left_main]
    }
}

fn forgotten() {
    if this_image() == 0 {
        let others: Vec<usize> = (1..num_images() - 1).collect();
        sync_images(&others);
    } else {
        sync_images(&[0]); // [pairs.forgotten]
    }
}

fn and_event() {
    let ready = Coarray::new(Coevent::new());
    match this_image() {
        0 => {
            ready.wait(); // [pairs.event]
            sync_images(&[1]);
        }
        1 => {
            sync_images(&[0]); // [pairs.and_event]
            ready.at(0).post();
        }
        _ => {}
    }
}

fn twice() {
    match this_image() {
        0 => sync_images(&[1]),
        1 => (0..2).for_each(|_| sync_images(&[0])), // [pairs.twice]
        _ => {}
    }
}
