//! Help for tests: programs at several image counts, and a record of the messages between images.

use std::fmt::Debug;
use std::process::{ExitCode, Termination};

pub use coarray_collectives::{Message, record_messages};
use coarray_coref::{Remote, Values};
use coarray_launch::run;
pub use coarray_launch::{Explore, explore};

/// Local. Runs a test body at each of these image counts. This is what `#[coarray::test]` calls.
///
/// # Panics
/// If an image panics, fails, or returns a failure; the message names the count.
///
/// # Examples
/// A table of counts that several tests share, without the attribute:
/// ```
/// use coarray::prelude::*;
/// use coarray::testing::run_at;
///
/// run_at(&[1, 2, 5], || {
///     let mut sum = 1;
///     co_sum(&mut sum);
///     assert_eq!(sum, num_images());
/// });
/// ```
///
/// # Source
/// Its own.
#[track_caller]
pub fn run_at<R: Termination>(counts: &[usize], body: fn() -> R) {
    run_each(counts, crate::Launch::new, body);
}

/// Local. As [`run_at`], and each run is [checked for races](crate::Launch::check). This is what `#[coarray::test(images = .., check)]` calls.
///
/// # Panics
/// As [`run_at`]; if images race.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::testing::check_at;
///
/// check_at(&[2, 3], || {
///     let mut x = Coarray::new(0);
///     let x = x.open();
///     let right = (this_image() + 1) % num_images();
///     x.at(right).put(1);
///     sync_all(); // without it the test would fail
///     assert_eq!(x.here().get(), 1);
/// });
/// ```
///
/// # Source
/// Its own.
#[track_caller]
pub fn check_at<R: Termination>(counts: &[usize], body: fn() -> R) {
    run_each(
        counts,
        |images| crate::Launch::new(images).check(true),
        body,
    );
}

/// Local. Runs a test body in so many [schedules](explore) at each of these image counts. This is what `#[coarray::test(images = .., schedules = ..)]`
/// calls.
///
/// # Panics
/// As [`Explore::run`]; if the body returns a failure.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::testing::explore_at;
///
/// explore_at(&[2, 3], 20, || {
///     let arrived = Coarray::new(Coevent::new());
///     arrived.at((this_image() + 1) % num_images()).post();
///     arrived.wait();
/// });
/// ```
///
/// # Source
/// As [`Explore`].
#[track_caller]
pub fn explore_at<R: Termination>(counts: &[usize], schedules: u32, body: fn() -> R) {
    for &images in counts {
        explore(images, schedules, || {
            assert!(
                body().report() == ExitCode::SUCCESS,
                "the test returned an error"
            );
        });
    }
}

#[track_caller]
fn run_each<R: Termination>(counts: &[usize], launch: fn(usize) -> crate::Launch, body: fn() -> R) {
    for &images in counts {
        let outcome = launch(images).run(|| {
            assert!(
                body().report() == ExitCode::SUCCESS,
                "the test returned an error"
            );
        });
        if let Err(failure) = outcome {
            panic!("with {images} images: {failure}");
        }
    }
}

/// Local. Runs `body` at each of these image counts, checks that image 0 returns the same bits each time, and returns its
/// value.
///
/// A result is the same for any number of images if it is gathered, reduced in a reproducible way, or
/// computed in the same way on every image.
///
/// # Panics
/// If the bits differ, with both values; or if an image fails.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::testing::same_on;
///
/// let largest = same_on([1, 2, 5], || {
///     let mut x = if this_image() == 0 { 99 } else { this_image() };
///     co_max(&mut x);
///     x
/// });
/// assert_eq!(largest, 99);
/// ```
///
/// # Source
/// Its own.
#[track_caller]
pub fn same_on<R, F>(counts: impl IntoIterator<Item = usize>, body: F) -> R
where
    R: Values + Debug + Send,
    F: Fn() -> R + Sync,
{
    let mut first: Option<(usize, R)> = None;
    for images in counts {
        let result = run(images, &body).swap_remove(0);
        match &first {
            None => first = Some((images, result)),
            Some((fewer, expected)) => assert!(
                bits(&result) == bits(expected),
                "the result depends on the number of images:\n{fewer} images: {expected:?}\n{images} images: {result:?}"
            ),
        }
    }
    first.expect("same_on needs at least one image count").1
}

/// The bytes of the elements, to be compared: unlike with `==`, NaN equals NaN and 0.0 differs from -0.0.
fn bits<R: Values>(values: &R) -> &[u8] {
    const { R::Element::CHECK };
    let elements = values.elements();
    // SAFETY: the slice is valid for reads of `size_of_val(elements)` bytes while it is borrowed, all initialised: a `Remote` type
    // has no padding.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}
