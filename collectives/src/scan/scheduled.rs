//! Scans by schedules: from each image to the next, or by doubling distances.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::Algorithm;
use crate::epoch::execute::{Operands, Places};
use crate::epoch::{Epoch, chunks};
use crate::operator::{append, prepend};
use crate::scan::Scan;
use crate::schedule::{Layout, Then, scan, scan_pieces};

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    /// At most `most` elements pass at a time.
    pub(super) fn scheduled(
        &self,
        call: &Call,
        algorithm: Algorithm,
        most: usize,
        values: &mut [T],
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        for (number, chunk) in chunks(values, most).enumerate() {
            let layout = match algorithm {
                Algorithm::Chain => scan_pieces(chunk.len()),
                _ => Layout::equal(1, chunk.len()),
            };
            let schedule = scan(algorithm, images, me, layout.blocks());
            let mut operands = Scanning {
                layout: &layout,
                values: chunk,
                before: Vec::new(),
                initial: self.initial,
                operator: &self.operator,
            };
            let epoch = Epoch::begin(self.team, call, number);
            // SAFETY: images that have compared calls have the same algorithm and length.
            unsafe { epoch.execute(&schedule, &Places::whole(&layout), &mut operands)? };
            operands.finish();
        }
        Ok(())
    }
}

/// The values of an image in a scan.
struct Scanning<'a, T, F> {
    layout: &'a Layout,
    values: &'a mut [T],
    /// In an exclusive scan, those of the images before, combined.
    before: Vec<T>,
    initial: Option<T>,
    operator: &'a F,
}

impl<T: Remote, F: Fn(T, T) -> T> Scanning<'_, T, F> {
    /// In an exclusive scan, replaces the image's own values.
    fn finish(self) {
        if let Some(initial) = self.initial {
            self.values.fill(initial);
            append(self.values, &self.before, self.operator);
        }
    }
}

impl<T: Remote, F: Fn(T, T) -> T> Operands<T> for Scanning<'_, T, F> {
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        stage(&self.values[self.layout.elements(blocks)]);
    }

    fn take(&mut self, blocks: &Range<usize>, then: Then, values: &[T]) {
        let elements = self.layout.elements(blocks);
        // In an exclusive scan no image needs a combination that none receives, and the operator may not be defined for it.
        if self.initial.is_none() || then == Then::Prepend {
            prepend(&mut self.values[elements.clone()], values, self.operator);
        }
        if self.initial.is_some() {
            match self.before.get_mut(elements) {
                Some(before) => prepend(before, values, self.operator),
                // The first ones for these elements, which come one block after the other.
                None => self.before.extend_from_slice(values),
            }
        }
    }
}
