//! Reduce-scatters by schedules: around a ring, or up a tree and down again.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::Algorithm;
use crate::blocks::windows;
use crate::epoch::Epoch;
use crate::epoch::execute::{Operands, Places};
use crate::operator::{append, prepend};
use crate::reduce_scatter::Reduction;
use crate::schedule::{Layout, Schedule, Then, Tree, reduce_scatter};

impl<T: Remote, F: Fn(T, T) -> T> Reduction<'_, T, F> {
    /// At most `most` elements of each block pass at a time.
    pub(super) fn scheduled(
        &self,
        call: &Call,
        algorithm: Algorithm,
        most: usize,
        mine: &mut [T],
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let schedule = reduce_scatter(algorithm, &Tree::natural(algorithm, self.team), me);
        for (number, window) in windows(0..mine.len(), most).enumerate() {
            let layout = Layout::equal(images, window.len());
            let own = |image: usize| &self.block(image)[window.clone()];
            let mine = &mut mine[window.clone()];
            match algorithm {
                Algorithm::Ring => {
                    mine.copy_from_slice(own((me + images - 1) % images));
                    let mut operands = Around {
                        own,
                        mine,
                        operator: &self.operator,
                    };
                    self.pass(call, number, &schedule, &layout, &mut operands)?;
                }
                _ => {
                    let all = (0..images).flat_map(own).copied().collect();
                    let mut operands = UpAndDown {
                        layout: &layout,
                        all,
                        me,
                        operator: &self.operator,
                    };
                    self.pass(call, number, &schedule, &layout, &mut operands)?;
                    let results = layout.elements(&(me..me + 1));
                    mine.copy_from_slice(&operands.all[results]);
                }
            }
        }
        Ok(())
    }

    fn pass(
        &self,
        call: &Call,
        number: usize,
        schedule: &Schedule,
        layout: &Layout,
        operands: &mut impl Operands<T>,
    ) -> Result<(), ImageFailed> {
        let epoch = Epoch::begin(self.team, call, number);
        // SAFETY: images that have compared calls have the same algorithm, tree and length.
        unsafe { epoch.execute(schedule, &Places::whole(layout), operands) }
    }
}

/// The values of an image in a ring: those that it passes on, or at last its own.
struct Around<'a, T, O, F> {
    own: O,
    mine: &'a mut [T],
    operator: &'a F,
}

impl<'v, T, O, F> Operands<T> for Around<'_, T, O, F>
where
    T: Remote,
    O: Fn(usize) -> &'v [T],
    F: Fn(T, T) -> T,
{
    fn own(&self, _: &Range<usize>, mut stage: impl FnMut(&[T])) {
        stage(self.mine);
    }

    fn take(&mut self, blocks: &Range<usize>, _: Then, values: &[T]) {
        self.mine.copy_from_slice((self.own)(blocks.start));
        prepend(self.mine, values, self.operator);
    }
}

/// All values of an image in a tree, and then the results of its subtree.
struct UpAndDown<'a, T, F> {
    layout: &'a Layout,
    all: Vec<T>,
    me: usize,
    operator: &'a F,
}

impl<T: Remote, F: Fn(T, T) -> T> Operands<T> for UpAndDown<'_, T, F> {
    fn own(&self, blocks: &Range<usize>, mut stage: impl FnMut(&[T])) {
        stage(&self.all[self.layout.elements(blocks)]);
    }

    fn take(&mut self, blocks: &Range<usize>, then: Then, values: &[T]) {
        if then == Then::Append {
            append(&mut self.all, values, self.operator);
        } else {
            let mine = self.layout.elements(&(self.me..self.me + 1));
            // The image's own block comes first.
            let length = mine.len();
            debug_assert_eq!(blocks.start, self.me);
            self.all[mine].copy_from_slice(&values[..length]);
        }
    }
}
