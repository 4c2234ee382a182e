//! Jobs that go on without images that fail: what these have not stored, and when the others learn of it.

use coarray::failure::{fail_image, failed_images, try_sync_all};
use coarray::prelude::*;
use coarray::quiet;

use crate::program::{Version, until};

/// Image 1 saves what it has on image 0, and fails. What it put last may not have arrived, and then never will.
pub fn copy_that_the_failed_image_had_not_finished(version: Version) {
    let mut copies = Coarray::new([[0; 2]; 2]);
    let copies = copies.open();
    if this_image() == 1 {
        for generation in 1..3 {
            let copy = match version {
                Version::Wrong => &copies.at(0)[0],
                Version::Right => &copies.at(0)[generation % 2],
            };
            copy[1].put(10 * generation);
            if version.is_right() {
                quiet();
            }
            copy[0].put(generation);
        }
        fail_image();
    }
    until(|| !failed_images().is_empty());
    let copies = copies.here().get();
    let [generation, value] = copies[usize::from(copies[1] > copies[0])];
    assert_eq!(value, 10 * generation);
}

/// That an image has failed is not known to all at the same moment: what they agree on is what a collective operation returns.
pub fn recovery_begun_by_who_has_seen_the_failure(version: Version) {
    if this_image() == 1 {
        fail_image();
    }
    for _ in 0..2 {
        let sees_none = version.is_right() || failed_images().is_empty();
        if !sees_none || try_sync_all().is_err() {
            break;
        }
    }
    let left = Team::form_survivors(1);
    assert_eq!(left.num_images(), num_images() - 1);
}
