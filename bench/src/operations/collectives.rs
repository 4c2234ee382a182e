//! Barriers, reductions and broadcasts.
//!
//! # The bounds
//! With `P` images of `n` bytes each:
//! * a barrier, and a reduction of one number: one raw barrier;
//! * a reduction: a raw barrier, and what images with private buffers cannot avoid if they share the work
//!   evenly. Each copies `n (P-1)/P` bytes out so that others see them, adds `P-1` shares of `n/P` bytes, and copies
//!   `n (P-1)/P` bytes in. Copy and addition are timed on `n` bytes, on all images at once, as they
//!   compete for memory;
//! * a broadcast: a raw barrier, and one copy of `n` bytes for each reader, all readers at once.

use std::hint::black_box;
use std::rc::Rc;

use coarray::{co_broadcast, co_sum, num_images, sync_all, this_image};

use super::{Operation, Part, Trial};
use crate::raw::{self, Barrier};
use crate::stopwatch::Action;

/// 8 bytes to 8 MiB.
pub const SIZES: &[usize] = &[
    8,
    32,
    128,
    512,
    2 << 10,
    8 << 10,
    32 << 10,
    128 << 10,
    512 << 10,
    2 << 20,
    8 << 20,
];

/// The image whose values are broadcast.
pub const ROOT: usize = 0;

/// `sync_all()`.
pub const SYNC_ALL: Operation = Operation {
    name: "sync_all",
    sizes: &[0],
    prepare: |_, barrier| Trial {
        own: Box::new(|times| (0..times).for_each(|_| sync_all())),
        bound: vec![one_barrier(barrier)],
    },
};

/// `co_sum` of `f64`.
pub const CO_SUM: Operation = Operation {
    name: "co_sum",
    sizes: SIZES,
    prepare: |bytes, barrier| Trial {
        own: reduction(bytes, |values| co_sum(values)),
        bound: reduction_bound(bytes, barrier),
    },
};

/// `co_broadcast` of `f64`.
pub const CO_BROADCAST: Operation = Operation {
    name: "co_broadcast",
    sizes: SIZES,
    prepare: |bytes, barrier| {
        let mut copy = raw::copy(bytes);
        let is_reader = this_image() != ROOT;
        let readers_copy = move |times| {
            if is_reader {
                copy(times);
            }
        };
        Trial {
            own: broadcast(bytes, |values| co_broadcast(values, ROOT)),
            bound: vec![one_barrier(barrier), Part::new(1.0, readers_copy)],
        }
    },
};

/// Collective. `sum` over `bytes` bytes, ready to run; checked once.
pub fn reduction(bytes: usize, sum: impl Fn(&mut [f64]) + 'static) -> Action {
    let mut values = vec![this_image() as f64 + 1.0; bytes / size_of::<f64>()];
    sum(&mut values);
    let images = num_images() as f64;
    let expected = images * (images + 1.0) / 2.0;
    assert!(
        values.iter().all(|&value| value == expected),
        "the sum of 1 to {images} is not {expected}"
    );
    // However often zeros are added, they stay zeros.
    values.fill(0.0);
    Box::new(move |times| {
        for _ in 0..times {
            sum(black_box(&mut values));
        }
    })
}

/// Collective. `spread` of `bytes` bytes from the root, ready to run; checked once.
pub fn broadcast(bytes: usize, spread: impl Fn(&mut [f64]) + 'static) -> Action {
    let mut values = vec![this_image() as f64 + 1.0; bytes / size_of::<f64>()];
    spread(&mut values);
    assert!(
        values.iter().all(|&value| value == ROOT as f64 + 1.0),
        "the root's values did not arrive"
    );
    Box::new(move |times| {
        for _ in 0..times {
            spread(black_box(&mut values));
        }
    })
}

fn one_barrier(barrier: &Rc<Barrier>) -> Part {
    let barrier = Rc::clone(barrier);
    Part::new(1.0, move |times| (0..times).for_each(|_| barrier.wait()))
}

fn reduction_bound(bytes: usize, barrier: &Rc<Barrier>) -> Vec<Part> {
    let others = (num_images() - 1) as f64 / num_images() as f64;
    let mut bound = vec![one_barrier(barrier)];
    if bytes > size_of::<f64>() {
        bound.push(Part::new(2.0 * others, raw::copy(bytes)));
        bound.push(Part::new(others, raw::add(bytes)));
    }
    bound
}
