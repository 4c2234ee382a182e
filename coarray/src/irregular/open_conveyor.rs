//! The guard of a conveyor's phase: pushing and pulling.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use coarray_coref::{LeavesItsThread, Remote, Shape};

use super::bell::Bell;
use super::buffers::Leaving;
use super::full::Full;
use super::record::{self, NUMBER, bytes_of, value_at, values_at};
use super::traffic::Traffic;
use super::waiting::sealed::{self, State};
use super::waiting::{Conveying, try_wait, wait};

/// A [`Conveyor`](super::Conveyor) in its phase. Nothing but [`wait`](Self::wait) waits.
///
/// Dropping the guard ends the phase collectively: this image pushes no more, and what others still send it is thrown away.
///
/// # Examples
/// What [`convey`](super::Conveyor::convey) does, spelt out:
/// ```
/// use coarray::irregular::Conveyor;
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut conveyor = Conveyor::<usize>::new();
///     let mut open = conveyor.open();
///     let mut received = Vec::new();
///     for item in 0..1000 {
///         while open.push(item % 3, item).is_err() {
///             open.wait(); // for room, or for an item
///             received.extend(std::iter::from_fn(|| open.pull()));
///         }
///     }
///     open.finish(); // this image pushes no more
///     while open.wait() {
///         received.extend(std::iter::from_fn(|| open.pull()));
///     }
///     drop(open);
///     assert!(received.iter().all(|(_source, item)| item % 3 == this_image()));
///     assert_eq!(received.len(), if this_image() == 0 { 3 * 334 } else { 3 * 333 });
/// });
/// ```
///
/// # Source
/// F. M. Maley and J. G. DeVinney, *Conveyors for Streaming Many-To-Many Communication*, IA3 2019.
#[must_use = "the phase ends when this guard is dropped"]
pub struct OpenConveyor<'a, T: ?Sized + Shape<Item: Remote>> {
    pub(super) traffic: Traffic<'a>,
    items: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + Shape<Item: Remote> + LeavesItsThread> Send for OpenConveyor<'_, T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + Shape<Item: Remote> + LeavesItsThread> Sync for OpenConveyor<'_, T> {}

impl<'a, T: ?Sized + Shape<Item: Remote>> OpenConveyor<'a, T> {
    pub(super) fn new(traffic: Traffic<'a>) -> Self {
        Self {
            traffic,
            items: PhantomData,
        }
    }

    /// Local. Says that this image pushes no more, and sends what waits to leave as there is room. It goes on to pull.
    ///
    /// # Examples
    /// See [`OpenConveyor`].
    ///
    /// # Source
    /// `convey_advance` of *bale* with `done`.
    pub fn finish(&mut self) {
        self.traffic.finish();
    }

    /// Local. Whether all images push no more, and nothing is left to pull here, or to pass on. Takes and passes on packets.
    ///
    /// # Examples
    /// See [`wait_any`](super::wait_any).
    ///
    /// # Source
    /// `convey_advance` of *bale*.
    #[must_use]
    pub fn is_finished(&mut self) -> bool {
        self.traffic.progress();
        self.traffic.is_told = self.traffic.is_done();
        self.traffic.is_told
    }

    /// Local. Waits until there is something to pull, or room again for the item that was refused last; returns true then. Returns false when all images
    /// have [finished](Self::finish), and nothing is left.
    ///
    /// Sends what waits to leave, and sleeps until a packet comes or is taken. An item that [`pull_if`](Self::pull_if) left is
    /// nothing new until then. If all images wait for each other, the job ends with a report; so it does if an image of the current team has
    /// failed, and nothing comes.
    ///
    /// # Examples
    /// See [`OpenConveyor`].
    ///
    /// # Source
    /// `convey_advance` of *bale*, which does not sleep.
    #[track_caller]
    pub fn wait(&mut self) -> bool {
        wait(&mut [self], Location::caller())
    }

