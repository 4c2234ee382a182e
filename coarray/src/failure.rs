//! Images that fail, and how the others notice and go on.
//!
//! A job that [keeps going](crate::launch_keeping_going) survives the loss of images. The forms of barriers and
//! [collectives](crate::collectives) whose names begin with `try_` return [`ImageFailed`] then, and
//! [`Team::form_survivors`](crate::Team::form_survivors) makes a team of those that are left.
//!
//! # Examples
//! ```
//! use coarray::failure::{fail_image, failed_images, try_sync_all};
//! use coarray::prelude::*;
//!
//! let failed = coarray::Launch::new(3).keep_going(true).run(|| {
//!     if this_image() == 1 {
//!         fail_image();
//!     }
//!     assert!(try_sync_all().is_err());
//!     failed_images()
//! });
//! assert_eq!(failed.unwrap(), [[1], [1]]);
//! ```

pub use coarray_runtime::{
    Failure, ImageFailed, ImageStatus, fail_image, failed_images, image_status, stopped_images,
};
pub use coarray_sync::{try_sync_all, try_sync_images, try_sync_team};
