//! Notification of another image, alone or together with data.
//!
//! A [`Coevent`] counts posts, and its image waits for them. [`PutNotify`] puts values and posts when they have arrived, [`PutNotifyAsync`]
//! does so while this image goes on.
//!
//! # Examples
//! ```
//! use coarray::prelude::*;
//!
//! coarray::run(2, || {
//!     let full = Coarray::new(Coevent::new());
//!     let mut inbox = Coarray::new(0);
//!     let inbox = inbox.open();
//!     if this_image() == 0 {
//!         inbox.at(1).put_notify(42, full.at(1));
//!     } else {
//!         full.wait();
//!         assert_eq!(inbox.here().get(), 42);
//!     }
//! });
//! ```

pub use coarray_sync::{Coevent, CoeventPlace, Coevents, PutNotify, PutNotifyAsync};
