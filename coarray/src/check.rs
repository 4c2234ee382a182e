//! What a program tells the race check: accesses that may race, and order from outside of the library.
//!
//! `COARRAY_CHECK=races` has a job checked, as `coarun --check`, [`Launch::check`](crate::Launch::check) and
//! `#[coarray::test(images = 2, check)]` do. In all other jobs what is here does nothing.
//!
//! # What orders what
//! Each access is compared with the earlier ones to the same bytes, by the rules of the [memory model](crate::memory_model). Two of different
//! images, one of them a put, race unless the earlier one is in what some *release* tells, and the later one follows an *acquire* that learns of it.
//!
//! | rule | releases | tells | acquires |
//! |---|---|---|---|
//! | 2 | [`fence(i)`](fn@crate::fence), then a word that is put to `i` | what the image has put to `i` | a get or an atomic operation that sees the word, then [`image_fence`](crate::image_fence) |
//! | 3 | [`quiet`](crate::quiet) or [`image_fence`](crate::image_fence), then a word that is put anywhere | all that the image did, and all that it has learned of | the same |
//! | 4, 12 | the begin of a barrier or phase, of all or of a team | the same | its end |
//! | 5 | [`post`](crate::events::CoeventPlace::post) | the same | a wait that consumes the post for certain, whichever of the others' posts it has consumed |
//! | 6 | the post of [`put_notify`](crate::events::PutNotify) | what the image has put to the same image; that of [`put_notify_async`](crate::events::PutNotifyAsync) its own values | the same |
//! | 7, 14 | the end of a guard, or of a critical section | all that the image did, and all that it has learned of | whoever has the lock later |
//! | 9 | a collective of values | the same, up to the last `quiet` or `image_fence` | `image_fence` after it |
//! | 13 | [`sync_images`](crate::sync_images) with an image | the same, wholly | that image's call |
//! | | [`release`] | the same | [`acquire`] of the same key |
//!
//! Each of them also tells which gets were over. Whoever learns that may put to the place, without an `image_fence`.
//!
//! Operations on coatomics do not race with each other (rule 10), and neither does a word that follows a fence with gets of it, if an
//! `image_fence` is the next by which the image that has seen it synchronises. Asynchronous operations count from the call on, since each
//! release completes them. What an image put that has failed may have come or not (rule 15): it is reported if it is got without an order.
//!
//! # What a run costs, and what it covers
//! Images are threads of one process, at most 256, and accesses go through the fabric, as on a cluster: `is_direct` is false. The accesses of this
//! run are compared, in the order that locks and posts had in it. Local references cannot race. The book's chapter *Is it a race?* has programs and
//! their reports.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Local. Calls `body`. Where its accesses race, with each other or with any others, that is not reported; `why` is for the reader of the source. What they order is what
/// they order elsewhere: a flag that is put after a fence tells what came before that.
///
/// Until an image of the job calls a fence, puts and gets of values in it are not noted, and cost little.
///
/// # Examples
/// Updates of which a few may be lost:
/// ```
/// use coarray::check::racy;
/// use coarray::prelude::*;
///
/// let outcome = coarray::Launch::new(3).check(true).run(|| {
///     let mut table = Coarray::<[u64; 64]>::zeroed();
///     let table = table.open();
///     for step in 0..100 {
///         let place = &table.at(step % 3)[step * this_image() % 64];
///         racy("1 % of the updates may be lost", || place.put(place.get() ^ 1));
///     }
/// });
/// assert!(outcome.is_ok());
/// ```
///
/// # Source
/// Chaotic relaxation: D. Chazan and W. Miranker, Linear Algebra and its Applications, 1969; the rules of HPCC RandomAccess.
#[inline]
pub fn racy<R>(why: &str, body: impl FnOnce() -> R) -> R {
    let _ = why;
    coarray_runtime::racy(body)
}

/// Local. Says that something outside of the library, such as a file, a message of MPI or a lock of std, tells others that this image has come here. What it has
/// done happens before what an image does that [acquires](acquire()) the same key later.
///
/// It completes nothing: where images share no memory, call [`quiet`](crate::quiet) first.
///
/// # Panics
/// As `Hash` of the key does.
///
/// # Examples
/// Images that are threads, and a channel of std:
/// ```
/// use std::sync::Mutex;
/// use std::sync::mpsc::channel;
///
/// use coarray::prelude::*;
/// use coarray::{check, quiet};
///
/// let (sender, receiver) = channel();
/// let (sender, receiver) = (Mutex::new(sender), Mutex::new(receiver));
/// let outcome = coarray::Launch::new(2).check(true).run(|| {
///     let mut x = Coarray::new(0);
///     let x = x.open();
///     if this_image() == 0 {
///         x.at(1).put(7);
///         quiet();
///         check::release("channel");
///         sender.lock().unwrap().send(()).unwrap();
///     } else {
///         receiver.lock().unwrap().recv().unwrap();
///         check::acquire("channel");
///         assert_eq!(x.here().get(), 7);
///     }
/// });
/// assert!(outcome.is_ok());
/// ```
///
/// # Source
/// `AnnotateHappensBefore` of ThreadSanitizer: K. Serebryany and T. Iskhodzhanov, WBIA 2009.
pub fn release(key: impl Hash) {
    coarray_runtime::release(number_of(key));
}

/// Local. Says that the image has learned, by something outside of the library, that others have come to where they [`release`] this key.
///
/// # Panics
/// As `Hash` of the key does.
///
/// # Examples
/// See [`release`].
///
/// # Source
/// As [`release`].
pub fn acquire(key: impl Hash) {
    coarray_runtime::acquire(number_of(key));
}

fn number_of(key: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
