//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    AsAtomic, Coarray, Coatomic, CoatomicPlace, Coevent, CoeventPlace, Comutex, ComutexPlace,
    Coptr, Coref, ImageFailed, PutNotify, Ragged, Remote, Team, co_broadcast, co_max, co_min,
    co_reduce, co_sum, critical, error_stop, image_fence, num_images, sync_all, sync_images,
    sync_team, this_image,
};
