//! Waiting for values: every change that an image waits for is seen, whoever makes it, and nothing that the condition does goes wrong.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use coarray::prelude::*;
use coarray::{Launch, image_fence};
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;

/// Longer than an image spins before it sleeps.
const A_WHILE: Duration = Duration::from_millis(3);

/// So far apart are words of 64 bits that share a bucket of sleepers.
const BUCKETS: usize = 64;

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn images_go_on_when_others_have_changed_what_they_wait_for(
        setting in Setting::anywhere(),
        seed: u64,
        turns in 1u64..60,
        pauses in any::<bool>(),
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let words = Coarray::<[Coatomic<u64>; 2 * BUCKETS + 2]>::from_fn(|_| Coatomic::new(0));
            let mut counts = [0; 2 * BUCKETS + 2];
            for turn in 0..turns {
                let random = mix(seed, turn) as usize;
                // Neighbours, and words that share a bucket.
                let word = random % 3 * BUCKETS + random / 3 % 2;
                counts[word] += 1;
                if pauses && mix(seed ^ me as u64, turn).is_multiple_of(16) {
                    thread::sleep(A_WHILE);
                }
                words.at((me + 1) % images)[word].add(1);
                let seen = words[word].wait_until(|count| count >= counts[word]);
                assert!(seen >= counts[word] && seen <= turns);
            }
        });
    }

    #[test]
    fn values_of_every_kind_are_waited_for(setting in Setting::anywhere(), turns in 1u8..20) {
        setting.run(|| {
            let next = (this_image() + 1) % num_images();
            let bytes = Coarray::<[Coatomic<u8>; 3]>::from_fn(|_| Coatomic::new(0));
            let flag = Coarray::new(Coatomic::new(false));
            let float = Coarray::new(Coatomic::new(f32::NAN));
            let long = Coarray::new(Coatomic::new([0u16; 9]));
            let mut plain = Coarray::new([0i16; 5]);
            let plain = plain.open();
            for turn in 1..=turns {
                bytes.at(next)[2].store(turn);
                bytes[2].wait_until(|byte| byte == turn);
                flag.at(next).fetch_xor(true);
                flag.wait_until(|flag| flag == (turn % 2 == 1));
                float.at(next).swap(f32::from(turn));
                float.wait_until(|float| float == f32::from(turn));
                long.at(next).store([u16::from(turn); 9]);
                assert_eq!(long.wait_until(|long| long[8] == u16::from(turn)), [u16::from(turn); 9]);
                plain.at(next)[3].as_atomic().sub(1);
                plain.here()[3].as_atomic().wait_until(|number| number == -i16::from(turn));
                sync_all();
            }
        });
    }

    #[test]
    fn a_wait_gives_up_in_time_and_not_before(setting in Setting::anywhere(), limit in 0u64..30) {
        setting.run(|| {
            let limit = Duration::from_millis(limit);
            let word = Coarray::new(Coatomic::new(0));
            let start = Instant::now();
            assert_eq!(word.wait_until_timeout(limit, |word| word > 0), Ok(None));
            assert!(start.elapsed() >= limit);
            sync_all();
            word.at((this_image() + 1) % num_images()).store(3);
            assert_eq!(word.wait_until_timeout(Duration::MAX, |word| word > 0), Ok(Some(3)));
        });
    }
}

#[test]
fn what_was_put_before_a_fence_is_there_after_another_one() {
    for setting in Setting::apart() {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let ready = Coarray::new(Coatomic::new(0));
            let mut data = Coarray::new([0; 40]);
            let data = data.open();
            for turn in 1..20 {
                data.at((me + 1) % images).put([turn; 40]);
                fence((me + 1) % images);
                ready.at((me + 1) % images).store(turn);
                ready.wait_until(|ready| ready >= turn);
                image_fence();
                assert_eq!(data.here().get(), [turn; 40]);
                sync_all();
            }
        });
    }
}

#[test]
fn a_plain_put_is_seen_some_time_later() {
    for setting in Setting::apart() {
        setting.run(|| {
            let mut word = Coarray::new(0u64);
            let word = word.open();
            sync_all();
            if this_image() == num_images() - 1 {
                thread::sleep(A_WHILE);
                word.at(0).put(7);
                quiet();
            }
            if this_image() == 0 {
                assert_eq!(word.here().as_atomic().wait_until(|word| word > 0), 7);
            }
        });
    }
}

#[test]
fn threads_that_are_no_images_wake_them() {
    coarray::run(3, || {
        let word = Coarray::new(Coatomic::new(0u32));
        let there = word.at((this_image() + 1) % 3).as_local().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 {
                    thread::sleep(A_WHILE / 3);
                    there.add(1);
                }
            });
            for turn in 1..=20 {
                word.wait_until(|word| word >= turn);
            }
        });
        sync_all();
    });
}

