//! Barriers, reductions, scans and broadcasts.
//!
//! As in programs, each image [writes](values::write) its values before an operation, and [reads](values::read) what it gets after it: both
//! are part of an operation, of its bound and of the peers'.
//!
//! # The bounds
//! What bare programs do by loops, `memcpy` and raw barriers alone. What images have in private memory [passes](passed) through shared memory:
//! each copies out what others get, and takes what it gets from there. With `P` images of `n` bytes each:
//! * a barrier, and what fits beside its flags: one raw barrier;
//! * a reduction of two images, or of up to 8 KiB: each copies its values out and adds those of the others. Beyond, images share the work: each
//!   copies the shares of the others out and adds `P-1` shares of `n/P` bytes, copies its results out and those of the others in;
//! * a reduction to one image: the others copy their values out, which the root adds;
//! * a scan: each image copies out what the next one adds;
//! * a broadcast: the root copies its values out, and each reader copies them in; in coarrays each [reads](read_in_place) the root's, between two
//!   raw barriers;
//! * a reproducible sum: the ordinary one, `co_sum` of as many bytes.

use std::hint::black_box;
use std::ops::{Add, DerefMut};
use std::rc::Rc;

use coarray::asynchronous::co_sum_async;
use coarray::collectives::{
    co_broadcast, co_scan, co_sum, co_sum_reproducible, co_sum_to, co_total_reproducible,
};
use coarray::{Coarray, num_images, sync_all, this_image};

use super::{Operation, Part, Trial};
use crate::baseline::{self, Barrier, Exchange, Taken, values};
use crate::stopwatch::Action;

/// 8 bytes to 8 MiB.
pub const SIZES: &[usize] = &[
    8,
    32,
    128,
    512,
    2 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    128 << 10,
    512 << 10,
    2 << 20,
    8 << 20,
];

/// Some of them, for what is done with a block for each image.
pub const FEW_SIZES: &[usize] = &[8, 128, 2 << 10, 32 << 10, 512 << 10, 2 << 20];

/// Those that are read in place where they lie in coarrays.
pub const LONG_SIZES: &[usize] = &[16 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20];

/// The image whose values are broadcast or scattered, and which gets what others do not.
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
        own: reduction(bytes, true, |values| co_sum(values)),
        bound: reduction_bound(bytes, barrier),
    },
};

/// `co_sum` of `f64` in coarrays, which are read in place.
pub const CO_SUM_SYMMETRIC: Operation = Operation {
    name: "co_sum_symmetric",
    sizes: LONG_SIZES,
    prepare: |bytes, barrier| Trial {
        own: reduction_of(symmetric(bytes), true, |values| co_sum(values)),
        bound: reduction_bound(bytes, barrier),
    },
};

/// `co_sum_async` of one `f64`, and waiting for it.
pub const CO_SUM_ASYNC: Operation = Operation {
    name: "co_sum_async",
    sizes: &[8],
    prepare: |_, barrier| Trial {
        own: reduction(8, true, |values| values[0] = co_sum_async(values[0]).wait()),
        bound: vec![one_barrier(barrier)],
    },
};

/// `co_sum_reproducible` of `f64`.
pub const CO_SUM_REPRODUCIBLE: Operation = Operation {
    name: "co_sum_reproducible",
    sizes: &[8 << 20],
    prepare: |bytes, _| Trial {
        own: rounded(bytes, |values| co_sum_reproducible(values)),
        bound: ordinary_sum(bytes),
    },
};

/// `co_total_reproducible` of `f64`.
pub const CO_TOTAL_REPRODUCIBLE: Operation = Operation {
    name: "co_total_reproducible",
    sizes: &[8 << 20],
    prepare: |bytes, _| Trial {
        own: total(bytes, |values| co_total_reproducible(values)),
        bound: ordinary_sum(bytes),
    },
};

/// `co_sum_to` of `f64`.
pub const CO_SUM_TO: Operation = Operation {
    name: "co_sum_to",
    sizes: SIZES,
    prepare: |bytes, barrier| Trial {
        own: reduction(bytes, this_image() == ROOT, |values| {
            co_sum_to(values, ROOT);
        }),
        bound: passed(&Exchange::to_root(bytes, ROOT), Taken::Added, barrier),
    },
};

