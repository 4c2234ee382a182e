//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    Algorithm, AsAtomic, Coarray, Coatomic, CoatomicPlace, Coevent, CoeventPlace, Cofuture,
    CofutureSet, Collective, Comutex, ComutexPlace, Coptr, Coref, ImageFailed, PutNotify, Ragged,
    Remote, Team, async_scope, co_all, co_allgather, co_allgatherv, co_alltoall, co_alltoallv,
    co_any, co_broadcast, co_count, co_exscan, co_gather, co_gatherv, co_max, co_max_to, co_min,
    co_min_to, co_reduce, co_reduce_scatter, co_reduce_to, co_scan, co_scatter, co_scatterv,
    co_sum, co_sum_reproducible, co_sum_to, co_total_reproducible, critical, error_stop, fence,
    image_fence, num_images, quiet, sync_all, sync_images, sync_team, this_image,
};
