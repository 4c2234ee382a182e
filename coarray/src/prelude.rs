//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    Coarray, Coatomic, CoatomicPlace, Comutex, ComutexPlace, Coptr, Coref, Ragged, Remote,
    co_broadcast, co_max, co_min, co_reduce, co_sum, critical, error_stop, image_fence, num_images,
    sync_all, this_image,
};
