//! Coarrays whose length differs from image to image.
//!
//! Each image allocates its run by itself. A symmetric coarray has the description of every image's run: offset and length. Its
//! phase is the phase of the whole.

mod guards;

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::ptr::NonNull;

use coarray_coref::{LeavesItsThread, Remote, bytes_are_valid};
use coarray_runtime::{AllocError, Call, ImageFailed, RaggedBlock};

use crate::coarray::Coarray;
use crate::create::{create_part, refuse};
use crate::phase::{self, Phased};
use crate::storage::Storage;

pub use guards::{OpenRagged, PublishedRagged};

/// A run of `T`s on every image; each image chooses its own length.
///
/// Creating one is collective; changing a run's length is not, while it is closed. Locally it is a slice.
/// `x.at(image)` first gets the description of that image's run: hoist it out of loops.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut x = Ragged::from_fn(this_image() * 10, |i| i as i32);
///     if let Some(first) = x.first_mut() {
///         *first = this_image() as i32;
///     }
///     let x = x.open();
///     assert_eq!(x.at(2)[0].get() + x.at(3)[4].get(), 2 + 4);
///     assert!(x.at(0).is_empty());
/// });
/// ```
///
/// # Source
/// Coarrays of pointers, *Coarray C++* section 3.6; Fortran allocatable components of coarrays.
pub struct Ragged<T: Remote> {
    /// Offset in the image's heap and number of items.
    description: Coarray<[[usize; 2]]>,
    block: Option<RaggedBlock>,
    items: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Send for Ragged<T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread> Sync for Ragged<T> {}

impl<T: Remote> Ragged<T> {
    /// Collective. A run of `length` items on this image, item `i` being `item(i)`.
    ///
    /// # Panics
    /// If there is no room, with the largest users of the heap.
    ///
    /// # Examples
    /// See [`Ragged`]. There are no runs of values without bytes:
    /// ```compile_fail
    /// coarray::run(1, || drop(coarray::Ragged::<[u8; 0]>::from_fn(5, |_| [])));
    /// ```
    ///
    /// # Source
    /// As [`Ragged`].
    #[must_use]
    #[track_caller]
    pub fn from_fn(length: usize, item: impl FnMut(usize) -> T) -> Self {
        let caller = Location::caller();
        let mut ragged = Self::try_empty()
            .unwrap_or_else(|error| refuse(error, &Call::on_part::<Self, [[usize; 2]]>(1, caller)));
        ragged.replace(length, item);
        ragged
    }

    /// Collective. A run of no items on this image.
    ///
    /// # Panics
    /// As [`from_fn`](Self::from_fn).
    ///
    /// # Examples
    /// A list of particles that grows and shrinks, each image's by itself:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut particles = Ragged::<[f64; 3]>::empty();
    ///     if this_image() == 1 {
    ///         particles.replace(1000, |_| [0.5; 3]);
    ///     }
    ///     let particles = particles.publish();
    ///     let lengths: Vec<usize> = (0..num_images()).map(|image| particles.at(image).len()).collect();
    ///     assert_eq!(lengths, [0, 1000, 0]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Ragged`].
    #[must_use]
    #[track_caller]
    pub fn empty() -> Self {
        Self::from_fn(0, |_| unreachable!("there are no items"))
    }

    /// Collective. As [`empty`](Self::empty), but returns the error. Items come by [`try_replace`](Self::try_replace), on each image by itself.
    ///
    /// # Errors
    /// As [`Coarray::try_new`], the same on all images.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     Ragged::<f64>::try_empty().is_err()
    /// });
    /// assert_eq!(survivors.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_empty() -> Result<Self, AllocError> {
        Ok(Self {
            description: create_part::<Self, _>(1, Location::caller(), |_| [0; 2])?,
            block: None,
            items: PhantomData,
        })
    }

    /// Local. Replaces this image's run by `length` items, item `i` being `item(i)`.
    ///
    /// # Panics
    /// If there is no room; the old run is then gone.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut queue = Ragged::from_fn(4, |i| i);
    ///     let odd: Vec<usize> = queue.iter().copied().filter(|item| item % 2 == 1).collect();
    ///     queue.replace(odd.len(), |i| odd[i]); // no image waits for another
    ///     let queue = queue.open();
    ///     assert_eq!(queue.at(1).to_vec(), [1, 3]);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran allocatable components of coarrays, 2018 clause 9.7.1.2: their allocation synchronises nothing.
    #[track_caller]
    pub fn replace(&mut self, length: usize, item: impl FnMut(usize) -> T) {
        if let Err(error) = self.try_replace(length, item) {
            panic!("{error}");
        }
    }

