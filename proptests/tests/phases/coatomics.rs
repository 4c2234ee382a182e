//! Coatomics count every operation of every image, at any time.

use coarray::atomics::Number;
use coarray::image_fence;
use coarray::prelude::*;
use coarray_proptests::Setting;

/// Lets all images add, swap and compare at once on the counters of all images.
fn contend<T: Number + PartialEq>(number: impl Fn(usize) -> T + Sync) {
    const TURNS: usize = 300;
    for setting in Setting::all() {
        setting.run(|| {
            let images = num_images();
            let counters = Coarray::<[Coatomic<T>; 3]>::from_fn(|_| Coatomic::new(number(0)));
            for turn in 0..TURNS * images {
                let counters = counters.at((this_image() + turn) % images);
                counters[0].fetch_add(number(1));
                let mut seen = counters[1].load();
                while let Err(other) = counters[1].compare_exchange(seen, add(&number, seen)) {
                    seen = other;
                }
                assert!(counters[2].swap(number(turn % 7 + 1)) != number(9));
            }
            sync_all();
            for image in 0..images {
                assert!(counters.at(image)[0].load() == number(TURNS * images));
                assert!(counters.at(image)[1].load() == number(TURNS * images));
            }
            assert!(counters[0].load() == number(TURNS * images));
            assert!(
                counters.at(0)[2]
                    .compare_exchange(number(9), number(0))
                    .is_err()
            );
            sync_all();
            counters.at((this_image() + 1) % images)[2].store(number(5));
            sync_all();
            assert!(counters[2].load() == number(5));
        });
    }
}

/// One more.
fn add<T: Number + PartialEq>(number: &impl Fn(usize) -> T, value: T) -> T {
    let one = Coatomic::new(value);
    assert!(one.fetch_add(number(1)) == value);
    one.load()
}

#[test]
fn no_operation_on_coatomics_of_32_bits_is_lost() {
    contend(|number| number as i32);
    contend(|number| number as u32);
}

#[test]
fn no_operation_on_coatomics_of_64_bits_is_lost() {
    contend(|number| number as i64);
    contend(|number| number as u64);
    contend(|number| number as isize);
    contend(|number| number);
}

#[test]
fn a_coatomic_is_there_for_all_until_all_have_dropped_it() {
    for setting in Setting::all() {
        setting.run(|| {
            let counter =
                Coarray::<[Coatomic<u64>]>::from_fn(2, |index| Coatomic::new(index as u64));
            let done = Coarray::new(Coatomic::new(0usize));
            if this_image() == 0 {
                drop(counter);
                done.at(0).fetch_add(1);
            } else {
                while done.at(0).load() == 0 {
                    std::thread::yield_now();
                }
                assert_eq!(counter.at(0)[1].fetch_add(10) % 10, 1);
            }
            sync_all();
        });
    }
}

#[test]
fn what_was_put_before_a_fence_is_there_for_who_saw_the_flag_and_fenced() {
    for setting in Setting::all() {
        setting.run(|| {
            let right = (this_image() + 1) % num_images();
            let flags = Coarray::new(Coatomic::new(0u64));
            let mut data = Coarray::<[u64; 300]>::zeroed();
            let data = data.open();
            for round in 1..50 {
                data.at(right).put_from(&[round; 300]);
                image_fence();
                flags.at(right).store(round);
                while flags.load() < round {
                    std::thread::yield_now();
                }
                image_fence();
                assert_eq!(data.here().get(), [round; 300]);
                sync_all();
            }
        });
    }
}
