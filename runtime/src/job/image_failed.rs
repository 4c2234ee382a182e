//! The error of an operation that needs images which have failed.

use std::fmt;

/// Images that an operation needs have failed: they died, or called [`fail_image`](crate::fail_image), in a
/// [fault-tolerant](crate::Settings::keep_going) job.
///
/// # Examples
/// ```
/// use coarray::failure::{ImageFailed, fail_image, try_sync_all};
/// use coarray::prelude::*;
///
/// let survivors = coarray::Launch::new(4).keep_going(true).run(|| {
///     if this_image() % 2 == 1 {
///         fail_image();
///     }
///     let failed: ImageFailed = try_sync_all().unwrap_err();
///     (failed.to_string(), failed.images)
/// });
/// assert_eq!(survivors.unwrap()[0], ("images 1 and 3 have failed".into(), vec![1, 3]));
/// ```
///
/// # Source
/// `STAT_FAILED_IMAGE`, Fortran 2018 clause 16.10.2.28.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageFailed {
    /// Their indices in the team of the operation, in increasing order.
    pub images: Vec<usize>,
}

impl ImageFailed {
    /// Local. The error that these images have failed; indices in increasing order.
    #[must_use]
    pub fn new(images: Vec<usize>) -> Self {
        Self { images }
    }
}

impl fmt::Display for ImageFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&have_failed(&self.images))
    }
}

impl std::error::Error for ImageFailed {}

/// "image 3 has failed", "images 3 and 5 have failed".
pub(crate) fn have_failed(images: &[usize]) -> String {
    let names: Vec<String> = images.iter().map(usize::to_string).collect();
    match names.split_last() {
        None => "no image has failed".into(),
        Some((only, [])) => format!("image {only} has failed"),
        Some((last, others)) => format!("images {} and {last} have failed", others.join(", ")),
    }
}
