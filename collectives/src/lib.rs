//! Collective operations on values, for `coarray`.
//!
//! [`co_broadcast`], [`co_sum`], [`co_min`], [`co_max`] and [`co_reduce`] work element by element on
//! [`Values`](coarray_coref::Values): numbers, arrays, slices, vectors and closed coarrays. Every image gets the result. No image
//! leaves before all have entered, but nothing else is synchronised. The `try_` forms return an error when images
//! have failed; the others end the job.
//!
//! The forms with `_async` return a [`Cofuture`](coarray_coref::Cofuture) at once, and the image goes on. What it
//! contributes is there for the others from the call on, whatever it does next.
//!
//! Programs name the crate `coarray` only.

mod asynchronous;
mod broadcast;
mod exchange;
mod reduce;

pub use asynchronous::{
    co_all_async, co_allgather_async, co_allgatherv_async, co_alltoall_async, co_alltoallv_async,
    co_any_async, co_broadcast_async, co_count_async, co_exscan_async, co_gather_async,
    co_gatherv_async, co_max_async, co_max_to_async, co_min_async, co_min_to_async,
    co_reduce_async, co_reduce_scatter_async, co_reduce_to_async, co_scan_async, co_scatter_async,
    co_scatterv_async, co_sum_async, co_sum_to_async,
};
pub use broadcast::{co_broadcast, try_co_broadcast};
pub use reduce::{
    co_max, co_min, co_reduce, co_sum, try_co_max, try_co_min, try_co_reduce, try_co_sum,
};