#[test]
fn a_condition_may_do_anything() {
    for setting in Setting::apart() {
        setting.run(|| {
            let word = Coarray::new(Coatomic::new(0u64));
            let next = (this_image() + 1) % num_images();
            let calls = Cell::new(0);
            // It meets the other images, waits itself, allocates, and changes the value, which is not the one that it is called with.
            let seen = word.wait_until(|value| {
                calls.set(calls.get() + 1);
                sync_all();
                word.at(next).add(1);
                word.wait_until(|other| other > value);
                let scratch = Coarray::new(Coatomic::new(value));
                scratch.wait_until(|same| same == value);
                value >= 3
            });
            assert!(seen >= 3 && calls.get() >= 4, "{seen} {}", calls.get());
            sync_all();
            // It panics, in a wait and before.
            let word = Coarray::new(Coatomic::new(0u64));
            for value in [0, 1] {
                let end = catch_unwind(AssertUnwindSafe(|| {
                    word.wait_until(|seen| {
                        assert!(seen < value, "seen");
                        false
                    })
                }));
                assert!(end.is_err());
                word.at(next).add(1);
            }
            sync_all();
            let changed = Cell::new(false);
            let timeout = Duration::from_millis(2);
            // It says something else of the same value: that ends no wait, for the value has not changed.
            let seen = word.wait_until_timeout(timeout, |_| changed.replace(true));
            assert!(seen == Ok(None) || word.load() != 0);
        });
    }
}

#[test]
fn a_value_that_never_stays_is_waited_for_until_the_time_is_over() {
    for setting in Setting::apart().filter(|setting| setting.images == 2) {
        setting.run(|| {
            let (word, is_over) = (
                Coarray::new(Coatomic::new(0u64)),
                Coarray::new(Coatomic::new(false)),
            );
            if this_image() == 0 {
                let limit = Duration::from_millis(20);
                assert_eq!(word.wait_until_timeout(limit, |_| false), Ok(None));
                is_over.at(1).store(true);
            } else {
                while !is_over.load() {
                    word.at(0).add(1);
                }
            }
        });
    }
}

#[test]
fn the_end_of_the_job_ends_a_wait() {
    for images in [2, 3] {
        for nodes in [1, images] {
            let outcome = Launch::new(images).simulated_nodes(nodes).run(|| {
                let word = Coarray::new(Coatomic::new(0));
                if this_image() == 1 {
                    thread::sleep(A_WHILE);
                    panic!("enough");
                }
                word.wait_until(|word| word > 0);
            });
            let report = outcome.unwrap_err().to_string();
            assert!(report.contains("enough"), "{report}");
        }
    }
}

#[test]
fn a_failed_image_ends_a_wait_as_one_for_an_event() {
    let outcome = Launch::new(3).keep_going(true).run(|| {
        let word = Coarray::new(Coatomic::new(0));
        sync_all();
        if this_image() == 1 {
            thread::sleep(A_WHILE);
            coarray::failure::fail_image();
        }
        let failed = word.wait_until_timeout(Duration::MAX, |word| word > 0);
        // What is there is there.
        word.store(5);
        assert_eq!(word.wait_until(|word| word > 0), 5);
        failed.unwrap_err().images
    });
    assert_eq!(outcome.unwrap(), [[1], [1]]);
    let outcome = Launch::new(2).keep_going(true).run(|| {
        let word = Coarray::new(Coatomic::new(0));
        if this_image() == 1 {
            coarray::failure::fail_image();
        }
        word.wait_until(|word| word > 0);
    });
    let report = outcome.unwrap_err().to_string();
    assert!(
        report.contains("a wait for a coatomic at proptests/tests/atomics/waits.rs:"),
        "{report}"
    );
}

#[test]
fn only_an_image_waits_and_only_for_its_own() {
    for nodes in [1, 2] {
        let texts = Launch::new(2).simulated_nodes(nodes).run(|| {
            let words = Coarray::new(Coatomic::new(0));
            let there = words.at(1 - this_image());
            let text = panic_of(|| there.wait_until(|_| true));
            assert_eq!(
                text,
                format!(
                    "this coatomic is on image {}, and only that image can wait for it",
                    1 - this_image()
                )
            );
            if let Some(there) = there.as_local() {
                assert_eq!(panic_of(|| there.wait_until(|_| true)), text);
            }
            let local = Coatomic::new(0);
            let of_local = panic_of(|| local.wait_until_timeout(Duration::ZERO, |_| true));
            assert!(
                of_local.starts_with("this coatomic is in no coarray"),
                "{of_local}"
            );
            let words: &Coatomic<i32> = &words;
            let of_others = coarray::run(1, || panic_of(|| words.wait_until(|_| true)));
            assert!(
                of_others[0].starts_with("this coatomic is in a coarray of another job"),
                "{of_others:?}"
            );
            let of_thread = thread::scope(|scope| {
                scope
                    .spawn(|| panic_of(|| words.wait_until(|_| true)))
                    .join()
                    .unwrap()
            });
            assert!(of_thread.contains("image"), "{of_thread}");
        });
        texts.unwrap();
    }
}
