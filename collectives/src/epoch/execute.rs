//! Carrying out a schedule in an epoch of steps.

use std::ops::Range;

use coarray_coref::Remote;
use coarray_runtime::{Abandoned, ImageFailed};

use crate::blocks::overlap;
use crate::epoch::Epoch;
use crate::schedule::{Layout, Schedule, Step, Then};

/// What an image has and what it makes of what it receives, by blocks.
pub(crate) trait Operands<T> {
    /// Calls `stage` with its own values of these blocks, one part after the other.
    fn own(&self, blocks: &Range<usize>, stage: impl FnMut(&[T]));

    /// Takes values of these blocks, which another image has published: keeps them or combines them with its own, as `then` says.
    fn take(&mut self, blocks: &Range<usize>, then: Then, values: &[T]);

    /// Where all values of these blocks are kept, if they are in one place: they may be written there instead.
    fn target(&mut self, _blocks: &Range<usize>) -> Option<&mut [T]> {
        None
    }
}

/// Where blocks lie in the buffers.
pub(crate) struct Places<'a, F> {
    layout: &'a Layout,
    /// At which element the buffer of an image begins.
    first: F,
    /// The elements that pass in this epoch, from the first on.
    window: Range<usize>,
}

impl<'a> Places<'a, fn(usize) -> usize> {
    /// All blocks pass at once.
    pub(crate) fn whole(layout: &'a Layout) -> Self {
        Self::new(layout, 0..layout.length(), |_| 0)
    }
}

impl<'a, F: Fn(usize) -> usize> Places<'a, F> {
    /// Those elements of the blocks pass that lie in the window, and the buffer of each image begins at the element that `first` returns
    /// for it; from there on the window counts.
    pub(crate) fn new(layout: &'a Layout, window: Range<usize>, first: F) -> Self {
        Self {
            layout,
            first,
            window,
        }
    }

    /// The place and the number of the elements of these blocks in a region of the buffer of `image`.
    fn of(&self, image: usize, blocks: &Range<usize>, region: usize) -> (usize, usize) {
        let (elements, first) = (self.layout.elements(blocks), (self.first)(image));
        // Around the last block, if they begin before.
        let start = match elements.start >= first {
            true => elements.start - first,
            false => elements.start + self.layout.length() - first,
        };
        let inside = overlap(&(start..start + elements.len()), &self.window);
        let place = region * self.window.len() + inside.start.saturating_sub(self.window.start);
        (place, inside.len())
    }
}

impl<T: Remote> Epoch<'_, T> {
    /// Carries out a schedule, and passes the barrier of the epoch.
    ///
    /// # Errors
    /// The images that failed before, the same on all others.
    ///
    /// # Safety
    /// All images in the same call carry out their schedules of the same algorithm, and have the same layout and window.
    pub(crate) unsafe fn execute(
        mut self,
        schedule: &Schedule,
        places: &Places<'_, impl Fn(usize) -> usize>,
        operands: &mut impl Operands<T>,
    ) -> Result<(), ImageFailed> {
        self.begin_steps();
        let mut steps = schedule.steps().iter();
        // SAFETY: the caller vouches for all steps.
        let end = steps.try_for_each(|step| unsafe { self.carry_out(step, places, operands) });
        self.finish(end)
    }

    /// # Safety
    /// As [`execute`](Self::execute), of which it is the next step.
    unsafe fn carry_out(
        &mut self,
        step: &Step,
        places: &Places<'_, impl Fn(usize) -> usize>,
        operands: &mut impl Operands<T>,
    ) -> Result<(), Abandoned> {
        let me = self.team.index();
        match step {
            Step::Stage { blocks, region } => {
                let (start, length) = places.of(me, blocks, *region);
                let mut next = start;
                operands.own(blocks, |values| {
                    // SAFETY: a schedule stages no block of a region twice, as its tests see to, so nobody reads there yet.
                    unsafe { self.stage(next, values) };
                    next += values.len();
                });
                assert_eq!(next, start + length, "an image has its own values");
            }
            Step::Publish => self.publish(),
            Step::Send { to, blocks, region } => {
                let (start, length) = places.of(me, blocks, *region);
                // SAFETY: a schedule sends only what it has published, as its tests see to.
                unsafe { self.push(*to, start, length) };
            }
            &Step::Receive {
                from,
                pieces,
                ref blocks,
                region,
                then,
            } => {
                let (start, length) = places.of(from, blocks, region);
                // SAFETY: the image, if it is in the same call, has so many pieces and these elements in them, as the tests of schedules
                // see to: all carry out theirs, as the caller vouches. It is another image, and its place in the buffer of this one is
                // staged once.
                unsafe {
                    if let Then::Forward(region) | Then::KeepAndForward(region) = then {
                        let (place, _) = places.of(me, blocks, region);
                        let values = self.forward(from, pieces, start, length, place)?;
                        if let Then::KeepAndForward(_) = then {
                            operands.take(blocks, Then::Keep, values);
                        }
                    } else if then == Then::Keep
                        && !self.team.is_local(from)
                        && let Some(target) = operands.target(blocks)
                    {
                        assert_eq!(target.len(), length, "an image has room for the values");
                        self.fetch(from, pieces, start, length, target.as_mut_ptr())?;
                    } else {
                        let values = self.receive(from, pieces, start, length)?;
                        operands.take(blocks, then, values);
                    }
                }
            }
        }
        Ok(())
    }
}
