//! Every image combines its block from the values of all images, where these are.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::windows;
use crate::epoch::in_place::{InPlace, PIECE_BYTES};
use crate::operator::append;
use crate::reduce_scatter::Reduction;

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    /// Returns whether they could: all have lent their values.
    #[inline(never)]
    pub(super) fn in_place(&self, call: &Call, mine: &mut [T]) -> Result<bool, ImageFailed> {
        let (me, images, length) = (self.team.index(), self.team.images(), mine.len());
        let epoch = InPlace::begin(self.team, call, self.values)?;
        if !epoch.have_lent(0..images) {
            return Ok(false);
        }
        let mut copy = Vec::new();
        for part in windows(0..length, (PIECE_BYTES / size_of::<T>()).max(1)) {
            let results = &mut mine[part.clone()];
            for from in 0..images {
                let there = me * length + part.start..me * length + part.end;
                let own = &self.values[there.clone()];
                match (from, from == me) {
                    (0, true) => results.copy_from_slice(own),
                    // SAFETY: that image has lent a block for each image, all as long, as images have compared calls.
                    (0, false) => unsafe { epoch.read_into(from, there.start, results) },
                    (_, true) => append(results, own, &self.operator),
                    (_, false) => {
                        // SAFETY: as above.
                        unsafe { epoch.read_to_vec(from, there, &mut copy) };
                        // The program's operator runs on a copy: it may take any time.
                        append(results, &copy, &self.operator);
                    }
                }
            }
        }
        epoch.end().map(|()| true)
    }
}
