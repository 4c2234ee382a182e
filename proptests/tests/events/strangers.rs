//! Events are for the images of their own job: only what these do is seen by who looks for a deadlock.

use std::iter;

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::{Setting, panic_of};

/// Runs `body` as the only image of a job of its own, inside an image of another.
fn in_a_job_of_its_own<R: Send>(body: impl Fn() -> R + Sync) -> R {
    Launch::new(1).heap(1 << 20).run(body).unwrap().remove(0)
}

#[test]
fn an_image_of_another_job_cannot_post_what_would_end_a_sleep_unseen() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let events = Coarray::new(Coevent::new());
            let other = (this_image() + 1) % num_images();
            let other_event = events.at(other).as_local();
            for event in iter::once(&*events).chain(other_event) {
                let text = in_a_job_of_its_own(|| panic_of(|| event.post()));
                assert!(text.contains("in no coarray of this image's job"), "{text}");
            }
            sync_all();
            assert_eq!(events.query(), 0);
            sync_all();
            events.at(other).post();
            events.wait();
        });
    }
}

#[test]
fn an_image_of_another_job_cannot_wait_for_posts_that_nobody_in_its_job_makes() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let event = Coarray::new(Coevent::new());
            let event: &Coevent = &event;
            let text = in_a_job_of_its_own(|| panic_of(|| event.wait()));
            assert!(text.contains("in a coarray of another job"), "{text}");
            let text = in_a_job_of_its_own(|| panic_of(|| event.try_wait()));
            assert!(text.contains("in a coarray of another job"), "{text}");
        });
    }
}

#[test]
fn an_event_that_is_in_no_coarray_cannot_be_posted() {
    for setting in Setting::everywhere() {
        let event = Coevent::new();
        let texts = setting.run(|| panic_of(|| event.post()));
        for text in texts {
            assert!(text.contains("Coarray::new(Coevent::new())"), "{text}");
        }
    }
}