    /// Local. As [`replace`](Self::replace), but returns the error.
    ///
    /// # Errors
    /// If there is no room; the run is then empty.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let mut run = Ragged::<u64>::empty();
    ///     let mut length = 1 << 20; // as much as there is room for on this image
    ///     while run.try_replace(length, |i| i as u64).is_err() {
    ///         length /= 2;
    ///     }
    ///     run.len() == length && length > 1 << 10
    /// });
    /// assert_eq!(outcome.unwrap(), [true, true]);
    /// ```
    ///
    /// # Source
    /// As [`replace`](Self::replace), with `stat`.
    #[track_caller]
    pub fn try_replace(
        &mut self,
        length: usize,
        mut item: impl FnMut(usize) -> T,
    ) -> Result<(), AllocError> {
        const {
            let () = T::CHECK;
            // Memory would not bound their number, and a coref has 43 bits for it.
            assert!(
                size_of::<T>() > 0,
                "a ragged coarray of values without bytes is of no use"
            );
        };
        let subject = type_name::<Self>();
        self.description[0] = [0, 0];
        let image = self.description.storage.image();
        if let Some(block) = self.block.take() {
            // SAFETY: the block was allocated here and is freed once. The description no longer names it, and no phase is in
            // progress: no image will access it.
            unsafe { image.free_ragged(block) };
        }
        if length == 0 {
            return Ok(());
        }
        let bytes = length
            .checked_mul(size_of::<T>())
            .ok_or(AllocError::TooLarge { length, subject })?;
        let block = image.allocate_ragged(bytes, align_of::<T>(), subject, Location::caller())?;
        self.block = Some(block);
        // SAFETY: the block lies in this image's heap, so the pointer stays in it.
        let items = unsafe { image.heap(image.index()).add(block.offset()).cast::<T>() };
        for index in 0..length {
            // SAFETY: the block is aligned for `T` and has room for `length` items; the index is less.
            unsafe { items.add(index).write(item(index)) }
        }
        self.description[0] = [block.offset(), length];
        Ok(())
    }

    /// Collective. Opens the runs to all images; their lengths stay as they are until all have closed.
    ///
    /// # Panics
    /// As [`Coarray::open`].
    ///
    /// # Examples
    /// See [`Ragged`].
    ///
    /// # Source
    /// As [`Open`](crate::Open).
    #[track_caller]
    pub fn open(&mut self) -> OpenRagged<'_, T> {
        phase::open(self)
    }

    /// Collective. As [`open`](Self::open), but failed images do not end the job: see [`Coarray::try_open`].
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`].
    ///
    /// # Source
    /// As [`Coarray::try_open`].
    #[track_caller]
    pub fn try_open(&mut self) -> Result<OpenRagged<'_, T>, ImageFailed> {
        phase::try_open(self)
    }

    /// Collective. Lets all images read all runs, and nobody write.
    ///
    /// # Panics
    /// As [`Coarray::publish`].
    ///
    /// # Examples
    /// See [`empty`](Self::empty).
    ///
    /// # Source
    /// As [`Published`](crate::Published).
    #[track_caller]
    pub fn publish(&mut self) -> PublishedRagged<'_, T> {
        phase::publish(self)
    }

    /// Collective. As [`publish`](Self::publish), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that have failed, the same on all others; then the coarray stays closed.
    ///
    /// # Panics
    /// As [`publish`](Self::publish).
    ///
    /// # Examples
    /// As of [`Coarray::try_open`].
    ///
    /// # Source
    /// As [`Coarray::try_open`].
    #[track_caller]
    pub fn try_publish(&mut self) -> Result<PublishedRagged<'_, T>, ImageFailed> {
        phase::try_publish(self)
    }

    /// This image's run, whatever the phase.
    fn run(&self) -> (*mut T, usize) {
        // SAFETY: the description is aligned, allocated and initialised. Only this image writes its own, through `&mut self`.
        let [offset, length] = unsafe { (*self.description.pointer())[0] };
        let image = self.storage().image();
        match length {
            0 => (NonNull::dangling().as_ptr(), 0),
            // SAFETY: the description names a block in this image's heap, so the pointer stays in it.
            _ => (
                unsafe { image.heap(image.index()).add(offset).cast() },
                length,
            ),
        }
    }
}

#[allow(private_interfaces)]
impl<T: Remote> Phased for Ragged<T> {
    fn subject() -> &'static str {
        type_name::<Self>()
    }

    #[inline]
    fn storage(&self) -> &Storage {
        &self.description.storage
    }

    #[inline]
    fn private(&self) -> &Storage {
        self.storage().private::<[[usize; 2]]>()
    }

    unsafe fn is_valid(&self) -> bool {
        let (items, length) = self.run();
        // SAFETY: `items` is aligned and valid for reads of `length` initialised items; the caller vouches that nobody writes to
        // them.
        unsafe { bytes_are_valid(items, length) }
    }
}

impl<T: Remote> Deref for Ragged<T> {
    type Target = [T];

    #[inline]
    #[track_caller]
    fn deref(&self) -> &[T] {
        self.private();
        let (items, length) = self.run();
        // SAFETY: the run is aligned, allocated and initialised by `try_replace`; an empty one is dangling but aligned. No phase is
        // in progress, so no other image may reach it, and only borrows of `self` alias it.
        unsafe { std::slice::from_raw_parts(items, length) }
    }
}

impl<T: Remote> DerefMut for Ragged<T> {
    #[inline]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut [T] {
        self.private();
        let (items, length) = self.run();
        // SAFETY: the run is aligned, allocated and initialised, as in `deref`. No other image may reach it, and `self` is borrowed
        // exclusively, so nothing aliases it.
        unsafe { std::slice::from_raw_parts_mut(items, length) }
    }
}

impl<T: Remote> Drop for Ragged<T> {
    fn drop(&mut self) {
        // In a leaked phase other images may still reach the run.
        if let (Some(block), false) = (self.block.take(), self.storage().is_in_phase()) {
            // SAFETY: the block was allocated here and is freed once. No phase is in progress, so no image will access it.
            unsafe { self.storage().image().free_ragged(block) };
        }
    }
}

/// As [`Coarray`].
impl<T: Remote + fmt::Debug> fmt::Debug for Ragged<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.storage().is_in_phase() {
            return write!(formatter, "Ragged<{}>, still open", type_name::<T>());
        }
        (**self).fmt(formatter)
    }
}
