//! Collective operations on values, for `coarray`.
//!
//! [`co_broadcast`], [`co_sum`], [`co_min`], [`co_max`] and [`co_reduce`] work element by element on
//! [`Values`](coarray_coref::Values): numbers, arrays, slices, vectors and closed coarrays. Every image gets the result. No image
//! leaves before all have entered, but nothing else is synchronised.
//!
//! Programs name the crate `coarray` only.

mod broadcast;
mod exchange;
mod reduce;

pub use broadcast::co_broadcast;
pub use reduce::{co_max, co_min, co_reduce, co_sum};
