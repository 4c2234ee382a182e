//! Synchronisation of images, for `coarray`.
//!
//! * [`sync_all`] is the barrier of the current team, [`sync_images`] that of chosen images, [`sync_team`] that
//!   of any team; [`image_fence`] and [`quiet`] complete this image's operations, [`fence`] orders its puts to
//!   one image.
//! * [`Team`] lets some images work together as if they were all.
//! * [`Coevent`] counts posts of other images, and its own image waits for them.
//! * [`Coatomic`] is a value that several images may change at any time; [`AsAtomic`] lends its operations to
//!   plain values of an open coarray.
//! * [`Comutex`] is a value that one image at a time uses, [`critical`] code that one image at a time executes.
//!
//! Programs name the crate `coarray` only.

mod as_atomic;
mod coatomic;
mod coatomic_async;
mod coatomic_late;
mod coatomic_list;
mod coatomic_place;
mod coatomic_slice;
mod coevent;
mod coevent_place;
mod comutex;
mod comutex_guard;
mod comutex_place;
mod comutex_site;
mod critical;
mod fence;
mod form_team;
mod put_notify_async;
mod sync_all;
mod sync_images;
mod sync_team;
mod team;

pub use as_atomic::AsAtomic;
pub use coatomic::{Bits, Coatomic, Number};
pub use coatomic_async::AsyncCoatomicPlace;
pub use coatomic_list::CoatomicList;
pub use coatomic_place::CoatomicPlace;
pub use coatomic_slice::CoatomicSlice;
pub use coevent::{Coevent, Coevents};
pub use coevent_place::{CoeventPlace, PutNotify};
pub use comutex::Comutex;
pub use comutex_guard::ComutexGuard;
pub use comutex_place::ComutexPlace;
pub use critical::{critical, try_critical};
#[doc(hidden)]
pub use fence::fence_number;
pub use fence::{fence, quiet};
pub use put_notify_async::{PutNotifyAsync, announce_alone};
pub use sync_all::{image_fence, sync_all, try_sync_all};
pub use sync_images::{sync_images, try_sync_images};
pub use sync_team::{sync_team, try_sync_team};
pub use team::{Team, team_number};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
