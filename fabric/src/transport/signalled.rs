//! The images with signals that may not be complete.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::transport::pending::{Pending, note_pending};

/// The images to which signals were given that may not be complete.
#[derive(Debug, Default)]
pub struct Signalled {
    /// Those of the first images, by bits.
    first: Cell<u64>,
    /// The others, and the last one that was added since there were none: most signals go where the one before went.
    last: Cell<Option<usize>>,
    others: RefCell<BTreeSet<usize>>,
}

impl Signalled {
    /// Notes a signal to `image`.
    #[inline]
    pub fn note(&self, image: usize) {
        let is_noted = match 1_u64.checked_shl(image as u32) {
            Some(bit) => self.first.get() & bit != 0,
            None => self.last.get() == Some(image),
        };
        if !is_noted {
            self.add(image);
        }
    }

    fn are_any(&self) -> bool {
        self.first.get() != 0 || self.last.get().is_some()
    }

    #[cold]
    #[inline(never)]
    fn add(&self, image: usize) {
        if !self.are_any() {
            // SAFETY: a signal is not complete.
            unsafe { note_pending(Pending::Signals, true) };
        }
        match 1_u64.checked_shl(image as u32) {
            Some(bit) => self.first.set(self.first.get() | bit),
            None => {
                self.last.set(Some(image));
                self.others.borrow_mut().insert(image);
            }
        }
    }

    /// Calls `complete` for each of the images, and forgets them.
    ///
    /// # Safety
    /// All signals to an image are complete when `complete` has returned.
    pub unsafe fn complete(&self, mut complete: impl FnMut(usize)) {
        if self.are_any() {
            let first = self.first.take();
            let is_noted = |image: &usize| first >> image & 1 != 0;
            (0..u64::BITS as usize)
                .filter(is_noted)
                .for_each(&mut complete);
            self.last.take();
            self.others.take().into_iter().for_each(complete);
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
        for images in [
            &[3, 3, 3][..],
            &[5, 0, 5, 8, 8, 0],
            &[64, 63, 100, 64, 0, 64],
        ] {
            images.iter().for_each(|&image| signalled.note(image));
            assert!(is_pending(Pending::Signals));
            let distinct = BTreeSet::from_iter(images.iter().copied());
            assert_eq!(completed(&signalled), Vec::from_iter(distinct));
            assert!(completed(&signalled).is_empty() && !is_pending(Pending::Signals));
        }
    }
}
