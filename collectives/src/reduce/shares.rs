//! Each image combines its share of the elements, straight from the others' memory, and whoever gets the results
//! collects the shares.

use coarray_coref::Remote;
use coarray_fabric::ImageFailed;

use crate::reduce::Reduction;
use crate::turn::{Turn, slice};

impl<F> Reduction<'_, F> {
    pub(super) fn shares<T: Remote>(
        &self,
        mut turn: Turn<'_, T>,
        chunk: &mut [T],
    ) -> Result<(), ImageFailed>
    where
        F: Fn(T, T) -> T,
    {
        let (images, me) = (self.team.images(), self.team.index());
        let length = chunk.len();
        let share = |image: usize| slice(length, images, image);
        // SAFETY: nobody reads our half before the meeting.
        unsafe { turn.write(0, chunk) };
        turn.meet()?;

        let mut kept = Vec::new();
        let mine = if self.is_for_me() {
            &mut chunk[share(me)]
        } else {
            kept.extend_from_slice(&chunk[share(me)]);
            &mut kept[..]
        };
        for from in 0..images {
            // SAFETY: every image wrote the chunk before the meeting; in this turn it writes again only its own
            // share, which nobody but itself reads before the second meeting.
            let values = unsafe { turn.read(from, share(me).start, mine.len()) };
            if from == 0 {
                mine.copy_from_slice(values);
            } else {
                self.append(mine, values);
            }
        }
        // SAFETY: only this image reads its share of its own half before the second meeting.
        unsafe { turn.write(share(me).start, mine) };
        turn.meet()?;

        if !self.is_for_me() {
            return Ok(());
        }
        for owner in (0..images).filter(|&owner| owner != me) {
            let share = share(owner);
            // SAFETY: the owner wrote its share before this meeting and writes no more in this turn.
            let results = unsafe { turn.read(owner, share.start, share.len()) };
            chunk[share].copy_from_slice(results);
        }
        Ok(())
    }
}
