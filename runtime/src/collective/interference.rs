//! The reports if the operator of a collective calls other operations.

use crate::call::Call;
use crate::image::team::Team;
use crate::job::unwinding::panic_at;

impl Team {
    /// Panics about `call`, because another collective is in progress.
    #[cold]
    pub fn refuse_epoch(&self, call: &Call) -> ! {
        let other = self.image().interrupted_call();
        let place = other.map_or_else(String::new, |caller| format!(" (called at {caller})"));
        panic_at(
            call.caller(),
            &format!(
                "a collective was called while another one was in progress{place}: by the function with which that one \
                 combines values, or after a panic that took this image out of it"
            ),
        )
    }

    /// Panics about `call`, in the middle of which this image entered another barrier.
    #[cold]
    pub fn refuse_barrier(&self, call: &Call) -> ! {
        panic_at(
            call.caller(),
            "images entered a barrier while a collective was in progress: by the function with which that one combines values",
        )
    }
}
