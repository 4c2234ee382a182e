//! The read-only phase: every image reads all parts, and none writes.

use std::fmt;
use std::ops::Deref;
use std::panic::Location;

use coarray_coref::{Coref, ReadOnly, Remote, Shape};
use coarray_runtime::{ImageFailed, Operation};

use crate::coarray::Coarray;
use crate::phase::{self, Phase, Publishable};
use crate::storage::Begun;

/// A coarray in its read-only phase: local `&T`, remote `get`, and plain references to the parts of images
/// whose memory is mapped.
///
/// Dropping it ends the phase collectively, as with [`Open`](crate::Open). If an image fails in the phase, in a job
/// that keeps going and whose images are threads, the phase never ends: threads that the image started may still
/// have references. Using the coarray locally then panics.
///
/// # Examples
/// A stencil that reads its neighbour's row in place:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let mut row = Coarray::new([this_image() as f64; 100]);
///     let row = row.publish();
///     let right = (this_image() + 1) % num_images();
///     let sum: f64 = match row.try_ref(right) {
///         Some(theirs) => row.iter().zip(theirs).map(|(a, b)| a + b).sum(),
///         None => row.iter().zip(&row.at(right).get()).map(|(a, b)| a + b).sum(),
///     };
///     assert_eq!(sum, 100.0 * (this_image() + right) as f64);
/// });
/// ```
///
/// # Source
/// `const_coref`, *Coarray C++* section 3.3, of which this is the phase.
#[must_use = "the read-only phase ends when this guard is dropped"]
pub struct Published<'a, T: ?Sized + Shape<Item: Remote>> {
    pub(crate) phase: Phase<'a, Coarray<T>>,
}

impl<T: ?Sized + Shape<Item: Remote>> Publishable for Coarray<T> {
    type Guard<'a>
        = Published<'a, T>
    where
        T: 'a;

    #[allow(private_interfaces)]
    fn guard(&mut self, begun: Begun, published: &'static Location<'static>) -> Published<'_, T> {
        Published {
            phase: Phase::new(self, Operation::Unpublish, begun, published),
        }
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Coarray<T> {
    /// Collective. Lets all images read all parts, and nobody write: a barrier after which everything that
    /// images wrote to their own parts is visible to all.
    ///
    /// The job ends with a report if another image is in a different collective operation, or publishes
    /// another coarray.
    ///
    /// # Panics
    /// If the guard of an earlier phase was leaked.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let mut table = Coarray::<[f64; 256]>::from_fn(|i| ((this_image() + 1) * i) as f64);
    ///     let table = table.publish(); // from here on nobody writes
    ///     let owner = 3;
    ///     assert_eq!(table.at(owner)[10].get(), 40.0);
    ///     assert_eq!(table[10], ((this_image() + 1) * 10) as f64); // one's own part is a plain reference
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Published`].
    #[track_caller]
    pub fn publish(&mut self) -> Published<'_, T> {
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
    pub fn try_publish(&mut self) -> Result<Published<'_, T>, ImageFailed> {
        phase::try_publish(self)
    }
}

impl<T: ?Sized + Shape<Item: Remote>> Published<'_, T> {
    /// Local. The part of image `image`, to get from. Nothing travels yet.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`publish`](Coarray::publish).
    ///
    /// # Source
    /// `const_coref`, *Coarray C++* section 3.3.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn at(&self, image: usize) -> &Coref<T, ReadOnly> {
        // SAFETY: the phase began with a barrier that every image entered with exclusive access to its part of this very
        // coarray. Until the barrier at its end only shared references and read-only corefs exist, which borrow from the guards.
        // Blocks are symmetric, and all parts are initialised.
        unsafe { self.phase.at(image) }
    }

    /// Local. The part of image `image` as memory of this image, if it is mapped here.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Examples
    /// See [`Published`].
    ///
    /// # Source
    /// `shmem_ptr`, OpenSHMEM 1.5; here the phase makes it safe.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn try_ref(&self, image: usize) -> Option<&T> {
        let place = self.at(image);
        place.is_direct().then(|| {
            let pointer = self.phase.coarray.storage.image().heap(place.image());
            let pointer = pointer.with_addr(place.local_address());
            // SAFETY: the place is direct, so it is mapped; `pointer` has the provenance of that heap. The owner initialised it
            // as a `T` before the phase began, and nobody writes to it while the guard lives.
            unsafe { &*T::pointer(pointer, self.phase.coarray.extent()) }
        })
    }

    /// Collective. Ends the phase, as dropping the guard does.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new(this_image());
    ///     let published = x.publish();
    ///     let other = published.at(1 - this_image()).get();
    ///     published.close(); // now x may be written again
    ///     *x = other;
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Published`].
    pub fn close(self) {}
}

impl<T: ?Sized + Shape<Item: Remote>> Deref for Published<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this image's part is aligned, allocated and initialised, and nobody writes to it while the guard lives.
        unsafe { &*self.phase.coarray.pointer() }
    }
}

impl<T: ?Sized + Shape<Item: Remote> + fmt::Debug> fmt::Debug for Published<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}
