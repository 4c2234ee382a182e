//! The lost images of a fault-tolerant job: what to report of each, and of the job if none is left.

use coarray_runtime::Failure;

#[derive(Debug)]
pub(crate) struct LostImages {
    images: usize,
    lost: usize,
    first: Option<Failure>,
}

impl LostImages {
    /// For a job of `images` images, none of which is lost.
    pub(crate) fn new(images: usize) -> Self {
        Self {
            images,
            lost: 0,
            first: None,
        }
    }

    /// Adds an image that failed. Returns what to report now, in whole lines; nothing for the only image of a job, whose report says the same.
    pub(crate) fn add(&mut self, failure: Failure) -> Option<String> {
        self.lost += 1;
        let outlook = if self.lost < self.images {
            "the other images go on"
        } else {
            "no image is left"
        };
        let note = format!("{}; {outlook}\n", failure.to_string().trim_end());
        self.first.get_or_insert(failure);
        (self.images > 1).then_some(note)
    }

    /// Whether each loss was reported when it came.
    pub(crate) fn are_told(&self) -> bool {
        self.images > 1
    }

    /// Why the job failed, if no image is left: the failure of the first one.
    pub(crate) fn status(&self) -> Option<Failure> {
        let first = self.first.as_ref();
        first.filter(|_| self.lost == self.images).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(image: usize, code: u8) -> Failure {
        Failure {
            image,
            code,
            text: "exited\n".into(),
        }
    }

    #[test]
    fn the_first_loss_is_the_verdict_once_no_image_is_left() {
        let mut lost = LostImages::new(2);
        let note = lost.add(failure(1, 7));
        assert_eq!(
            note.unwrap(),
            "coarray: image 1 exited; the other images go on\n"
        );
        let note = lost.add(failure(0, 8));
        assert_eq!(note.unwrap(), "coarray: image 0 exited; no image is left\n");
        assert_eq!(lost.status(), Some(failure(1, 7)));
    }

    #[test]
    fn there_is_no_verdict_while_an_image_is_left() {
        let mut lost = LostImages::new(3);
        lost.add(failure(1, 7));
        lost.add(failure(2, 7));
        assert_eq!(lost.status(), None);
    }

    #[test]
    fn the_loss_of_an_only_image_is_told_once() {
        let mut lost = LostImages::new(1);
        assert_eq!(lost.add(failure(0, 7)), None);
        assert_eq!(lost.status(), Some(failure(0, 7)));
    }
}
