//! What almost every coarray program uses: `use coarray::prelude::*;`.

pub use crate::{
    Coarray, Coatomic, CoatomicPlace, Cofuture, CofutureSet, Coptr, Coref, Ragged, Remote,
    async_scope, co_broadcast, co_max, co_min, co_reduce, co_sum, error_stop, fence, image_fence,
    num_images, quiet, sync_all, this_image,
};
