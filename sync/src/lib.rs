//! Synchronisation of images, for `coarray`.
//!
//! * [`sync_all`] is the barrier of all images, [`image_fence`] completes this image's puts.
//! * [`Coatomic`] is a number that several images may change at any time.
//! * [`Comutex`] is a value that one image at a time uses, [`critical`] code that one image at a time executes.
//!
//! Programs name the crate `coarray` only.

mod coatomic;
mod comutex;
mod comutex_guard;
mod critical;
mod sync_all;

pub use coatomic::{Coatomic, CoatomicPlace, Number};
pub use comutex::{Comutex, ComutexPlace};
pub use comutex_guard::ComutexGuard;
pub use critical::critical;
pub use sync_all::{image_fence, sync_all};
