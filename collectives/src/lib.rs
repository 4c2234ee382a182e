//! Collective operations on values, for `coarray`.
//!
//! The images of the current team call them on [`Values`](coarray_coref::Values): numbers, arrays, slices, vectors and closed
//! coarrays. No image leaves a collective before all have entered whose values it gets, but nothing else is synchronised. The
//! `try_` forms return an error when images have failed; the others end the job. [`Collective`] chooses the algorithm of a single
//! call.
//!
//! The forms with `_async` return a [`Cofuture`](coarray_coref::Cofuture) at once, and the image goes on. The others can read
//! its contribution from the call on, whatever it does next.
//!
//! # Inside
//! Each blocking operation has a file, and a folder with a file for each way to carry it out. [`schedule`] says who passes what to whom in
//! trees, rings and the like, and `epoch/execute.rs` carries that out; `epoch.rs` passes data between images, and `epoch/in_place.rs` lends
//! long values that are moved, and that all images reach where they are. `tuning.rs` chooses the algorithm, and `collective.rs` makes the public functions.
//!
//! Programs name the crate `coarray` only.

mod allgather;
mod alltoall;
mod asynchronous;
mod blocks;
mod broadcast;
mod by_fabric;
mod by_value;
mod collective;
mod combine;
mod eager;
mod epoch;
mod exact_sum;
mod gather;
mod logical;
mod minmax;
mod minmax_loc;
mod operator;
mod part;
mod reduce;
mod reduce_scatter;
mod reproducible;
mod scan;
mod scatter;
pub mod schedule;
#[cfg(feature = "serde")]
mod serialised;
mod sum;
mod traffic;
mod tuning;

pub use allgather::{co_allgather, co_allgatherv, try_co_allgather, try_co_allgatherv};
pub use alltoall::{
    co_alltoall, co_alltoallv, co_alltoallv_into, try_co_alltoall, try_co_alltoallv,
    try_co_alltoallv_into,
};
pub use asynchronous::{
    co_all_async, co_allgather_async, co_allgatherv_async, co_alltoall_async, co_alltoallv_async,
    co_any_async, co_broadcast_async, co_count_async, co_exscan_async, co_gather_async,
    co_gatherv_async, co_max_async, co_max_loc_async, co_max_loc_to_async, co_max_to_async,
    co_min_async, co_min_loc_async, co_min_loc_to_async, co_min_to_async, co_reduce_async,
    co_reduce_scatter_async, co_reduce_to_async, co_scan_async, co_scatter_async,
    co_scatterv_async, co_sum_async, co_sum_reproducible_async, co_sum_to_async,
    co_total_reproducible_async,
};
#[cfg(feature = "serde")]
pub use asynchronous::{
    co_allgather_values_async, co_broadcast_value_async, co_gather_values_async,
};
pub use broadcast::{co_broadcast, try_co_broadcast};
pub use by_value::{
    co_broadcast_of, co_exscan_of, co_max_loc_of, co_max_of, co_min_loc_of, co_min_of,
    co_reduce_of, co_scan_of, co_sum_of, try_co_broadcast_of, try_co_exscan_of, try_co_max_loc_of,
    try_co_max_of, try_co_min_loc_of, try_co_min_of, try_co_reduce_of, try_co_scan_of,
    try_co_sum_of,
};
pub use coarray_runtime::{Barrier, Rule};
pub use collective::Collective;
pub use combine::{co_reduce, co_reduce_to, try_co_reduce, try_co_reduce_to};
pub use exact_sum::Addend;
pub use gather::{co_gather, co_gatherv, try_co_gather, try_co_gatherv};
pub use logical::{co_all, co_any, co_count, try_co_all, try_co_any, try_co_count};
pub use minmax::{
    co_max, co_max_to, co_min, co_min_to, try_co_max, try_co_max_to, try_co_min, try_co_min_to,
};
pub use minmax_loc::{
    co_max_loc, co_max_loc_to, co_min_loc, co_min_loc_to, try_co_max_loc, try_co_max_loc_to,
    try_co_min_loc, try_co_min_loc_to,
};
pub use reduce_scatter::{co_reduce_scatter, try_co_reduce_scatter};
pub use reproducible::{
    co_sum_reproducible, co_total_reproducible, try_co_sum_reproducible, try_co_total_reproducible,
};
pub use scan::{co_exscan, co_scan, try_co_exscan, try_co_scan};
pub use scatter::{co_scatter, co_scatterv, try_co_scatter, try_co_scatterv};
#[cfg(feature = "serde")]
pub use serialised::{
    co_allgather_values, co_broadcast_value, co_gather_values, try_co_allgather_values,
    try_co_broadcast_value, try_co_gather_values,
};
pub use sum::{Summand, co_sum, co_sum_to, try_co_sum, try_co_sum_to};
pub use traffic::{Message, record_messages};
pub use tuning::{Algorithm, Kind, TUNING, TuningError, TuningTable};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