    /// Pushes all items, and pulls until all images have, and nothing is left. `wait` is [`wait`](Self::wait) or [`try_wait`](Self::try_wait).
    #[inline]
    #[track_caller]
    pub(super) fn convey<I: Pushable<Self>, E>(
        mut self,
        items: impl IntoIterator<Item = I>,
        mut pull: impl FnMut(&mut Self),
        wait: impl Fn(&mut Self) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut items = items.into_iter();
        while let Some(item) = push_all_at_once(&mut self.traffic.links.leaving, &mut items) {
            // Before a packet leaves, what has come is pulled: others need not wait until this image finds no room.
            pull(&mut self);
            while item.push(&mut self).is_err() {
                wait(&mut self)?;
                pull(&mut self);
            }
        }
        self.finish();
        while wait(&mut self)? {
            pull(&mut self);
        }
        Ok(())
    }
}

/// Pushes items as long as that is a matter of course; returns the first for which it is not. Has only the buffers, so that registers hold where they are.
#[inline]
fn push_all_at_once<I: Pushable<C>, C>(
    leaving: &mut [Leaving],
    items: &mut impl Iterator<Item = I>,
) -> Option<I> {
    items.find(|item| !item.push_at_once(leaving))
}

impl<T: Remote> OpenConveyor<'_, T> {
    /// Bytes of an item: at least one, so that items can be counted.
    const BYTES: usize = if size_of::<T>() > 0 {
        size_of::<T>()
    } else {
        1
    };

    /// Local. Adds an item for `image`, an index in the team, unless there is no room. Sends a packet when it is full.
    ///
    /// # Errors
    /// If there is no room for it: then it was not added.
    ///
    /// # Panics
    /// If there is no such image, or this image has [finished](Self::finish).
    ///
    /// # Examples
    /// See [`OpenConveyor`].
    ///
    /// # Source
    /// `convey_push` of *bale*.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, image: usize, item: T) -> Result<(), Full> {
        self.traffic.push(image, Self::BYTES, write(item))
    }

    /// Local. Takes an item that has come for this image, with the image that pushed it; none if none is there.
    ///
    /// # Examples
    /// See [`OpenConveyor`].
    ///
    /// # Source
    /// `convey_pull` of *bale*.
    #[inline]
    pub fn pull(&mut self) -> Option<(usize, T)> {
        // What comes next was not left.
        self.traffic.declined = None;
        let tag = self.traffic.records.tag;
        let (link, length) = self.traffic.find()?;
        let bytes = link.arriving.bytes();
        let source = if tag > 0 {
            record::number(bytes)
        } else {
            link.peer
        };
        let item = value_at(&bytes[tag..], source);
        link.arriving.consume(length);
        Some((source, item))
    }

    /// Local. Takes all items that have come for this image, and calls `receive` for each with the image that pushed it. Faster than one by one.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut conveyor = Conveyor::<u32>::new();
    ///     let mut open = conveyor.open();
    ///     for image in 0..num_images() {
    ///         open.push(image, 1).unwrap();
    ///     }
    ///     open.finish();
    ///     let mut came = [0; 3];
    ///     while open.wait() {
    ///         open.pull_all(|source, item| came[source] += item);
    ///     }
    ///     assert_eq!(came, [1; 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`pull`](Self::pull).
    #[inline]
    pub fn pull_all(&mut self, mut receive: impl FnMut(usize, T)) {
        while let Some((link, length)) = self.traffic.find() {
            let (own, peer) = (Self::BYTES, link.peer);
            if length == own {
                link.arriving
                    .take_all(own, |record| receive(peer, value_at(record, peer)));
            } else {
                link.arriving.take_all(NUMBER + own, |record| {
                    let source = record::number(record);
                    receive(source, value_at(&record[NUMBER..], source));
                });
            }
        }
    }

    /// Local. Takes all items that have come for this image, and calls `receive` for as many at a time as have come from an image and lie side by side,
    /// with that image. Items that it has been called for are taken, also if it panics.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<u32>::new();
    ///     let mut open = conveyor.open();
    ///     for item in 0..10 {
    ///         open.push(1 - this_image(), item).unwrap();
    ///     }
    ///     open.finish();
    ///     let mut sum = 0;
    ///     while open.wait() {
    ///         open.pull_slices(|_source, items| sum += items.iter().sum::<u32>());
    ///     }
    ///     assert_eq!(sum, 45);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`pull`](Self::pull).
    #[inline]
    pub fn pull_slices(&mut self, mut receive: impl FnMut(usize, &[T])) {
        let mut items = Vec::new();
        while let Some((link, length)) = self.traffic.find() {
            let (own, peer) = (Self::BYTES, link.peer);
            if length == own {
                let records = link.arriving.take(own);
                receive(peer, values_at(records, own, peer, &mut items));
            } else {
                // Behind a relay they come from any image.
                let record = &link.arriving.bytes()[..length];
                let source = record::number(record);
                let item = value_at(&record[NUMBER..], source);
                link.arriving.consume(length);
                receive(source, &[item]);
            }
        }
    }

    /// Local. Shows `take` an item that has come, with the image that pushed it; if that returns true, the item is taken. Returns whether one was: false also if
    /// none is there.
    ///
    /// # Examples
    /// See [`wait_any`](super::wait_any).
    ///
    /// # Source
    /// `convey_unpull` of *bale*; [`Vec::pop_if`].
    #[inline]
    pub fn pull_if(&mut self, take: impl FnOnce(usize, T) -> bool) -> bool {
        let tag = self.traffic.records.tag;
        let Some((link, length)) = self.traffic.find() else {
            return false;
        };
        let bytes = link.arriving.bytes();
        let source = if tag > 0 {
            record::number(bytes)
        } else {
            link.peer
        };
        let is_taken = take(source, value_at(&bytes[tag..], source));
        match is_taken {
            true => {
                link.arriving.consume(length);
                self.traffic.declined = None;
            }
            false => self.traffic.decline(),
        }
        is_taken
    }
}

