//! Collective operations on coarrays that an image does not call.

use coarray::prelude::*;

use crate::Program;

pub const PROGRAMS: &[Program] = &[
    Program {
        name: "creation_and_event",
        images: 2,
        mistake: "image 1 would post after the creation of a coarray, before which image 0 waits",
        body: creation,
    },
    Program {
        name: "open_and_event",
        images: 2,
        mistake: "image 1 would post in an open phase, before which image 0 waits",
        body: open,
    },
    Program {
        name: "close_and_event",
        images: 2,
        mistake: "image 0 waits in an open phase for a post that comes after it",
        body: close,
    },
    Program {
        name: "publish_and_sync_images",
        images: 2,
        mistake: "image 0 synchronises in a read-only phase with image 1, which is done with it",
        body: publish,
    },
    Program {
        name: "broadcast_and_event",
        images: 2,
        mistake: "the root waits for the thanks before it broadcasts",
        body: broadcast,
    },
];

fn creation() {
    let ready = Coarray::new(Coevent::new());
    if this_image() == 0 {
        ready.wait(); // [creation.wait]
    }
    let _table = Coarray::<[f64; 100]>::zeroed(); // [creation.all]
    if this_image() == 1 {
        ready.at(0).post();
    }
}

fn open() {
    let ready = Coarray::new(Coevent::new());
    let mut halo = Coarray::<[f64; 2]>::zeroed();
    if this_image() == 0 {
        ready.wait(); // [open.wait]
    }
    let open = halo.open(); // [open.all]
    if this_image() == 1 {
        open.at(0)[1].put_notify(0.5, ready.at(0));
    }
}

fn close() {
    let arrived = Coarray::new(Coevent::new());
    let mut halo = Coarray::<[f64; 2]>::zeroed();
    let open = halo.open(); // [close.all]
    open.at(0)[1].put(0.5);
    if this_image() == 0 {
        arrived.wait(); // [close.wait]
    }
    drop(open);
    if this_image() == 1 {
        arrived.at(0).post();
    }
}

fn publish() {
    let mut table = Coarray::new([this_image(); 4]);
    let table = table.publish(); // [publish.all]
    if this_image() == 0 {
        sync_images(&[1]); // [publish.pair]
    }
    drop(table);
}

fn broadcast() {
    let thanks = Coarray::new(Coevent::new());
    let mut seed = 42u64;
    if this_image() == 0 {
        thanks.wait(); // [broadcast.wait]
    }
    co_broadcast(&mut seed, 0); // [broadcast.all]
    if this_image() > 0 {
        thanks.at(0).post();
    }
}
