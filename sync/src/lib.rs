//! Synchronisation of images, for `coarray`.
//!
//! * [`sync_all`] is the barrier of all images, [`image_fence`] completes this image's puts.
//! * [`Coatomic`] is a number that several images may change at any time.
//!
//! Programs name the crate `coarray` only.

mod coatomic;
mod sync_all;

pub use coatomic::{Coatomic, CoatomicPlace, Number};
pub use sync_all::{image_fence, sync_all};
