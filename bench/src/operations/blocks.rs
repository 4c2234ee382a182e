//! What is done with a block for each image: gathering, scattering, exchanging, combining.
//!
//! # The bounds
//! What [passes](passed) between images: each copies the blocks that others get out to shared memory, each block once, and those that it gets
//! in from there. In coarrays they are [read](read_in_place) where they are. An image that has its own block twice copies it, and
//! `co_reduce_scatter` adds what it gets. The sizes are those of one block.

use std::hint::black_box;
use std::ops::{Add, DerefMut};
use std::rc::Rc;

use coarray::collectives::{co_allgather, co_alltoall, co_gather, co_reduce_scatter, co_scatter};
use coarray::{num_images, this_image};

use super::collectives::{FEW_SIZES, ROOT, is_root, passed, read_in_place, symmetric};
use super::{Operation, Part, Trial};
use crate::baseline::{Barrier, Exchange, Taken, values};
use crate::stopwatch::Action;

/// `co_gather` of `f64`.
pub const CO_GATHER: Operation = Operation {
    name: "co_gather",
    sizes: FEW_SIZES,
    prepare: |bytes, barrier| Trial {
        own: gathering(bytes, is_root(), |values, gathered| {
            co_gather(values, gathered, ROOT)
        }),
        bound: roots_copied(
            bytes,
            passed(&Exchange::to_root(bytes, ROOT), Taken::Copied, barrier),
        ),
    },
};

/// `co_allgather` of `f64`.
pub const CO_ALLGATHER: Operation = Operation {
    name: "co_allgather",
    sizes: FEW_SIZES,
    prepare: |bytes, barrier| Trial {
        own: gathering(bytes, true, |values, gathered| {
            co_allgather(values, gathered)
        }),
        bound: copied(
            bytes,
            passed(&Exchange::to_all(bytes), Taken::Copied, barrier),
        ),
    },
};

/// `co_scatter` of `f64`.
pub const CO_SCATTER: Operation = Operation {
    name: "co_scatter",
    sizes: FEW_SIZES,
    prepare: |bytes, barrier| Trial {
        own: scattering(bytes, |parts, mine| co_scatter(parts, mine, ROOT)),
        bound: roots_copied(
            bytes,
            passed(
                &Exchange::from_root_each(bytes, ROOT),
                Taken::Copied,
                barrier,
            ),
        ),
    },
};

/// `co_alltoall` of `f64`.
pub const CO_ALLTOALL: Operation = Operation {
    name: "co_alltoall",
    sizes: FEW_SIZES,
    prepare: |bytes, barrier| Trial {
        own: exchange(bytes, |sent, received| co_alltoall(sent, received)),
        bound: copied(
            bytes,
            passed(&Exchange::to_each(bytes), Taken::Copied, barrier),
        ),
    },
};

/// `co_allgather` of `f64` in coarrays, which are read in place.
pub const CO_ALLGATHER_SYMMETRIC: Operation = Operation {
    name: "co_allgather_symmetric",
    sizes: LONG_BLOCKS,
    prepare: |bytes, barrier| Trial {
        own: gathering_of(symmetric(bytes), true, |values, gathered| {
            co_allgather(values, gathered)
        }),
        bound: copied(bytes, read_in_place(&Exchange::to_all(bytes), barrier)),
    },
};

/// `co_alltoall` of `f64` in coarrays, which are read in place.
pub const CO_ALLTOALL_SYMMETRIC: Operation = Operation {
    name: "co_alltoall_symmetric",
    sizes: LONG_BLOCKS,
    prepare: |bytes, barrier| Trial {
        own: exchange_of(symmetric(num_images() * bytes), |sent, received| {
            co_alltoall(sent, received)
        }),
        bound: copied(bytes, read_in_place(&Exchange::to_each(bytes), barrier)),
    },
};