/// What can be pushed, with the image that it is for. A trait, and not closures: these would hide the line of the program from a refusal.
pub(super) trait Pushable<C> {
    /// Pushes it if that is a matter of course; otherwise returns false.
    fn push_at_once(&self, leaving: &mut [Leaving]) -> bool;

    /// As the `push` of the conveyor.
    #[track_caller]
    fn push(&self, open: &mut C) -> Result<(), Full>;
}

impl<T: Remote> Pushable<OpenConveyor<'_, T>> for (usize, T) {
    #[inline]
    fn push_at_once(&self, leaving: &mut [Leaving]) -> bool {
        Leaving::push_at_once(leaving, self.0, OpenConveyor::<T>::BYTES, write(self.1))
    }

    #[inline]
    #[track_caller]
    fn push(&self, open: &mut OpenConveyor<'_, T>) -> Result<(), Full> {
        open.push(self.0, self.1)
    }
}

/// Writes an item.
#[inline]
fn write<T: Remote>(item: T) -> impl Fn(&mut [u8]) {
    move |record| record[..size_of::<T>()].copy_from_slice(bytes_of(&[item]))
}

impl<T: ?Sized + Shape<Item: Remote>> Conveying for OpenConveyor<'_, T> {}

#[allow(private_interfaces)]
impl<T: ?Sized + Shape<Item: Remote>> sealed::Conveying for OpenConveyor<'_, T> {
    fn state(&mut self) -> State {
        let traffic = &mut self.traffic;
        traffic.progress();
        if traffic.has_something() || traffic.has_room_again() {
            return State::Ready;
        }
        match traffic.is_done() {
            true => State::Done,
            false => State::Waiting,
        }
    }

    fn tell_done(&mut self) -> bool {
        !std::mem::replace(&mut self.traffic.is_told, true)
    }

    fn is_refused(&self) -> bool {
        self.traffic.is_refused()
    }

    fn is_behind(&self) -> bool {
        self.traffic.is_behind()
    }

    fn flush(&mut self) {
        self.traffic.flush();
    }

    fn bell(&self) -> &Bell {
        self.traffic.bell
    }

    fn opened(&self) -> &'static Location<'static> {
        self.traffic.opened
    }
}

impl<T: ?Sized + Shape<Item: Remote>> fmt::Debug for OpenConveyor<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opened = self.traffic.opened;
        write!(
            formatter,
            "OpenConveyor<{}>, since {opened}",
            type_name::<T>()
        )
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Drop for OpenConveyor<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.finish();
        let opened = self.traffic.opened;
        // For images that have failed nobody waits, as at the end of any other phase.
        while let Ok(true) = try_wait(&mut [self], opened) {
            while let Some((link, length)) = self.traffic.find() {
                link.arriving.consume(length);
            }
        }
    }
}
