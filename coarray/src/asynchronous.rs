//! Operations that go on while the image computes: futures of gets, puts and collectives.
//!
//! [`Coref::get_async`](crate::Coref::get_async) and its relatives return a [`Cofuture`], [`CofutureSet`] waits for many of them,
//! and [`async_scope`] lets them borrow from the program. The `_async` forms of the [collectives](crate::collectives) return a
//! [`Cofuture`] as well: the other images can read an image's contribution from the call on, whatever it does next.
//!
//! # Examples
//! ```
//! use coarray::asynchronous::co_sum_async;
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let sum = co_sum_async(this_image());
//!     let own = this_image() * this_image(); // meanwhile
//!     assert_eq!((sum.wait(), own), (6, this_image() * this_image()));
//! });
//! ```

pub use coarray_collectives::{
    co_all_async, co_allgather_async, co_allgatherv_async, co_alltoall_async, co_alltoallv_async,
    co_any_async, co_broadcast_async, co_count_async, co_exscan_async, co_gather_async,
    co_gatherv_async, co_max_async, co_max_loc_async, co_max_loc_to_async, co_max_to_async,
    co_min_async, co_min_loc_async, co_min_loc_to_async, co_min_to_async, co_reduce_async,
    co_reduce_scatter_async, co_reduce_to_async, co_scan_async, co_scatter_async,
    co_scatterv_async, co_sum_async, co_sum_reproducible_async, co_sum_to_async,
    co_total_reproducible_async,
};
#[cfg(feature = "serde")]
pub use coarray_collectives::{
    co_allgather_values_async, co_broadcast_value_async, co_gather_values_async,
};
pub use coarray_coref::{AsyncScope, Cofuture, CofutureSet, async_scope};
