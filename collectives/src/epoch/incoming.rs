//! Values of an image that another one gets: at hand, or still in a buffer, from which they are copied straight to where they belong.

use coarray_coref::Remote;

use crate::epoch::Epoch;

/// Values of an image, for this one.
pub(crate) struct Incoming<'e, T>(Place<'e, T>);

enum Place<'e, T> {
    AtHand(&'e [T]),
    /// In the buffer of `image`: so many elements from `start` on, for which the caller of [`Epoch::incoming`] has vouched.
    InBuffer {
        epoch: &'e Epoch<'e, T>,
        image: usize,
        start: usize,
        length: usize,
    },
}

impl<'e, T> From<&'e [T]> for Incoming<'e, T> {
    #[inline]
    fn from(values: &'e [T]) -> Self {
        Self(Place::AtHand(values))
    }
}

impl<'e, T: Remote> Epoch<'e, T> {
    /// Elements `start .. start + length` of the buffer of `image`, after a barrier.
    ///
    /// # Safety
    /// As [`read`](Self::read).
    #[inline]
    pub(crate) unsafe fn incoming(
        &'e self,
        image: usize,
        start: usize,
        length: usize,
    ) -> Incoming<'e, T> {
        Incoming(Place::InBuffer {
            epoch: self,
            image,
            start,
            length,
        })
    }
}

impl<'e, T: Remote> Incoming<'e, T> {
    fn length(&self) -> usize {
        match self.0 {
            Place::AtHand(values) => values.len(),
            Place::InBuffer { length, .. } => length,
        }
    }

    /// The values. From another node they are fetched to memory of the epoch.
    pub(crate) fn values(self) -> &'e [T] {
        match self.0 {
            Place::AtHand(values) => values,
            Place::InBuffer {
                epoch,
                image,
                start,
                length,
            } => {
                // SAFETY: the caller of `incoming` has vouched for the elements.
                unsafe { epoch.read(image, start, length) }
            }
        }
    }

    /// Copies the values to the elements of `target` from `first` on.
    #[inline]
    pub(crate) fn copy_to(self, target: &mut [T], first: usize) {
        let target = &mut target[first..][..self.length()];
        match self.0 {
            Place::AtHand(values) => target.copy_from_slice(values),
            Place::InBuffer {
                epoch,
                image,
                start,
                ..
            } => {
                // SAFETY: the caller of `incoming` has vouched for the elements, as many as the target has.
                unsafe { epoch.read_into(image, start, target) }
            }
        }
    }
}
