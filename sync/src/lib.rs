//! Synchronisation of images, for `coarray`.
//!
//! * [`sync_all`] is the barrier of all images, [`image_fence`] and [`quiet`] complete this image's
//!   operations, [`fence`] orders its puts to one image.
//! * [`Coatomic`] is a number that several images may change at any time.
//!
//! Programs name the crate `coarray` only.

mod coatomic;
mod fence;
mod sync_all;

pub use coatomic::{Coatomic, CoatomicPlace, Number};
pub use fence::{fence, quiet};
pub use sync_all::{image_fence, sync_all};
