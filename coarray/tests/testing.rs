//! The test attribute and the comparison of image counts, as users write them.

use std::sync::atomic::{AtomicUsize, Ordering};

use coarray::prelude::*;
use coarray::testing::same_on;

#[coarray::test(images = 4)]
fn a_test_runs_on_as_many_images_as_it_says() {
    assert_eq!(num_images(), 4);
    let mut images = 1;
    co_sum(&mut images);
    assert_eq!(images, 4);
}

#[coarray::test(images = [1, 2, 7])]
fn a_test_runs_at_each_count_of_its_list() {
    static COUNTS: AtomicUsize = AtomicUsize::new(0);
    COUNTS.fetch_or(1 << num_images(), Ordering::Relaxed);
    sync_all();
    if num_images() == 7 {
        assert_eq!(COUNTS.load(Ordering::Relaxed), 1 << 1 | 1 << 2 | 1 << 7);
    }
}

#[coarray::test(images = 3)]
#[should_panic(expected = "with 3 images: coarray: image 1 panicked at ")]
fn a_panic_of_an_image_fails_the_test_with_its_report() {
    assert!(this_image() != 1, "the moon is missing");
    sync_all();
}

#[coarray::test(images = 2)]
fn a_test_can_return_a_result() -> Result<(), std::num::ParseIntError> {
    assert_eq!("7".parse::<i32>()?, 7);
    Ok(())
}

#[coarray::test(images = 2)]
#[should_panic(expected = "the test returned an error")]
fn an_error_returned_from_a_test_fails_it() -> Result<(), String> {
    Err("the moon is missing".into())
}

#[test]
fn the_same_bits_at_all_counts_are_returned() {
    let values = same_on([1, 2, 3, 8], || {
        let mut values = vec![0.1, f64::NAN];
        co_max(&mut values);
        values
    });
    assert!(values[0] == 0.1 && values[1].is_nan());
}

#[test]
#[should_panic(expected = "the result depends on the number of images:\n2 images: 2\n3 images: 3")]
fn bits_that_depend_on_the_count_are_shown() {
    same_on([2, 3], num_images);
}

#[test]
#[should_panic(expected = "the result depends on the number of images")]
fn zeros_of_different_signs_are_different_bits() {
    same_on([1, 2], || if num_images() == 1 { 0.0 } else { -0.0 });
}

#[coarray::test(images = [2, 3], check)]
fn a_checked_test_without_races_passes() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(1);
    sync_all();
    assert_eq!(x.here().get(), 1);
}

#[coarray::test(images = [1, 2], check)]
#[should_panic(expected = "with 2 images: coarray: images raced at one pair of lines")]
fn a_checked_test_fails_where_images_race() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(0).put(this_image());
}