/// `co_gather` of `f64` in coarrays, which are read in place.
pub const CO_GATHER_SYMMETRIC: Operation = Operation {
    name: "co_gather_symmetric",
    sizes: LONG_BLOCKS,
    prepare: |bytes, barrier| Trial {
        own: gathering_of(symmetric(bytes), is_root(), |values, gathered| {
            co_gather(values, gathered, ROOT)
        }),
        bound: roots_copied(
            bytes,
            read_in_place(&Exchange::to_root(bytes, ROOT), barrier),
        ),
    },
};

/// `co_scatter` of `f64` in coarrays, which are read in place.
pub const CO_SCATTER_SYMMETRIC: Operation = Operation {
    name: "co_scatter_symmetric",
    sizes: LONG_BLOCKS,
    prepare: |bytes, barrier| Trial {
        own: scattering_of(symmetric(num_images() * bytes), bytes, |parts, mine| {
            co_scatter(parts, mine, ROOT)
        }),
        bound: roots_copied(
            bytes,
            read_in_place(&Exchange::from_root_each(bytes, ROOT), barrier),
        ),
    },
};

/// `co_reduce_scatter` of `f64` in coarrays, which are read in place.
pub const CO_REDUCE_SCATTER_SYMMETRIC: Operation = Operation {
    name: "co_reduce_scatter_symmetric",
    sizes: LONG_BLOCKS,
    prepare: |bytes, barrier| Trial {
        own: scattered_reduction_of(symmetric(num_images() * bytes), |values, mine| {
            co_reduce_scatter(values, mine, Add::add);
        }),
        bound: scattered_reduction_bound(bytes, barrier),
    },
};

/// Of one block, as in [`FEW_SIZES`].
const LONG_BLOCKS: &[usize] = &[32 << 10, 512 << 10, 2 << 20];

/// `co_reduce_scatter` of `f64`.
pub const CO_REDUCE_SCATTER: Operation = Operation {
    name: "co_reduce_scatter",
    sizes: FEW_SIZES,
    prepare: |bytes, barrier| Trial {
        own: scattered_reduction(bytes, |values, mine| {
            co_reduce_scatter(values, mine, Add::add);
        }),
        bound: scattered_reduction_bound(bytes, barrier),
    },
};

fn scattered_reduction_bound(bytes: usize, barrier: &Rc<Barrier>) -> Vec<Part> {
    copied(
        bytes,
        passed(&Exchange::to_each(bytes), Taken::Added, barrier),
    )
}

/// As [`copied`], by the root.
fn roots_copied(bytes: usize, bound: Vec<Part>) -> Vec<Part> {
    copied(if is_root() { bytes } else { 0 }, bound)
}

/// A copy of so many bytes of one's own, written before and read after it, and the `bound` in turn, so that the caches hold both.
fn copied(bytes: usize, bound: Vec<Part>) -> Vec<Part> {
    let copied = |mut part: Part| {
        let mut source = vec![0.0; bytes / size_of::<f64>()];
        let mut target = source.clone();
        let both = move |times| {
            for time in 0..times {
                values::write(&mut source, time);
                target.copy_from_slice(&source);
                (part.action)(1);
                values::read(&target);
            }
        };
        Part::new(part.times, both)
    };
    bound.into_iter().map(copied).collect()
}

