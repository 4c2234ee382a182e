//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    Algorithm, AsAtomic, Blocks, Coarray, Coatomic, CoatomicPlace, Coevent, CoeventPlace, Cofuture,
    CofutureSet, Collective, Comutex, ComutexPlace, Coptr, Coref, Halo, HaloArray, ImageFailed,
    ImageGrid, PutNotify, Ragged, Remote, Team, async_scope, co_all, co_all_async, co_allgather,
    co_allgather_async, co_allgatherv, co_allgatherv_async, co_alltoall, co_alltoall_async,
    co_alltoallv, co_alltoallv_async, co_any, co_any_async, co_broadcast, co_broadcast_async,
    co_count, co_count_async, co_exscan, co_exscan_async, co_gather, co_gather_async, co_gatherv,
    co_gatherv_async, co_max, co_max_async, co_max_to, co_max_to_async, co_min, co_min_async,
    co_min_to, co_min_to_async, co_reduce, co_reduce_async, co_reduce_scatter,
    co_reduce_scatter_async, co_reduce_to, co_reduce_to_async, co_scan, co_scan_async, co_scatter,
    co_scatter_async, co_scatterv, co_scatterv_async, co_sum, co_sum_async, co_sum_reproducible,
    co_sum_reproducible_async, co_sum_to, co_sum_to_async, co_total_reproducible,
    co_total_reproducible_async, critical, error_stop, fence, image_fence, num_images, quiet,
    sync_all, sync_images, sync_team, this_image,
};
