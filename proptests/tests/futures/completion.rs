//! When operations complete that nobody waits for.

use std::mem;
use std::num::NonZeroU8;

use coarray::image_fence;
use coarray::prelude::*;
use coarray_proptests::{Setting, mix, panic_of};

use crate::{is_complete, tear};

fn right() -> usize {
    (this_image() + 1) % num_images()
}

fn left() -> usize {
    (this_image() + num_images() - 1) % num_images()
}

#[test]
fn operations_on_different_images_complete_in_any_order() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new(this_image());
            let open = coarray.open();
            let fetched: Vec<_> = (0..num_images())
                .map(|image| open.at(image).get_async())
                .collect();
            let is_direct = |image| setting.reaches(this_image(), image);
            for (image, get) in fetched.iter().enumerate() {
                assert_eq!(is_complete(get), is_direct(image));
            }
            for (image, get) in fetched.into_iter().enumerate().rev() {
                assert_eq!(get.wait(), image);
            }
            let late: Vec<_> = (0..num_images())
                .map(|image| open.at(image).get_async())
                .collect();
            assert_eq!(open.at(right()).get(), right());
            for (image, get) in late.iter().enumerate() {
                assert_eq!(is_complete(get), is_direct(image) || image == right());
            }
            fence(left());
            for (image, get) in late.iter().enumerate() {
                let is_local = image == right() || image == left();
                assert_eq!(is_complete(get), is_direct(image) || is_local);
            }
            image_fence();
            assert!(late.iter().all(is_complete));
            while !open.at(right()).get_async().is_ready() {}
        });
    }
}

#[test]
fn operations_that_nobody_waits_for_do_not_pile_up() {
    for setting in Setting::everywhere().filter(|setting| !setting.direct) {
        setting.run(|| {
            let mut coarray = Coarray::<[u32]>::zeroed(num_images());
            let open = coarray.open();
            let place = &open.at(right())[this_image()];
            let puts: Vec<_> = (1..10_000).map(|value| place.put_async(value)).collect();
            let underway = puts.iter().filter(|put| !is_complete(put)).count();
            assert!((1..5_000).contains(&underway), "{underway} operations wait");
            assert_eq!(place.get(), 9_999);
        });
    }
}

#[test]
fn puts_that_were_dropped_or_leaked_arrive_at_the_next_meeting() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let (me, right, left) = (this_image(), right(), left());
            let mut coarray = Coarray::new([0; 4]);
            let open = coarray.open();
            drop(open.at(right)[0].put_async(me + 1));
            mem::forget(open.at(right)[1].put_async(me + 2));
            sync_all();
            assert_eq!(open.here().get(), [left + 1, left + 2, 0, 0]);
            sync_all();
            mem::forget(open.at(right)[2].put_async(me + 3));
            let mut sum = 1;
            co_sum(&mut sum);
            assert_eq!(open.here()[2].get(), left + 3);
            mem::forget(open.at(right)[3].put_async(me + 4));
            open.close();
            assert_eq!(*coarray, [left + 1, left + 2, left + 3, left + 4]);
        });
    }
}

#[test]
fn nothing_is_written_to_a_coarray_that_is_gone() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            for round in 0..100 {
                let value = mix(round, this_image() as u64);
                let mut coarray = Coarray::<[u64]>::from_fn(8, |_| value);
                assert_eq!(*coarray, [value; 8]);
                let open = coarray.open();
                for index in 0..8 {
                    mem::forget(open.at(right())[index].put_async(!value));
                    mem::forget(open.at(left())[index].get_async());
                }
                drop(open);
                coarray.fill(value);
                // The next round's coarray is in the same memory.
                quiet();
                assert_eq!(*coarray, [value; 8]);
            }
        });
    }
}

#[test]
fn a_phase_that_ends_by_a_panic_leaves_its_memory_to_what_was_issued() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([0u8; 16]);
            let text = panic_of(|| {
                let open = coarray.open();
                mem::forget(open.at(right()).put_async([1; 16]));
                panic!("in the phase");
            });
            assert_eq!(text, "in the phase");
            assert!(panic_of(|| coarray[0]).contains("still open"));
            drop(coarray);
            let other = Coarray::new([7u8; 16]);
            sync_all();
            assert_eq!(*other, [7; 16]);
        });
    }
}

#[test]
fn bytes_that_are_no_value_are_reported_to_who_waits() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let mut coarray = Coarray::new([NonZeroU8::MIN; 2]);
            let open = coarray.open();
            if this_image() == 0 {
                let last = num_images() - 1;
                let place = &open.at(last)[0];
                tear(place, 0);
                let (one, both) = (place.get_async(), open.at(last).get_async());
                let polled = place.get_async();
                for text in [
                    panic_of(|| one.wait()),
                    panic_of(|| both.wait()),
                    panic_of(|| futures::executor::block_on(polled)),
                ] {
                    let expected = format!("got bytes from image {last} that are no valid `");
                    assert!(text.contains(&expected), "{text}");
                }
                drop(place.get_async());
                place.put_async(NonZeroU8::MAX).wait();
                assert_eq!(place.get_async().wait(), NonZeroU8::MAX);
            }
        });
    }
}

#[test]
fn there_is_no_fence_to_images_that_do_not_exist() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let images = num_images();
            (0..images).for_each(fence);
            let expected = format!(
                "there is no image {images}: the images are numbered 0 to {}",
                images - 1
            );
            assert_eq!(panic_of(|| fence(images)), expected);
        });
    }
    assert!(panic_of(quiet).contains("not an image"));
}

#[test]
fn values_of_all_sizes_travel() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let value = |image: usize| (mix(image as u64, 0), image.is_multiple_of(2));
            let mut large = Coarray::<[[u64; 20]; 3]>::zeroed();
            let mut small = Coarray::new(false);
            let (to_large, to_small) = coarray::open((&mut large, &mut small));
            let (number, truth) = value(this_image());
            let stored = to_large.at(right()).put_async([[number; 20]; 3]);
            to_small.at(right()).put_async(truth).wait();
            stored.wait();
            sync_all();
            let (number, truth) = value(right());
            let fetched = to_large.at((right() + 1) % num_images()).get_async();
            assert_eq!(fetched.wait(), [[number; 20]; 3]);
            let fetched = to_small.at((right() + 1) % num_images()).get_async();
            assert_eq!(fetched.wait(), truth);
        });
    }
}