/// `co_sum_to` of `f64` in coarrays, which are read in place.
pub const CO_SUM_TO_SYMMETRIC: Operation = Operation {
    name: "co_sum_to_symmetric",
    sizes: LONG_SIZES,
    prepare: |bytes, barrier| Trial {
        own: reduction_of(symmetric(bytes), this_image() == ROOT, |values| {
            co_sum_to(values, ROOT);
        }),
        bound: passed(&Exchange::to_root(bytes, ROOT), Taken::Added, barrier),
    },
};

/// `co_scan` of `f64`.
pub const CO_SCAN: Operation = Operation {
    name: "co_scan",
    sizes: SIZES,
    prepare: |bytes, barrier| Trial {
        own: scan(bytes, |values| co_scan(values, Add::add)),
        bound: passed(&Exchange::to_next(bytes), Taken::Added, barrier),
    },
};

/// `co_scan` of `f64` in coarrays, which are read in place.
pub const CO_SCAN_SYMMETRIC: Operation = Operation {
    name: "co_scan_symmetric",
    sizes: LONG_SIZES,
    prepare: |bytes, barrier| Trial {
        own: scan_of(symmetric(bytes), |values| co_scan(values, Add::add)),
        bound: passed(&Exchange::to_next(bytes), Taken::Added, barrier),
    },
};

/// `co_broadcast` of `f64`.
pub const CO_BROADCAST: Operation = Operation {
    name: "co_broadcast",
    sizes: SIZES,
    prepare: |bytes, barrier| Trial {
        own: broadcast(bytes, |values| co_broadcast(values, ROOT)),
        bound: passed(&Exchange::from_root(bytes, ROOT), Taken::Copied, barrier),
    },
};

/// `co_broadcast` of `f64` in coarrays, which are read in place.
pub const CO_BROADCAST_SYMMETRIC: Operation = Operation {
    name: "co_broadcast_symmetric",
    sizes: LONG_SIZES,
    prepare: |bytes, barrier| Trial {
        own: broadcast_of(symmetric(bytes), |values| co_broadcast(values, ROOT)),
        bound: read_in_place(&Exchange::from_root(bytes, ROOT), barrier),
    },
};

/// Memory for `bytes` bytes that all images reach.
pub fn symmetric(bytes: usize) -> Coarray<[f64]> {
    Coarray::<[f64]>::zeroed(bytes / size_of::<f64>())
}

/// Collective. `sum` over `bytes` bytes, ready to run; checked once. The sums come to this image if `is_for_me`.
pub fn reduction(bytes: usize, is_for_me: bool, sum: impl Fn(&mut [f64]) + 'static) -> Action {
    reduction_of(vec![0.0; bytes / size_of::<f64>()], is_for_me, sum)
}

/// Collective. As [`reduction`], in this memory.
fn reduction_of(
    mut values: impl DerefMut<Target = [f64]> + 'static,
    is_for_me: bool,
    sum: impl Fn(&mut [f64]) + 'static,
) -> Action {
    let own = this_image() as f64 + 1.0;
    values.fill(own);
    sum(&mut values);
    let images = num_images() as f64;
    let expected = if is_for_me {
        images * (images + 1.0) / 2.0
    } else {
        own
    };
    assert!(
        values.iter().all(|&value| value == expected),
        "the sum of 1 to {images} is not {expected}"
    );
    Box::new(move |times| {
        for time in 0..times {
            values::write(&mut values, time);
            sum(black_box(&mut values));
            if is_for_me {
                values::read(&values);
            }
        }
    })
}

/// Collective. As [`reduction`] for all images, but of numbers that are not alike, whose sum must be rounded.
pub fn rounded(bytes: usize, sum: impl Fn(&mut [f64]) + 'static) -> Action {
    let sum = Rc::new(sum);
    let checked = Rc::clone(&sum);
    drop(reduction(bytes, true, move |values| checked(values)));
    let first = unlike(bytes);
    let mut values = first.clone();
    Box::new(move |times| {
        for _ in 0..times {
            values.copy_from_slice(&first);
            sum(black_box(&mut values));
            values::read(&values);
        }
    })
}

