//! The guard of a conveyor's phase: pushing and pulling.

use std::any::type_name;
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use coarray_coref::{LeavesItsThread, Remote, Shape};

use super::record::{self, NUMBER, bytes_of, value_at};
use super::traffic::Traffic;
use super::waiting::wait;

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

/// There is no room for an item until its image has taken packets that were sent before.
///
/// # Examples
/// ```
/// use coarray::irregular::{Conveyor, Full};
///
/// coarray::run(1, || {
///     let mut conveyor = Conveyor::<u64>::new();
///     let mut open = conveyor.open();
///     let mut pushed = 0;
///     while open.push(0, pushed).is_ok() {
///         pushed += 1;
///     }
///     assert_eq!(open.push(0, pushed), Err(Full)); // the item was not taken
///     assert_eq!(open.pull(), Some((0, 0)));
/// });
/// ```
///
/// # Source
/// `convey_push` of *bale*, which returns false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the conveyor has no room for an item: pull what has come, and wait")
    }
}

impl Error for Full {}

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
}

impl<T: Remote> OpenConveyor<'_, T> {
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
        let bytes = self.traffic.records.tag + size_of::<T>().max(1);
        self.traffic.push(image, bytes, |record| {
            record[..size_of::<T>()].copy_from_slice(bytes_of(&[item]));
        })
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
            let (own, peer) = (size_of::<T>().max(1), link.peer);
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
            true => link.arriving.consume(length),
            false => self.traffic.decline(),
        }
        is_taken
    }
}

impl<T: Remote> OpenConveyor<'_, [T]> {
    /// Local. Adds a run of values for `image`, an index in the team, unless there is no room. Sends packets when they are full.
    ///
    /// # Errors
    /// If there is no room for it: then nothing was added.
    ///
    /// # Panics
    /// If there is no such image, this image has [finished](Self::finish), or the run has 2^32 values or more.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<[char]>::new();
    ///     let mut open = conveyor.open();
    ///     open.push(0, &['a', 'b']).unwrap();
    ///     open.push(0, &[]).unwrap();
    ///     open.finish();
    ///     let mut lengths = Vec::new();
    ///     while open.wait() {
    ///         while let Some((_source, run)) = open.pull() {
    ///             lengths.push(run.len());
    ///         }
    ///     }
    ///     assert_eq!(lengths.iter().sum::<usize>(), if this_image() == 0 { 4 } else { 0 });
    /// });
    /// ```
    ///
    /// # Source
    /// `convey_epush` of *bale*.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, image: usize, run: &[T]) -> Result<(), Full> {
        if u32::try_from(run.len()).is_err() {
            too_long(run.len());
        }
        let bytes = self.traffic.records.bytes(run.len());
        self.traffic.push(image, bytes, |record| {
            record::set_number(record, run.len());
            record[NUMBER..].copy_from_slice(bytes_of(run));
        })
    }

    /// Local. Takes a run that has come for this image, with the image that pushed it; none if none is there.
    ///
    /// # Examples
    /// See [`push`](Self::push).
    ///
    /// # Source
    /// `convey_epull` of *bale*.
    pub fn pull(&mut self) -> Option<(usize, Vec<T>)> {
        let mut run = Vec::new();
        let source = self.pull_into(&mut run)?;
        Some((source, run))
    }

    /// Local. As [`pull`](Self::pull), into a vector, whose values are replaced; it need not allocate then. Returns the image that pushed the run.
    ///
    /// # Examples
    /// ```
    /// use coarray::irregular::Conveyor;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut conveyor = Conveyor::<[f32]>::new();
    ///     let mut open = conveyor.open();
    ///     open.push(1 - this_image(), &[0.5; 3]).unwrap();
    ///     open.finish();
    ///     let mut run = Vec::with_capacity(3);
    ///     while open.wait() {
    ///         while let Some(source) = open.pull_into(&mut run) {
    ///             assert_eq!((source, &run[..]), (1 - this_image(), &[0.5; 3][..]));
    ///         }
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`pull`](Self::pull).
    #[inline]
    pub fn pull_into(&mut self, run: &mut Vec<T>) -> Option<usize> {
        let tag = self.traffic.records.tag;
        let (link, length) = self.traffic.find()?;
        let bytes = link.arriving.bytes();
        let source = if tag > 0 {
            record::number(bytes)
        } else {
            link.peer
        };
        let values = record::number(&bytes[tag..]);
        let bytes = &bytes[tag + NUMBER..length];
        run.clear();
        run.extend(
            (0..values).map(|index| value_at::<T>(&bytes[index * size_of::<T>()..], source)),
        );
        link.arriving.consume(length);
        Some(source)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_long(values: usize) -> ! {
    panic!("an item of {values} values is too long for a conveyor: a run has less than 2^32")
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
        while wait(&mut [self], opened) {
            while let Some((link, length)) = self.traffic.find() {
                link.arriving.consume(length);
            }
        }
    }
}
