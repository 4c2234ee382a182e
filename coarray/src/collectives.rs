//! Values of all images, combined or moved: sums, reductions, broadcasts, gathering and scattering.
//!
//! They take numbers, arrays, slices, vectors, arrays and views of `ndarray` in standard layout, and closed coarrays, and concern
//! the images of the current [`Team`](crate::Team). All images call the same one, in the same order, and no image leaves before
//! all have entered whose values it gets; nothing else is synchronised. The `try_` forms return an error when images have failed; the others end the
//! job. Every collective of values that travel also has an [asynchronous](crate::asynchronous) form.
//!
//! | to | use |
//! |---|---|
//! | combine values | [`co_sum`], [`co_min`], [`co_max`], [`co_reduce`]; for one image: [`co_sum_to`] and the other `_to` forms |
//! | get the result of a value, which stays as it is | [`co_sum_of`], [`co_min_of`], [`co_max_of`], [`co_reduce_of`], [`co_broadcast_of`], and the other `_of` forms |
//! | find where the extremes are | [`co_min_loc`], [`co_max_loc`] |
//! | ask all images | [`co_all`], [`co_any`], [`co_count`] |
//! | move values | [`co_broadcast`], [`co_gather`], [`co_allgather`], [`co_scatter`], [`co_alltoall`]; the forms with `v` are for unequal lengths, [`co_alltoallv_into`] from one run into another |
//! | move a value of any type that `serde` knows | with the feature `serde`: `co_broadcast_value`, `co_gather_values`, `co_allgather_values`; also with `_async` |
//! | combine those of the images before | [`co_scan`], [`co_exscan`] |
//! | combine and divide | [`co_reduce_scatter`] |
//! | get the same sums from any number of images | [`co_sum_reproducible`], [`co_total_reproducible`] |
//! | choose the algorithm | of one call: [`Collective`]; of all: a [tuning table](Algorithm#the-tuning-table) |
//!
//! # Examples
//! ```
//! use coarray::collectives::{co_all, co_scan};
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let mut cells = 10 * (this_image() + 1);
//!     co_scan(&mut cells, |a, b| a + b); // how many cells the images up to this one have
//!     assert_eq!(cells, [10, 30, 60, 100][this_image()]);
//!     assert!(co_all(cells <= 100));
//! });
//! ```

pub use coarray_collectives::{
    Addend, Algorithm, Barrier, Collective, Kind, Summand, co_all, co_allgather, co_allgatherv,
    co_alltoall, co_alltoallv, co_alltoallv_into, co_any, co_broadcast, co_broadcast_of, co_count,
    co_exscan, co_exscan_of, co_gather, co_gatherv, co_max, co_max_loc, co_max_loc_of,
    co_max_loc_to, co_max_of, co_max_to, co_min, co_min_loc, co_min_loc_of, co_min_loc_to,
    co_min_of, co_min_to, co_reduce, co_reduce_of, co_reduce_scatter, co_reduce_to, co_scan,
    co_scan_of, co_scatter, co_scatterv, co_sum, co_sum_of, co_sum_reproducible, co_sum_to,
    co_total_reproducible, try_co_all, try_co_allgather, try_co_allgatherv, try_co_alltoall,
    try_co_alltoallv, try_co_alltoallv_into, try_co_any, try_co_broadcast, try_co_broadcast_of,
    try_co_count, try_co_exscan, try_co_exscan_of, try_co_gather, try_co_gatherv, try_co_max,
    try_co_max_loc, try_co_max_loc_of, try_co_max_loc_to, try_co_max_of, try_co_max_to, try_co_min,
    try_co_min_loc, try_co_min_loc_of, try_co_min_loc_to, try_co_min_of, try_co_min_to,
    try_co_reduce, try_co_reduce_of, try_co_reduce_scatter, try_co_reduce_to, try_co_scan,
    try_co_scan_of, try_co_scatter, try_co_scatterv, try_co_sum, try_co_sum_of,
    try_co_sum_reproducible, try_co_sum_to, try_co_total_reproducible,
};
#[cfg(feature = "serde")]
pub use coarray_collectives::{
    co_allgather_values, co_broadcast_value, co_gather_values, try_co_allgather_values,
    try_co_broadcast_value, try_co_gather_values,
};
