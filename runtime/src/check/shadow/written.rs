//! Who has written what bytes hold.

use std::sync::atomic::Ordering;

use crate::check::shadow::{Granule, Locked, Shadow, Span};
use crate::check::stamp::Stamp;

impl Shadow {
    /// Calls `found` for all bytes of a span: with the stamp of the last write, none where none is known, and how many bytes are from that.
    pub(crate) fn each_write(&self, span: Span, mut found: impl FnMut(Granule, Stamp, usize)) {
        for number in span.granules() {
            let locked = self.lock_block(span.image, number);
            self.each_write_of(&locked, span, number, &mut found);
        }
    }

    /// As [`each_write`](Self::each_write), of a span in one granule that is locked.
    pub(crate) fn each_write_locked(
        &self,
        locked: &Locked<'_>,
        span: Span,
        mut found: impl FnMut(Granule, Stamp, usize),
    ) {
        let number = span.granules().start;
        self.each_write_of(locked, span, number, &mut found);
    }

    fn each_write_of(
        &self,
        locked: &Locked<'_>,
        span: Span,
        number: usize,
        found: &mut impl FnMut(Granule, Stamp, usize),
    ) {
        let image = span.image;
        let granule = Granule { image, number };
        let mut mask = span.mask(number);
        let mut of_one = |stamp: Stamp| {
            let bytes = (mask & stamp.mask()).count_ones() as usize;
            if bytes > 0 {
                found(granule, stamp, bytes);
            }
            mask &= !stamp.mask();
        };
        // Relaxed: under the lock.
        let writes = Stamp(locked.cells(number)[0].load(Ordering::Relaxed));
        if writes.is_many() {
            // The last one is in front.
            let stamps = self.table(granule).get(&(granule, true)).cloned();
            stamps
                .unwrap_or_default()
                .into_iter()
                .rev()
                .for_each(of_one);
        } else {
            of_one(writes);
        }
        if mask != 0 {
            found(granule, Stamp::NONE, mask.count_ones() as usize);
        }
    }
}
