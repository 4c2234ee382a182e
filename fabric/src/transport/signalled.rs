//! The images with signals that may not be complete.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::transport::pending::{Pending, note_pending};

/// The images to which signals were given that may not be complete.
#[derive(Debug, Default)]
pub struct Signalled {
    /// The last one that was added since there were none: most signals go where the one before went.
    last: Cell<Option<usize>>,
    images: RefCell<BTreeSet<usize>>,
}

impl Signalled {
    /// Notes a signal to `image`.
    #[inline]
    pub fn note(&self, image: usize) {
        if self.last.get() != Some(image) {
            self.add(image);
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&self, image: usize) {
        if self.last.replace(Some(image)).is_none() {
            // SAFETY: a signal is not complete.
            unsafe { note_pending(Pending::Signals, true) };
        }
        self.images.borrow_mut().insert(image);
    }

    /// Calls `complete` for each of the images, and forgets them.
    ///
    /// # Safety
    /// All signals to an image are complete when `complete` has returned.
    pub unsafe fn complete(&self, complete: impl FnMut(usize)) {
        if self.last.take().is_some() {
            self.images.take().into_iter().for_each(complete);
            // SAFETY: the caller vouches that all signals are complete.
            unsafe { note_pending(Pending::Signals, false) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::pending::is_pending;

    fn completed(signalled: &Signalled) -> Vec<usize> {
        let mut images = Vec::new();
        // SAFETY: nobody gives signals.
        unsafe { signalled.complete(|image| images.push(image)) };
        images
    }

    #[test]
    fn each_image_is_completed_once() {
        let signalled = Signalled::default();
        assert!(completed(&signalled).is_empty() && !is_pending(Pending::Signals));
        for images in [&[3, 3, 3][..], &[5, 0, 5, 8, 8, 0]] {
            images.iter().for_each(|&image| signalled.note(image));
            assert!(is_pending(Pending::Signals));
            let distinct = BTreeSet::from_iter(images.iter().copied());
            assert_eq!(completed(&signalled), Vec::from_iter(distinct));
            assert!(completed(&signalled).is_empty() && !is_pending(Pending::Signals));
        }
    }
}