/// Collective. `total` of `bytes` bytes, ready to run; checked once.
pub fn total(bytes: usize, total: impl Fn(&[f64]) -> f64 + 'static) -> Action {
    let first = unlike(bytes);
    let negative: Vec<f64> = first.iter().map(|value| -value).collect();
    assert!(
        total(&[&first[..], &negative].concat()) == 0.0,
        "numbers and their opposites are not zero"
    );
    let mut values = first.clone();
    Box::new(move |times| {
        for _ in 0..times {
            values.copy_from_slice(&first);
            black_box(total(black_box(&values)));
        }
    })
}

/// Numbers whose sums must be rounded.
fn unlike(bytes: usize) -> Vec<f64> {
    let own = this_image() as f64 + 1.0;
    let length = bytes / size_of::<f64>();
    (0..length)
        .map(|index| (own + index as f64).sqrt())
        .collect()
}

/// Collective. `scan` of `bytes` bytes, ready to run; checked once.
pub fn scan(bytes: usize, scan: impl Fn(&mut [f64]) + 'static) -> Action {
    scan_of(vec![0.0; bytes / size_of::<f64>()], scan)
}

/// Collective. As [`scan`], in this memory.
fn scan_of(
    mut values: impl DerefMut<Target = [f64]> + 'static,
    scan: impl Fn(&mut [f64]) + 'static,
) -> Action {
    values.fill(1.0);
    scan(&mut values);
    let expected = this_image() as f64 + 1.0;
    assert!(
        values.iter().all(|&value| value == expected),
        "the sum up to image {} is not {expected}",
        this_image()
    );
    Box::new(move |times| {
        for time in 0..times {
            values::write(&mut values, time);
            scan(black_box(&mut values));
            values::read(&values);
        }
    })
}

/// Collective. `spread` of `bytes` bytes from the root, ready to run; checked once.
pub fn broadcast(bytes: usize, spread: impl Fn(&mut [f64]) + 'static) -> Action {
    broadcast_of(vec![0.0; bytes / size_of::<f64>()], spread)
}

/// Collective. As [`broadcast`], in this memory.
fn broadcast_of(
    mut values: impl DerefMut<Target = [f64]> + 'static,
    spread: impl Fn(&mut [f64]) + 'static,
) -> Action {
    values.fill(this_image() as f64 + 1.0);
    spread(&mut values);
    assert!(
        values.iter().all(|&value| value == ROOT as f64 + 1.0),
        "the root's values did not arrive"
    );
    Box::new(move |times| {
        for time in 0..times {
            if is_root() {
                values::write(&mut values, time);
            }
            spread(black_box(&mut values));
            if !is_root() {
                values::read(&values);
            }
        }
    })
}

/// One raw barrier.
pub fn one_barrier(barrier: &Rc<Barrier>) -> Part {
    let barrier = Rc::clone(barrier);
    Part::new(1.0, move |times| (0..times).for_each(|_| barrier.wait()))
}

fn ordinary_sum(bytes: usize) -> Vec<Part> {
    let sum = reduction(bytes, true, |values| co_sum(values));
    vec![Part::new(1.0, sum)]
}

/// What images give to others passes through shared memory.
pub fn passed(exchange: &Exchange, taken: Taken, barrier: &Rc<Barrier>) -> Vec<Part> {
    vec![Part::new(1.0, baseline::pass(barrier, exchange, taken))]
}

/// What images give to others is read where it is.
pub fn read_in_place(exchange: &Exchange, barrier: &Rc<Barrier>) -> Vec<Part> {
    vec![Part::new(1.0, baseline::read_in_place(barrier, exchange))]
}

/// Whether this image is the root.
pub fn is_root() -> bool {
    this_image() == ROOT
}

fn reduction_bound(bytes: usize, barrier: &Rc<Barrier>) -> Vec<Part> {
    /// From how many bytes on several images share the work.
    const SHARED: usize = 8 << 10;
    if num_images() <= 2 || bytes <= SHARED {
        return passed(&Exchange::to_all(bytes), Taken::Added, barrier);
    }
    let share = bytes / num_images();
    let mut bound = passed(&Exchange::to_each(share), Taken::Added, barrier);
    bound.extend(passed(&Exchange::to_all(share), Taken::Copied, barrier));
    bound
}
