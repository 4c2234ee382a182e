//! Synchronisation of images, for `coarray`.
//!
//! * [`sync_all`] is the barrier of all images, [`image_fence`] completes this image's puts.
//! * [`Coatomic`] is a value that several images may change at any time; [`AsAtomic`] lends its operations to
//!   plain values of an open coarray.
//!
//! Programs name the crate `coarray` only.

mod as_atomic;
mod coatomic;
mod coatomic_place;
mod sync_all;

pub use as_atomic::AsAtomic;
pub use coatomic::{Bits, Coatomic, Number};
pub use coatomic_place::CoatomicPlace;
pub use sync_all::{image_fence, sync_all};
