//! The error of an operation that needs images which have failed.

use std::fmt;

/// Images that an operation needs have failed or stopped, in a [fault-tolerant](crate::Settings::keep_going) job: they died or called
/// [`fail_image`](crate::fail_image), or they have come to the end of the program.
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
/// An image that stops is told apart:
/// ```
/// use coarray::collectives::try_co_sum_of;
/// use coarray::prelude::*;
///
/// let sums = coarray::Launch::new(3).keep_going(true).run(|| match this_image() {
///     2 => None, // comes to the end of the program
///     // coarray-check: allow, that is what the others are told.
///     me => try_co_sum_of(me).err().map(|failed| (failed.to_string(), failed.images, failed.stopped)),
/// });
/// let text = "image 2 has come to the end of the program".to_string();
/// assert_eq!(sums.unwrap()[1], Some((text, vec![], vec![2])));
/// ```
///
/// # Source
/// `STAT_FAILED_IMAGE` and `STAT_STOPPED_IMAGE`, Fortran 2018 clauses 16.10.2.28 and 16.10.2.31.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageFailed {
    /// The indices of those that have failed in the team of the operation, in increasing order.
    pub images: Vec<usize>,
    /// The indices of those that have come to the end of the program, in increasing order.
    pub stopped: Vec<usize>,
}

impl ImageFailed {
    /// Local. The error that these images have failed; indices in increasing order.
    #[must_use]
    pub fn new(images: Vec<usize>) -> Self {
        Self {
            images,
            stopped: Vec::new(),
        }
    }
}

impl fmt::Display for ImageFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends: Vec<String> = [
            (&self.images, "failed"),
            (&self.stopped, "come to the end of the program"),
        ]
        .into_iter()
        .filter(|(images, _)| !images.is_empty())
        .map(|(images, what)| have(images, what))
        .collect();
        match ends.is_empty() {
            true => formatter.write_str("no image has failed"),
            false => formatter.write_str(&ends.join(", and ")),
        }
    }
}

impl std::error::Error for ImageFailed {}

/// "image 3 has failed", "images 3 and 5 have failed".
fn have(images: &[usize], what: &str) -> String {
    let names: Vec<String> = images.iter().map(usize::to_string).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!("image {only} has {what}"),
        Some((last, others)) => format!("images {} and {last} have {what}", others.join(", ")),
    }
}
