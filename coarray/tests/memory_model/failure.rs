//! Rule 15: puts of an image that fails afterwards.

use coarray::check::racy;
use coarray::failure::{fail_image, try_sync_all};
use coarray::prelude::*;

use crate::message::{Message, until};

/// Rule 15. The last image puts to three places of each other image: before a barrier, before a post, and
/// just before it fails.
///
/// An image that finds something wrong fails as well. The others notice that at the end, and fail too, so
/// that none is left.
pub fn what_a_failed_image_completed_stays_visible() {
    let last = num_images() - 1;
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Message; 3]>::from_fn(|_| Message::none());
    let x = x.open();
    for round in 1..50 {
        if this_image() == last {
            (0..last).for_each(|image| Message::new(round, last).put(&x.at(image)[0]));
        }
        sync_all();
        if this_image() == last {
            (0..last).for_each(|image| Message::new(round, last).put(&x.at(image)[1]));
            (0..last).for_each(|image| came.at(image).post());
            if round == 49 {
                (0..last).for_each(|image| Message::new(round, last).put(&x.at(image)[2]));
                fail_image();
            }
        } else {
            Message::new(round, last).assert_in(&x.here()[0]);
            // The post comes whether or not the image has failed since.
            until(|| came.query() > 0);
            came.wait();
            Message::new(round, last).assert_in(&x.here()[1]);
        }
        if round < 49 {
            sync_all();
        }
    }
    until(|| coarray::failure::failed_images() == [last]);
    assert_eq!(try_sync_all().unwrap_err().images, [last]);
    let last_words = racy("it put them and failed", || x.here()[2].get());
    assert!(
        last_words.is_mixture_of(&Message::none(), &Message::new(49, last)),
        "a word was neither the old nor the new one"
    );
    assert_eq!(try_sync_all().unwrap_err().images, [last]);
}
