//! Collective operations on values, for `coarray`.
//!
//! [`co_broadcast`], [`co_sum`], [`co_min`], [`co_max`] and [`co_reduce`] work element by element on
//! [`Values`](coarray_coref::Values): numbers, arrays, slices, vectors and closed coarrays. Every image gets the result. No image
//! leaves before all have entered, but nothing else is synchronised. The `try_` forms return an error when images
//! have failed; the others end the job.
//!
//! Programs name the crate `coarray` only.

mod broadcast;
mod exact_sum;
mod exchange;
mod reduce;
mod reproducible;

pub use broadcast::{co_broadcast, try_co_broadcast};
pub use exact_sum::Addend;
pub use reduce::{
    co_max, co_min, co_reduce, co_sum, try_co_max, try_co_min, try_co_reduce, try_co_sum,
};
pub use reproducible::{
    co_sum_reproducible, co_total_reproducible, try_co_sum_reproducible, try_co_total_reproducible,
};
