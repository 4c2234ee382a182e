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
        // Those of image 0 come first, and it has them: nobody reads them if the result is for it alone.
        let is_first = start.team.index() == 0;
        let most = size_of_val(values);
        let post = |values: &[T]| Posts::begin(&start.team, call, values, most, readers);
        let posts = match self.root {
            Some(0) if is_first => post(&[]),
            _ => post(values),
        };
        if self.is_for_me() {
            if !is_first {
                // SAFETY: every image posts its values, whose number is the same on all images whose calls are.
                unsafe { posts.read_into(0, 0, values) };
            }
            for from in 1..self.team.images() {
                // SAFETY: as above.
                unsafe { posts.read(from, 0, length, |next| self.append(values, next)) };
            }
        }
    }
}
