//! The items that almost every coarray program uses: `use coarray::prelude::*;`.
//!
//! All others are in modules: `use coarray::collectives::co_scan;`.

pub use crate::atomics::{
    AsAtomic, AsyncCoatomicPlace, Coatomic, CoatomicList, CoatomicPlace, CoatomicSlice,
};
pub use crate::collectives::{
    co_allgather, co_broadcast, co_broadcast_of, co_max, co_max_of, co_min, co_min_of, co_reduce,
    co_reduce_of, co_sum, co_sum_of,
};
pub use crate::events::{Coevent, CoeventPlace, PutNotify, PutNotifyAsync};
pub use crate::locks::{Comutex, ComutexPlace};
pub use crate::places::{GlobalIndices, Openable, Parts, Publishable, Selector};
pub use crate::{
    Bounded, Coarray, Coptr, Coref, NdCoarray, Open, Ragged, RaggedRows, Remote, Team, error_stop,
    fence, field, num_images, open, quiet, sync_all, sync_images, this_image,
};