/// Collective. `gather` of `bytes` bytes from each image, ready to run; checked once. They come to this image
/// if `is_for_me`.
pub fn gathering(
    bytes: usize,
    is_for_me: bool,
    gather: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Action {
    gathering_of(vec![0.0; bytes / size_of::<f64>()], is_for_me, gather)
}

/// Collective. As [`gathering`], of what is in this memory.
fn gathering_of(
    mut values: impl DerefMut<Target = [f64]> + 'static,
    is_for_me: bool,
    gather: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Action {
    let length = values.len();
    values.fill(this_image() as f64);
    let mut gathered = vec![-1.0; if is_for_me { num_images() * length } else { 0 }];
    gather(&values, &mut gathered);
    assert!(
        holds(&gathered, length, |from| from as f64),
        "others' values did not arrive"
    );
    Box::new(move |times| {
        for time in 0..times {
            values::write(&mut values, time);
            gather(black_box(&values), black_box(&mut gathered));
            values::read(&gathered);
        }
    })
}

/// Collective. `scatter` of `bytes` bytes to each image, ready to run; checked once.
pub fn scattering(bytes: usize, scatter: impl Fn(&[f64], &mut [f64]) + 'static) -> Action {
    let blocks = if is_root() { num_images() } else { 0 };
    let parts = vec![0.0; blocks * bytes / size_of::<f64>()];
    scattering_of(parts, bytes, scatter)
}

/// Collective. As [`scattering`], of what the root has in this memory.
fn scattering_of(
    mut parts: impl DerefMut<Target = [f64]> + 'static,
    bytes: usize,
    scatter: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Action {
    let length = bytes / size_of::<f64>();
    let blocks = parts.len() / length;
    parts.copy_from_slice(&blocks_of(blocks, length, |to| to as f64));
    let mut mine = vec![-1.0; length];
    scatter(&parts, &mut mine);
    assert!(
        mine.iter().all(|&value| value == this_image() as f64),
        "the root's values did not arrive"
    );
    Box::new(move |times| {
        for time in 0..times {
            if is_root() {
                values::write(&mut parts, time);
            }
            scatter(black_box(&parts), black_box(&mut mine));
            values::read(&mine);
        }
    })
}

/// Collective. `exchange` of `bytes` bytes from each image to each, ready to run; checked once.
pub fn exchange(bytes: usize, exchange: impl Fn(&[f64], &mut [f64]) + 'static) -> Action {
    exchange_of(vec![0.0; num_images() * bytes / size_of::<f64>()], exchange)
}

/// Collective. As [`exchange`], of what is in this memory.
fn exchange_of(
    mut sent: impl DerefMut<Target = [f64]> + 'static,
    exchange: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Action {
    let (images, me) = (num_images(), this_image());
    let length = sent.len() / images;
    let told = |from: usize, to: usize| (from * images + to) as f64;
    sent.copy_from_slice(&blocks_of(images, length, |to| told(me, to)));
    let mut received = vec![-1.0; images * length];
    exchange(&sent, &mut received);
    assert!(
        holds(&received, length, |from| told(from, me)),
        "others' values did not arrive"
    );
    Box::new(move |times| {
        for time in 0..times {
            values::write(&mut sent, time);
            exchange(black_box(&sent), black_box(&mut received));
            values::read(&received);
        }
    })
}

/// Collective. `reduce` of a block of `bytes` bytes for each image, ready to run; checked once.
pub fn scattered_reduction(bytes: usize, reduce: impl Fn(&[f64], &mut [f64]) + 'static) -> Action {
    scattered_reduction_of(vec![0.0; num_images() * bytes / size_of::<f64>()], reduce)
}

/// Collective. As [`scattered_reduction`], of what is in this memory.
fn scattered_reduction_of(
    mut values: impl DerefMut<Target = [f64]> + 'static,
    reduce: impl Fn(&[f64], &mut [f64]) + 'static,
) -> Action {
    let (images, me) = (num_images(), this_image());
    let length = values.len() / images;
    values.copy_from_slice(&blocks_of(images, length, |to| ((me + 1) * to) as f64));
    let mut mine = vec![-1.0; length];
    reduce(&values, &mut mine);
    let expected = (images * (images + 1) / 2 * me) as f64;
    assert!(
        mine.iter().all(|&value| value == expected),
        "the sum for image {me} is not {expected}"
    );
    Box::new(move |times| {
        for time in 0..times {
            values::write(&mut values, time);
            reduce(black_box(&values), black_box(&mut mine));
            values::read(&mine);
        }
    })
}

fn blocks_of(blocks: usize, length: usize, value: impl Fn(usize) -> f64) -> Vec<f64> {
    let block = |number| std::iter::repeat_n(value(number), length);
    (0..blocks).flat_map(block).collect()
}

fn holds(values: &[f64], length: usize, value: impl Fn(usize) -> f64) -> bool {
    let mut blocks = values.chunks(length).enumerate();
    blocks.all(|(number, block)| block.iter().all(|&found| found == value(number)))
}
