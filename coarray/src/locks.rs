//! One image at a time: mutexes with the values that they guard, and critical sections.
//!
//! # Examples
//! ```
//! use coarray::locks::critical;
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let account = Coarray::new(Comutex::new(0));
//!     account.at(0).lock().update(|balance| *balance += 1);
//!     sync_all();
//!     assert_eq!(account.at(0).lock().get(), 4);
//!     critical(|| println!("image {} is alone here", this_image()));
//! });
//! ```

pub use coarray_runtime::LockError;
pub use coarray_sync::{Comutex, ComutexGuard, ComutexPlace, critical, try_critical};
