//! Reductions by schedules: up a tree, around a ring, by doubling distances.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::Algorithm;
use crate::epoch::execute::{Operands, Places};
use crate::epoch::{Epoch, chunks};
use crate::operator::{append, prepend};
use crate::reduce::Reduction;
use crate::schedule::{Layout, Then, Tree, reduce};

impl<F> Reduction<'_, F> {
    /// At most `most` elements pass at a time.
    pub(super) fn scheduled<T: Remote>(
        &self,
        call: &Call,
        algorithm: Algorithm,
        most: usize,
        values: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (team, me) = (self.team, self.team.index());
        let tree = Tree::natural(algorithm, team);
        let schedule = reduce(algorithm, &tree, me, self.root);
        for (number, chunk) in chunks(values, most).enumerate() {
            let layout = match algorithm {
                Algorithm::Ring => Layout::slices(team.images(), chunk.len()),
                _ => Layout::equal(1, chunk.len()),
            };
            let mut operands = Reducing {
                layout: &layout,
                values: chunk,
                combined: None,
                is_for_me: self.is_for_me(),
                operator: &self.operator,
            };
            let epoch = Epoch::begin(team, call, number);
            // SAFETY: images that have compared calls have the same algorithm, tree, length and root.
            unsafe { epoch.execute(&schedule, &Places::whole(&layout), &mut operands)? };
        }
        Ok(())
    }
}

/// The values of an image in a reduction.
struct Reducing<'a, T, F> {
    layout: &'a Layout,
    values: &'a mut [T],
    /// What was combined here for another image.
    combined: Option<Vec<T>>,
    is_for_me: bool,
    operator: &'a F,
}

impl<T: Remote, F: Fn(T, T) -> T> Operands<T> for Reducing<'_, T, F> {
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        let values = self.combined.as_deref().unwrap_or(self.values);
        stage(&values[self.layout.elements(blocks)]);
    }

    fn take(&mut self, blocks: &Range<usize>, then: Then, values: &[T]) {
        let elements = self.layout.elements(blocks);
        if then == Then::Keep {
            return self.values[elements].copy_from_slice(values);
        }
        let combined = match self.is_for_me {
            true => &mut self.values[elements],
            false => &mut self.combined.get_or_insert_with(|| self.values.to_vec())[elements],
        };
        match then {
            Then::Append => append(combined, values, self.operator),
            _ => prepend(combined, values, self.operator),
        }
    }

    fn target(&mut self, blocks: &Range<usize>) -> Option<&mut [T]> {
        Some(&mut self.values[self.layout.elements(blocks)])
    }
}
