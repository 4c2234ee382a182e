//! Everyone reads everyone's values, beginning with the image behind it.

use coarray_coref::Remote;
use coarray_runtime::{Call, ImageFailed};

use crate::allgather::Gathering;
use crate::blocks::{overlap, windows};
use crate::turn::{Turn, capacity, fits_card};

impl Gathering<'_> {
    pub(super) fn flat<T: Remote>(
        &self,
        call: &Call,
        first: usize,
        values: &[T],
        mut place: impl FnMut(usize, usize, &[T]),
    ) -> Result<(), ImageFailed> {
        let (me, images) = (self.team.index(), self.team.images());
        let longest = self.blocks.longest(images);
        if fits_card::<T>(longest) {
            return self.at_once(call, first, values, place);
        }
        for (number, window) in windows(0..longest, capacity::<T>()).enumerate() {
            let mut turn = Turn::begin(self.team, call, first + number);
            // SAFETY: nobody reads our half before the meeting.
            unsafe { turn.write(0, &values[overlap(&(0..values.len()), &window)]) };
            turn.barrier()?;
            for from in (me + 1..me + images).map(|from| from % images) {
                let part = overlap(&(0..self.blocks.block(from).len()), &window);
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
        let (me, images) = (self.team.index(), self.team.images());
        let mut turn = Turn::begin(self.team, call, first);
        turn.pack(0, values);
        turn.barrier()?;
        for from in (me + 1..images).chain(0..me) {
            let length = self.blocks.block(from).len();
            // SAFETY: that image brought its values; all know how many it has.
            unsafe { turn.brought(from, length, |brought| place(from, 0, brought)) };
        }
        Ok(())
    }
}
