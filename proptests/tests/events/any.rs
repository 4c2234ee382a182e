//! Waiting for any of several events, against counts of posts.

use std::time::Duration;

use coarray::events::Coevents;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

const EVENTS: usize = 4;

proptest! {
    #![proptest_config(config(30))]

    /// All images post to events of all, as numbers say that all of them know.
    #[test]
    fn each_post_to_any_of_several_events_is_returned_once(
        setting in Setting::anywhere(),
        posts in 0usize..40,
        seed: u64,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let events = Coarray::<[Coevent; EVENTS]>::from_fn(|_| Coevent::new());
            let target = |from: usize, post: usize| {
                let random = mix(seed, (from * 1000 + post) as u64) as usize;
                (random % images, random / images % EVENTS)
            };
            let mut expected = [0; EVENTS];
            for (from, post) in (0..images).flat_map(|from| (0..posts).map(move |post| (from, post))) {
                let (image, event) = target(from, post);
                if from == me {
                    events.at(image)[event].post();
                }
                if image == me {
                    expected[event] += 1;
                }
            }
            // Of the first three, and of all but the last post of these by waits without a limit.
            let all: usize = expected[..3].iter().sum();
            let mut seen = [0; EVENTS];
            for post in 0..all {
                let came = match post % 2 {
                    0 => events[..3].wait_any(),
                    _ => events[..3].wait_any_timeout(Duration::MAX).unwrap().unwrap(),
                };
                seen[came] += 1;
            }
            assert_eq!(seen[..3], expected[..3]);
            assert_eq!(events[..3].wait_any_timeout(Duration::from_millis(1)).unwrap(), None);
            sync_all();
            assert_eq!(events[3].query(), expected[3] as u64);
            sync_all();
        });
    }
}

/// An image sleeps until the last of its events is posted.
#[test]
fn a_wait_sees_what_was_put_before_the_post() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let images = num_images();
            let events = Coarray::<[Coevent]>::from_fn(images, |_| Coevent::new());
            let mut parts = Coarray::<[u64]>::zeroed(images);
            let parts = parts.open();
            for image in 0..images {
                let me = this_image();
                parts.at(image)[me].put_notify(me as u64 + 7, &events.at(image)[me]);
            }
            for _ in 0..images {
                let from = events.wait_any();
                assert_eq!(parts.here()[from].get(), from as u64 + 7);
            }
            sync_all();
        });
    }
}
