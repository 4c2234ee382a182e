//! Symmetric memory: allocating it, and opening it to others.
//!
//! # The bounds
//! No image may use the memory before all know its place, and none may reuse it before all have released it: one raw
//! barrier to allocate, and two to open and close.

use std::hint::black_box;
use std::rc::Rc;

use coarray::prelude::*;

use super::collectives::one_barrier;
use super::{Operation, Part, Trial};
use crate::baseline::Barrier;
use crate::stopwatch::Action;

const BYTES: usize = 4096;

type Row = [u64; BYTES / size_of::<u64>()];

/// A coarray comes into being and is dropped.
pub const ALLOC: Operation = Operation {
    name: "alloc",
    sizes: &[BYTES],
    prepare: |_, barrier| Trial {
        own: allocated(),
        bound: vec![one_barrier(barrier)],
    },
};

/// A coarray is opened and closed.
pub const OPEN: Operation = Operation {
    name: "open",
    sizes: &[0],
    prepare: |_, barrier| Trial {
        own: opened(),
        bound: vec![two_barriers(barrier)],
    },
};

/// Collective. Allocation and release, ready to run; checked once.
fn allocated() -> Action {
    let [first, second] = [(); 2].map(|()| Coarray::<Row>::zeroed());
    assert!(
        [&first, &second]
            .iter()
            .all(|row| row.iter().all(|&word| word == 0))
    );
    assert!(
        !std::ptr::eq(&*first, &*second),
        "two coarrays are in one place"
    );
    drop([first, second]);
    Box::new(|times| {
        for _ in 0..times {
            black_box(Coarray::<Row>::zeroed());
        }
    })
}

/// Collective. Opening and closing, ready to run; checked once.
fn opened() -> Action {
    let mut place = Coarray::new(0);
    let open = place.open();
    open.at((this_image() + 1) % num_images()).put(1);
    drop(open);
    assert_eq!(*place, 1, "a put has not arrived when the coarray closes");
    Box::new(move |times| {
        for _ in 0..times {
            drop(black_box(place.open()));
        }
    })
}

fn two_barriers(barrier: &Rc<Barrier>) -> Part {
    let Part { action, .. } = one_barrier(barrier);
    Part { times: 2.0, action }
}
