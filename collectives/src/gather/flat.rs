//! The root reads everyone's values.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::blocks::{overlap, windows};
use crate::gather::Gathering;
use crate::turn::{Turn, capacity, fits_card};

impl Gathering<'_> {
    pub(super) fn flat<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let images = self.team.images();
        let is_root = self.team.index() == self.order.image(0);
        let longest = self.blocks.longest(images);
        if fits_card::<T>(longest) {
            return self.at_once(call, first, values, place);
        }
        for (number, window) in windows(0..longest, capacity::<T>()).enumerate() {
            let mut turn = Turn::begin(self.team, call, first + number);
            if !is_root {
                // SAFETY: nobody reads our half before the meeting.
                unsafe { turn.write(0, &values[overlap(&(0..values.len()), &window)]) };
            }
            turn.barrier()?;
            if !is_root {
                continue;
            }
            for position in 1..images {
                let length = self.blocks.block(position).len();
                let (from, part) = (self.order.image(position), overlap(&(0..length), &window));
                // SAFETY: that image wrote the elements it has in the window; all know how many it has.
                place(from, part.start, unsafe { turn.read(from, 0, part.len()) });
            }
        }
        Ok(())
    }

    /// As [`flat`](Self::flat), for values that are brought to the meeting itself.
    fn at_once<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let mut turn = Turn::begin(self.team, call, first);
        turn.pack(0, values);
        turn.barrier()?;
        if self.team.index() == self.order.image(0) {
            for position in 1..self.team.images() {
                let (from, block) = (self.order.image(position), self.blocks.block(position));
                // SAFETY: that image brought its values; all know how many it has.
                unsafe { turn.brought(from, block.len(), |brought| place(from, 0, brought)) };
            }
        }
        Ok(())
    }
}
