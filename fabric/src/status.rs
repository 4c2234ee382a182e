//! Which images have failed or stopped.

use std::fmt;

use crate::control::Stage;
use crate::team::Team;

/// Images failed that an operation needs: they died, or called [`fail_image`](crate::fail_image), in a job that
/// [keeps going](crate::Launch::keep_going).
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// let survivors = coarray::Launch::new(4).keep_going(true).run(|| {
///     if this_image() % 2 == 1 {
///         coarray::fail_image();
///     }
///     let failed: ImageFailed = coarray::try_sync_all().unwrap_err();
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
    /// Local. These images have failed, by their indices in increasing order.
    #[must_use]
    pub fn new(images: Vec<usize>) -> Self {
        Self { images }
    }

    /// Local. The images of a team that have failed, as far as is known now.
    #[must_use]
    pub fn of(team: &Team) -> Self {
        Self::new(team.failed_images())
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

/// How an image is.
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
    /// It ended before its time.
    Failed,
}

/// Local. How the image of the current team with index `image` is, as far as is known now.
///
/// # Panics
/// If there is no such image; on a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_fabric::{ImageStatus, image_status, run, this_image};
///
/// run(2, || assert_eq!(image_status(this_image()), ImageStatus::Active));
/// ```
///
/// # Source
/// `IMAGE_STATUS`, Fortran 2018 clause 16.9.98.
#[must_use]
#[track_caller]
pub fn image_status(image: usize) -> ImageStatus {
    let team = Team::current();
    assert!(
        image < team.images(),
        "there is no image {image}: the images are numbered 0 to {}",
        team.images() - 1
    );
    team.status(image)
}

/// Local. The images of the current team that have failed, as far as is known now, in increasing order.
///
/// An image that is killed is known to have failed within milliseconds. Once an operation returned
/// [`ImageFailed`], its images are among these.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_fabric::{Launch, fail_image, failed_images, this_image};
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
    Team::current().failed_images()
}

/// Local. The images of the current team that have come to the end of the program, as far as is known now, in
/// increasing order.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// ```
/// use coarray_fabric::{run, stopped_images, this_image};
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
    (0..team.images())
        .filter(|&image| team.status(image) == ImageStatus::Stopped)
        .collect()
}

impl Team {
    fn status(&self, index: usize) -> ImageStatus {
        // Images of other nodes tell it in messages, which a program that asks in a loop must not wait for in vain.
        self.image().poll();
        let number = self.members()[index] as usize;
        match self.image().control(number).stage() {
            Stage::Absent | Stage::Running => ImageStatus::Active,
            Stage::Stopped | Stage::Finished => ImageStatus::Stopped,
            Stage::Failed => ImageStatus::Failed,
        }
    }
}
