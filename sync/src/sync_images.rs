//! The barrier of chosen images.
//!
//! Each pair of images has an eventcount in each direction: an image advances those of its partners, and then awaits its own.

use std::panic::Location;
use std::rc::Rc;

use coarray_runtime::{Activity, Cause, Image, ImageFailed, Interruption, Team, quiet_and_defer};

/// Collective, of this image and `images`. Waits for each of these, by their index in the current team, to call `sync_images`
/// with this one. What they wrote or put before is visible to this image afterwards.
///
/// The n-th call of this image that names image `i` matches the n-th call of image `i` that names this one. An image may name
/// itself, which has no effect. If one of the images fails before its matching call, the job ends with a report.
///
/// # Panics
/// If an image is named twice or does not exist; on a thread that is not an image.
///
/// # Examples
/// A pipeline in which each image waits for its left neighbour only:
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{num_images, this_image};
/// use coarray_sync::sync_images;
///
/// run(4, || {
///     if this_image() > 0 {
///         sync_images(&[this_image() - 1]);
///     }
///     // ... all images to the left have come here ...
///     if this_image() + 1 < num_images() {
///         sync_images(&[this_image() + 1]);
///     }
/// });
/// ```
///
/// # Source
/// Fortran 2018 `sync images`, clause 11.6.4.
#[track_caller]
pub fn sync_images(images: &[usize]) {
    let caller = Location::caller();
    if let Err(failed) = sync(images, caller) {
        Team::current().fail_because(&failed, &format!("sync_images at {caller}"));
    }
}

/// Collective, of this image and `images`. As [`sync_images`], but images that fail do not end the job.
///
/// # Errors
/// The images that failed before their matching call; this image has synchronised with the others. An image that fails in its
/// call may have synchronised with some of them already; these get the error in their next call with it, in which they also
/// wait for images that got the error before.
///
/// # Panics
/// As [`sync_images`].
///
/// # Examples
/// ```
/// use coarray_launch::run;
/// use coarray_runtime::{num_images, this_image};
/// use coarray_sync::try_sync_images;
///
/// run(2, || assert_eq!(try_sync_images(&[1 - this_image()]), Ok(())));
/// ```
///
/// # Source
/// Fortran 2018 `sync images` with `stat`, clause 11.6.4.
#[track_caller]
pub fn try_sync_images(images: &[usize]) -> Result<(), ImageFailed> {
    sync(images, Location::caller())
}

#[track_caller]
fn sync(images: &[usize], caller: &'static Location<'static>) -> Result<(), ImageFailed> {
    let team = Team::current();
    check(images, &team);
    let image = team.image();
    let _deferral = quiet_and_defer();
    let partners = || images.iter().filter(|&&index| index != team.index());
    for &index in partners() {
        image.advance_pair(team.members()[index] as usize, caller);
    }
    let mut missed = Vec::new();
    for &index in partners() {
        let number = team.members()[index] as usize;
        let waiting = PairWait {
            image,
            number,
            caller,
        };
        let (eventcount, target) = image.pair_with(number);
        match image.wait(eventcount, target, waiting) {
            Ok(()) => image.note_pair(number, caller),
            Err(Interruption::Failed | Interruption::TimedOut) => missed.push(index),
        }
    }
    missed.sort_unstable();
    match missed.is_empty() {
        true => Ok(()),
        false => Err(team.missed(missed)),
    }
}

#[track_caller]
fn check(images: &[usize], team: &Team) {
    for (position, &index) in images.iter().enumerate() {
        if index >= team.images() {
            team.no_such_image(index);
        }
        assert!(
            !images[..position].contains(&index),
            "sync_images names image {index} twice"
        );
    }
}

/// The cause of a wait in `sync_images`.
struct PairWait<'a> {
    image: &'a Rc<Image>,
    number: usize,
    caller: &'static Location<'static>,
}

impl Cause for PairWait<'_> {
    fn describe(&self) -> String {
        format!("is in sync_images at {}", self.caller)
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.number)
    }

    fn has_failed(&self) -> bool {
        self.image.is_out(self.number)
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Images, self.caller))
    }
}
