//! Which images of a team have failed, or are gone in another way.

use crate::image::team::Team;
use crate::job::control::ENDED;
use crate::job::image_failed::ImageFailed;

impl Team {
    /// Whether the image with this index has failed.
    #[must_use]
    pub fn is_failed(&self, index: usize) -> bool {
        self.image.has_failed(self.members[index] as usize)
    }

    /// Whether the image with this index has come to the end of the program: everything it posted before is visible.
    pub(crate) fn has_stopped(&self, index: usize) -> bool {
        self.image.has_stopped(self.members[index] as usize)
    }

    /// Whether the image with this index enters no barrier any more, and the others go on: it has failed, or stopped in a job that keeps
    /// going.
    pub(crate) fn is_gone(&self, index: usize) -> bool {
        self.image.is_out(self.members[index] as usize)
    }

    /// Whether any image of the team has failed.
    #[must_use]
    pub fn has_failed_images(&self) -> bool {
        self.look_for_failures();
        self.has_failed.get()
    }

    /// Whether any image of the team enters no barrier any more, and the others go on.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.look_for_failures();
        self.is_incomplete.get()
    }

    /// Whether all images share memory, and none has failed or stopped as far as was found, nor since then.
    #[inline]
    pub(crate) fn is_known_to_share_all(&self) -> bool {
        let failure_epoch = self.image.job.region.job().failure_epoch();
        self.node_map.is_none()
            && !self.is_incomplete.get()
            && failure_epoch == self.failure_epoch.get()
    }

    /// Searches the team if images of the job have failed or stopped since the last time.
    fn look_for_failures(&self) {
        // The bit for the end of the job is left out, so that barriers notice the end themselves.
        let failure_epoch = self.image.job.region.job().failure_epoch() & !ENDED;
        if failure_epoch != self.failure_epoch.replace(failure_epoch) && !self.has_failed.get() {
            let gone = (0..self.images()).any(|index| self.is_gone(index));
            let failed = gone && (0..self.images()).any(|index| self.is_failed(index));
            self.has_failed.set(failed);
            self.is_incomplete.set(gone);
            self.is_plain.set(self.is_plain.get() && !gone);
        }
    }

    /// The error that all images of the team are missed that have failed, or stopped in a job that keeps going, as far as is known.
    #[must_use]
    pub fn missing_images(&self) -> ImageFailed {
        let gone = (0..self.images()).filter(|&index| self.is_gone(index));
        self.missed(gone.collect())
    }

    /// The error that these images, which are gone, are missed.
    #[must_use]
    pub fn missed(&self, gone: Vec<usize>) -> ImageFailed {
        let (images, stopped) = gone.into_iter().partition(|&index| self.is_failed(index));
        ImageFailed {
            stopped,
            ..ImageFailed::new(images)
        }
    }

    /// The images of the team that have failed, by index.
    #[must_use]
    pub fn failed_images(&self) -> Vec<usize> {
        (0..self.images())
            .filter(|&index| self.is_failed(index))
            .collect()
    }
}
