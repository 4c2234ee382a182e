//! How much an image has put, got and changed: for programs that ask.

use std::ops::Sub;
use std::panic::Location;

use crate::image::Image;
use crate::profile::counts::Class;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::observed::{Pieces, Range};

/// What this image has moved since it began. The difference of two is what it has moved in between.
///
/// # Examples
/// See [`stats`].
///
/// # Source
/// `CommDiagnostics`, the standard library of Chapel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Puts. A call is one for each image that it puts to, however many pieces it is made of; long fills, and long values of types with invalid bit
    /// patterns, are several.
    pub puts: u64,
    /// Gets, counted as puts are.
    pub gets: u64,
    /// Operations on coatomics of any image, its own among them, and on plain values that are used as such.
    pub atomics: u64,
    /// Puts that notify.
    pub notified: u64,
    /// Posts to events, without data.
    pub posts: u64,
    /// Bytes of all these.
    pub bytes: u64,
    /// What came from other images in blocking collective operations: as many messages, if each image was on a node of its own.
    pub messages: u64,
    /// Bytes of these messages.
    pub message_bytes: u64,
}

/// What was moved between two calls of [`stats`], the later one first.
///
/// # Panics
/// If `before` is the later one.
impl Sub for Stats {
    type Output = Self;

    #[track_caller]
    fn sub(self, before: Self) -> Self {
        Self {
            puts: since(self.puts, before.puts),
            gets: since(self.gets, before.gets),
            atomics: since(self.atomics, before.atomics),
            notified: since(self.notified, before.notified),
            posts: since(self.posts, before.posts),
            bytes: since(self.bytes, before.bytes),
            messages: since(self.messages, before.messages),
            message_bytes: since(self.message_bytes, before.message_bytes),
        }
    }
}

#[track_caller]
fn since(now: u64, before: u64) -> u64 {
    let moved = now.checked_sub(before);
    moved.expect("the later counts come first: `stats() - before`")
}

/// Local. What this image has moved since it began; none in a job that does not count, whose puts are plain stores.
///
/// A job counts with `COARRAY_PROFILE=puts`, or [`Profile::Puts`](crate::Profile::Puts) of a [`Launch`](../coarray/struct.Launch.html). What is
/// counted does not depend on the fabric, but for lists of indices and for blocks, which a fabric may move as one or in pieces. What the library
/// moves for itself is not counted.
///
/// # Panics
/// On a thread that is not an image.
///
/// # Examples
/// A test that an exchange sends what it should, and no more:
/// ```
/// use coarray::prelude::*;
/// use coarray::{Launch, Profile, stats};
///
/// /// Each image puts its row beside those of its neighbours.
/// fn exchange(rows: &mut Coarray<[[f64; 100]; 3]>) {
///     let (me, images) = (this_image(), num_images());
///     let row = rows[1];
///     let rows = rows.open();
///     rows.at((me + 1) % images)[0].put_from(&row);
///     rows.at((me + images - 1) % images)[2].put_from(&row);
/// }
///
/// let sent = Launch::new(4).profile(Profile::Puts).run(|| {
///     let mut rows = Coarray::<[[f64; 100]; 3]>::zeroed();
///     let before = stats().expect("the job counts");
///     exchange(&mut rows);
///     stats().expect("the job counts") - before
/// });
/// for sent in sent.unwrap() {
///     assert_eq!((sent.puts, sent.bytes, sent.gets), (2, 2 * 800, 0));
/// }
/// ```
///
/// # Source
/// `getCommDiagnosticsHere`, the standard library of Chapel.
#[must_use]
#[track_caller]
pub fn stats() -> Option<Stats> {
    Image::with_current(|image| {
        let counting = image.counting()?;
        let counts = counting.counts();
        let total = |class| counts.table.total(class).get();
        let moved = [
            Class::Put,
            Class::Get,
            Class::Atomic,
            Class::PutNotify,
            Class::Post,
        ]
        .map(total);
        let [puts, gets, atomics, notified, posts] = moved.map(|moved| moved.operations);
        let messages = total(Class::Collective);
        Some(Stats {
            puts,
            gets,
            atomics,
            notified,
            posts,
            bytes: moved.iter().map(|moved| moved.bytes).sum(),
            messages: messages.operations,
            message_bytes: messages.bytes,
        })
    })
}

/// Counts operations of a class, each of so many bytes, at an address of this image's mapping, in a job that counts. Those on memory outside of
/// the job are not.
#[doc(hidden)]
#[cold]
#[inline(never)]
pub fn count_operations(
    class: Class,
    caller: &'static Location<'static>,
    address: usize,
    length: usize,
    operations: usize,
) {
    Image::try_with_current(|image| {
        if image.counting().is_some()
            && let Some(place) = image.locate(address)
        {
            image.count_operations_at(place, class, caller, length, operations);
        }
    });
}

impl Image {
    /// As [`count_operations`], at a place.
    #[doc(hidden)]
    #[inline]
    pub fn count_operations_at(
        &self,
        Place { image, offset }: Place,
        class: Class,
        caller: &'static Location<'static>,
        length: usize,
        operations: usize,
    ) {
        if let Some(counting) = self.counting() {
            let range = Range {
                image,
                offset,
                length,
                pieces: Pieces::One,
            };
            counting.count_each(class, caller, &range, operations);
        }
    }
}
