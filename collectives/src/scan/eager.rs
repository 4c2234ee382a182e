//! Every image posts its values, and waits for those of the images before it.

use coarray_coref::Remote;
use coarray_runtime::Call;

use crate::collective::Start;
use crate::eager::Posts;
use crate::operator::append;
use crate::scan::Scan;

impl<T: Remote, F: Fn(T, T) -> T> Scan<'_, T, F> {
    pub(super) fn eager(&self, start: &Start, call: &Call, values: &mut [T]) {
        let (me, length) = (self.team.index(), values.len());
        let after = me + 1..self.team.images();
        let posts = Posts::begin(&start.team, call, values, size_of_val(values), after);
        let others = match self.initial {
            Some(initial) => {
                values.fill(initial);
                0..me
            }
            None => {
                if me > 0 {
                    // SAFETY: every image posts its values, whose number is the same on all images whose calls are.
                    unsafe { posts.read_into(0, 0, values) };
                }
                1..me + 1
            }
        };
        for from in others {
            let combine = |others: &[T]| append(values, others, &self.operator);
            // SAFETY: as above.
            unsafe { posts.read(from, 0, length, combine) };
        }
    }
}
