//! Every image posts its values, and who gets the result waits for all of them.

use coarray_coref::Remote;
use coarray_runtime::Call;

use crate::collective::Start;
use crate::eager::Posts;
use crate::reduce::Reduction;

impl<F> Reduction<'_, F> {
    pub(super) fn eager<T: Remote>(&self, start: &Start, call: &Call, values: &mut [T])
    where
        F: Fn(T, T) -> T,
    {
        let length = values.len();
        let readers = match self.root {
            Some(root) => root..root + 1,
            None => 0..self.team.images(),
        };
        let posts = Posts::begin(&start.team, call, values, size_of_val(values), readers);
        if self.is_for_me() {
            // SAFETY: every image posts its values, whose number is the same on all images whose calls are.
            unsafe { posts.read_into(0, 0, values) };
            for from in 1..self.team.images() {
                // SAFETY: as above.
                unsafe { posts.read(from, 0, length, |next| self.append(values, next)) };
            }
        }
    }
}
