//! From each image to the next, where the values are: an image combines its own with what the image before has made of its values.
//!
//! It publishes them piece after piece, so that all images work at the same time. Nothing is copied but to the cache.

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::in_place::{InPlace, PIECE_BYTES};
use crate::operator::prepend;
use crate::scan::Scan;

/// The most bytes that an image publishes at a time. Where images wait for cores, each piece may be a switch between them.
const PUBLISHED_BYTES: usize = 1 << 15;

/// Whether there are enough pieces for most images to have one to work on at most times.
#[inline]
pub(super) fn pays(images: usize, bytes: usize) -> bool {
    bytes / images >= PIECE_BYTES
}

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    /// An inclusive scan. Returns whether they could: all but the last have lent their values.
    #[inline(never)]
    pub(super) fn in_place(&self, call: &Call, values: &mut [T]) -> Result<bool, ImageFailed> {
        let length = values.len();
        let mut epoch = InPlace::begin_mut(self.team, call, values)?;
        if !epoch.have_lent(0..self.team.images() - 1) {
            return Ok(false);
        }
        epoch.begin_steps();
        let steps = self.combine(&mut epoch, length);
        epoch.finish(steps).map(|()| true)
    }

    fn combine(&self, epoch: &mut InPlace<'_, T>, length: usize) -> Result<(), Abandoned> {
        // Those of the first image are combined already, and lent as they are.
        let Some(from) = self.team.index().checked_sub(1) else {
            return Ok(());
        };
        let images = self.team.images();
        let is_last = from + 2 == images;
        let elements = |bytes: usize| (bytes / size_of::<T>()).max(1);
        let published = (length / images).clamp(elements(PIECE_BYTES), elements(PUBLISHED_BYTES));
        let mut copy = Vec::new();
        for (number, piece) in windows(0..length, published).enumerate() {
            if from > 0 {
                epoch.await_pieces(from, number + 1)?;
            }
            for part in windows(piece, elements(PIECE_BYTES)) {
                // The program's operator runs on a copy: it may take any time.
                // SAFETY: that image has lent as many elements, as images have compared calls. It has published these, if it is not the
                // first, which publishes none. So it writes them no more before the epoch is over.
                unsafe { epoch.read_to_vec(from, part.clone(), &mut copy) };
                // SAFETY: the next image, which alone reads these, does not before they are published.
                prepend(unsafe { epoch.own(part) }, &copy, &self.operator);
            }
            if !is_last {
                // SAFETY: this image has combined the piece, and does not come back to it.
                unsafe { epoch.publish() };
            }
        }
        Ok(())
    }
}
