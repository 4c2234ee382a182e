//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    AsAtomic, Coarray, Coatomic, CoatomicPlace, Coevent, CoeventPlace, Cofuture, CofutureSet,
    Comutex, ComutexPlace, Coptr, Coref, ImageFailed, PutNotify, Ragged, Remote, Team, async_scope,
    co_broadcast, co_max, co_min, co_reduce, co_sum, co_sum_reproducible, co_total_reproducible,
    critical, error_stop, fence, image_fence, num_images, quiet, sync_all, sync_images, sync_team,
    this_image,
};
