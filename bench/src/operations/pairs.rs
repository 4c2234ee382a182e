//! Images that wait for one other.

use std::rc::Rc;

use coarray::prelude::*;

use super::{Operation, Part, Trial};
use crate::baseline::{Barrier, Flags};
use crate::stopwatch::Action;

/// `sync_images` of images 0 and 1, 2 and 3, and so on; an odd last one does nothing, but a single one is its own
/// partner. The bound is two flags for each pair.
pub const SYNC_PAIR: Operation = Operation {
    name: "sync_pair",
    sizes: &[0],
    prepare: |_, barrier| Trial {
        own: synchronised(),
        bound: vec![Part::new(1.0, flags(barrier))],
    },
};

/// The partner of this image.
fn partner() -> Option<usize> {
    match this_image() ^ 1 {
        _ if num_images() == 1 => Some(0),
        other => (other < num_images()).then_some(other),
    }
}

/// Collective. `sync_images`, ready to run; checked once.
fn synchronised() -> Action {
    let told = Coarray::new(Coatomic::new(false));
    let Some(partner) = partner() else {
        return Box::new(|_| {});
    };
    told.at(partner).store(true);
    sync_images(&[partner]);
    assert!(told.at(this_image()).load(), "the partner has not come yet");
    Box::new(move |times| (0..times).for_each(|_| sync_images(&[partner])))
}

/// Collective. Each image advances its own flag and waits for its partner's.
fn flags(barrier: &Rc<Barrier>) -> Action {
    let flags = Flags::new(0, barrier);
    let Some(partner) = partner() else {
        return Box::new(|_| {});
    };
    let (me, mut count) = (this_image(), 0);
    Box::new(move |times| {
        for _ in 0..times {
            count += 1;
            flags.set(me, count);
            flags.wait(partner, count);
        }
    })
}
