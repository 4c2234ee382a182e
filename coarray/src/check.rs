//! What a program tells the race check: accesses that may race, and order from outside of the library.
//!
//! `COARRAY_CHECK=races` has a job checked, as `coarun --check`, [`Launch::check`](crate::Launch::check) and
//! `#[coarray::test(images = 2, check)]` do. In all other jobs what is here does nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Local. Calls `body`. Where its accesses race, with each other or with any others, that is not reported; `why` is for the reader of the source.
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
