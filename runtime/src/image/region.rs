//! Regions: parts of the program that timelines show under a name.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::image::Image;
use crate::profile::timeline::writer::Entry;

/// Whether an image of a job that is traced has run in this process.
static IS_TRACED: AtomicBool = AtomicBool::new(false);

/// Notes whether the thread that begins as this image is to note its regions.
pub(crate) fn note_tracing(image: &Image) {
    if image.is_traced() {
        // Relaxed: the image itself reads it.
        IS_TRACED.store(true, Ordering::Relaxed);
    }
}

/// Local. Begins a part of the program that a [timeline](https://ui.perfetto.dev) shows under this name; it ends when the result is dropped. In a
/// job without a timeline (`COARRAY_TRACE`), and on a thread that is no image, it is one load.
///
/// Regions nest. One that is dropped later than the region around it is shown to end with that one, and one that is never dropped lasts as long as
/// the region around it, or the image; the next one of the same line ends it as well.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::trace::region;
///
/// coarray::run(2, || {
///     let mut sum = 0;
///     for step in 0..3 {
///         let _step = region("step");
///         {
///             let _solve = region("solve");
///             sum += step;
///         }
///         sync_all(); // within "step", behind "solve"
///     }
///     assert_eq!(sum, 3);
/// });
/// ```
///
/// # Source
/// User regions of Score-P (`SCOREP_USER_REGION`); spans of the crate `tracing`.
#[inline]
#[track_caller]
pub fn region(name: &'static str) -> RegionGuard {
    // Relaxed: an image of a job that is traced has stored it before, on this thread.
    let entry = match IS_TRACED.load(Ordering::Relaxed) {
        true => begin(name, Location::caller()),
        false => Entry::NONE,
    };
    RegionGuard {
        entry,
        _of_this_thread: PhantomData,
    }
}

/// A part of the program with a name, which ends when this is dropped: see [`region`].
///
/// It stays on its thread:
/// ```compile_fail,E0277
/// let region = coarray::trace::region("mine");
/// std::thread::spawn(move || drop(region));
/// ```
#[derive(Debug)]
#[must_use = "the region ends when this is dropped: `let _region = region(\"name\");`"]
pub struct RegionGuard {
    entry: Entry,
    /// The image that is in it is the thread that has begun it.
    _of_this_thread: PhantomData<*const ()>,
}

impl Drop for RegionGuard {
    #[inline]
    fn drop(&mut self) {
        if self.entry != Entry::NONE {
            end(self.entry);
        }
    }
}

#[cold]
#[inline(never)]
fn begin(name: &'static str, caller: &'static Location<'static>) -> Entry {
    let image = Image::try_current();
    let recording = image.as_deref().and_then(Image::recording);
    recording.map_or(Entry::NONE, |recording| {
        recording.begin_region(name, caller)
    })
}

#[cold]
#[inline(never)]
fn end(entry: Entry) {
    // A guard that outlives its image is dropped on a thread that is none any more, and so the region lasts as long as the image.
    if let Some(image) = Image::try_current()
        && let Some(recording) = image.recording()
    {
        recording.end_region(entry);
    }
}
