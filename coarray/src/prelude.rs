//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    AsAtomic, Coarray, Coatomic, CoatomicPlace, Coptr, Coref, Ragged, Remote, co_broadcast, co_max,
    co_min, co_reduce, co_sum, error_stop, image_fence, num_images, sync_all, this_image,
};
