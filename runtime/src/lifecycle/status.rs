//! Which images have failed or stopped.

use std::panic::Location;

use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;

impl ImageFailed {
    /// Local. The images of the team that have failed, as far as is known.
    #[must_use]
    pub fn of(team: &Team) -> Self {
        Self::new(team.failed_images())
    }
}

/// The status of an image.
///
/// # Examples
/// See [`image_status`].
///
/// # Source
/// `IMAGE_STATUS`, Fortran 2018 clause 16.9.98.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageStatus {
    /// It executes the program.
    Active,
    /// It has come to the end of the program.
    Stopped,
    /// It has failed.
    Failed,
}

/// Local. The status of the image with index `index` of the current team, as far as is known.
///
/// # Panics
/// If there is no such image; on a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{ImageStatus, image_status, this_image};
///
/// run(2, || assert_eq!(image_status(this_image()), ImageStatus::Active));
/// ```
///
/// # Source
/// `IMAGE_STATUS`, Fortran 2018 clause 16.9.98.
#[must_use]
#[track_caller]
pub fn image_status(image: usize) -> ImageStatus {
    Team::current().image_status(image)
}

/// Local. The images of the current team that have failed, as far as is known, in increasing order.
///
/// That an image was killed is known within milliseconds. Once an operation returned [`ImageFailed`], its images are
/// among these.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::Launch;
/// use coarray_runtime::{fail_image, failed_images, this_image};
///
/// let survivors = Launch::new(3).keep_going(true).run(|| {
///     if this_image() == 1 {
///         fail_image();
///     }
///     while failed_images().is_empty() {
///         std::thread::yield_now();
///     }
///     failed_images()
/// });
/// assert_eq!(survivors.unwrap(), [[1], [1]]);
/// ```
///
/// # Source
/// `FAILED_IMAGES`, Fortran 2018 clause 16.9.77.
#[must_use]
#[track_caller]
pub fn failed_images() -> Vec<usize> {
    let team = Team::current();
    let (image, look) = (team.image(), || team.failed_images());
    image.look_at_others(Location::caller(), look, |failed| !failed.is_empty())
}

/// Local. The images of the current team that have come to the end of the program, as far as is known, in increasing
/// order.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{stopped_images, this_image};
///
/// run(2, || {
///     if this_image() == 0 {
///         while stopped_images() != [1] {
///             std::thread::yield_now();
///         }
///     }
/// });
/// ```
///
/// # Source
/// `STOPPED_IMAGES`, Fortran 2018 clause 16.9.183.
#[must_use]
#[track_caller]
pub fn stopped_images() -> Vec<usize> {
    let team = Team::current();
    let (image, look) = (team.image(), || team.stopped_images());
    image.look_at_others(Location::caller(), look, |stopped| !stopped.is_empty())
}

impl Team {
    /// The status of the image with this index.
    ///
    /// # Panics
    /// If there is no such image.
    #[must_use]
    #[track_caller]
    pub fn image_status(&self, index: usize) -> ImageStatus {
        if index >= self.images() {
            self.no_such_image(index);
        }
        let is_gone = |&status: &ImageStatus| status != ImageStatus::Active;
        let look = || self.status_of(index);
        (self.image()).look_at_others(Location::caller(), look, is_gone)
    }

    fn status_of(&self, index: usize) -> ImageStatus {
        // Images of other nodes tell it by messages, which a program that asks in a loop must see in the end.
        self.image().poll();
        if self.is_failed(index) {
            ImageStatus::Failed
        } else if self.has_stopped(index) {
            ImageStatus::Stopped
        } else {
            ImageStatus::Active
        }
    }

    /// The images of the team that have come to the end of the program, by index.
    #[must_use]
    pub fn stopped_images(&self) -> Vec<usize> {
        (0..self.images())
            .filter(|&index| self.status_of(index) == ImageStatus::Stopped)
            .collect()
    }
}
