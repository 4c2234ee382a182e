//! Ending the job from one of its images. Images of this node read the failure in shared memory; other nodes are sent
//! it.

use crate::image::Image;
use crate::job::control::Failure;
use crate::job::settings::FabricKind;
use crate::messages::messaging::broadcast_end;

impl Image {
    /// Ends the job with a report that starts with "image N". Does not return: the image unwinds.
    pub fn fail(&self, text: String) -> ! {
        self.fail_silently(1, text, self.index);
        self.unwind()
    }

    /// Ends the job as fast as possible, without unwinding where an image can end by itself, so that the program cannot
    /// catch it.
    pub(crate) fn stop(&self, code: u8, text: String) -> ! {
        self.fail_silently(code, text, self.index);
        match self.job.fabric {
            FabricKind::Processes => std::process::exit(i32::from(code)),
            _ => self.unwind(),
        }
    }

    /// Ends the job because of `image`; false if it already ended for another reason.
    pub(crate) fn fail_silently(&self, code: u8, text: String, image: usize) -> bool {
        self.fail_after(&Failure { image, code, text }, || ())
    }

    /// Ends the job because of `failure` after `prepare`; false, without `prepare`, if it already ended for another
    /// reason.
    pub(crate) fn fail_after(&self, failure: &Failure, prepare: impl FnOnce()) -> bool {
        let first = self.job.fail_after(failure, prepare);
        if first && self.network.is_some() {
            broadcast_end(self, failure);
        }
        first
    }
}
