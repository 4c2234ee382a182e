//! Nonblocking collectives: an image contributes at the call, goes on, and takes the result later.
//!
//! The other images can read a contribution from the call on, in a record of its own (`Team::post` of the runtime). So
//! nobody waits for an image that computes, and any number of collectives may be outstanding. The image that wants a result
//! reads the records that it needs and computes the result itself: a reduction combines the values of all images from image
//! 0 upwards; a long one of many images is combined once, by those who wait ([`shared`]).
//! Trees and rings need images that pass something on. `request.rs` has what all these operations share.

mod alltoall;
mod broadcast;
mod gather;
mod logical;
mod minmax_loc;
mod reduce;
mod reduce_to;
mod reproducible;
mod request;
mod scan;
mod scatter;
#[cfg(feature = "serde")]
mod serialised;
mod shared;
mod varying;

pub use alltoall::{co_alltoall_async, co_reduce_scatter_async};
pub use broadcast::co_broadcast_async;
pub use gather::{co_allgather_async, co_gather_async};
pub use logical::{co_all_async, co_any_async, co_count_async};
pub use minmax_loc::{
    co_max_loc_async, co_max_loc_to_async, co_min_loc_async, co_min_loc_to_async,
};
pub use reduce::{co_max_async, co_min_async, co_reduce_async, co_sum_async};
pub use reduce_to::{co_max_to_async, co_min_to_async, co_reduce_to_async, co_sum_to_async};
pub use reproducible::{co_sum_reproducible_async, co_total_reproducible_async};
pub use scan::{co_exscan_async, co_scan_async};
pub use scatter::co_scatter_async;
#[cfg(feature = "serde")]
pub use serialised::{co_allgather_values_async, co_broadcast_value_async, co_gather_values_async};
pub use varying::{co_allgatherv_async, co_alltoallv_async, co_gatherv_async, co_scatterv_async};
