//! Coatomics that share a word of the processor, or of the network, do not disturb each other.

use coarray::Launch;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

/// Eight bytes of values of all widths that are smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Remote)]
#[repr(C)]
struct Crowd {
    byte: u8,
    flag: bool,
    short: i16,
    long: u32,
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn all_images_change_all_parts_of_a_word_at_once(
        setting in Setting::anywhere(),
        seed: u64,
        turns in 1u64..150,
    ) {
        setting.run(|| {
            let (me, images) = (this_image() as u64, num_images());
            let mut crowds = Coarray::<[Crowd; 3]>::from_fn(|_| Crowd::default());
            let open = crowds.open();
            for turn in 0..turns {
                let random = mix(seed ^ me, turn);
                let crowd = &open.at(random as usize % images)[1];
                crowd.member(|crowd| crowd.byte).as_atomic().add(3);
                crowd.member(|crowd| crowd.flag).as_atomic().xor(true);
                crowd.member(|crowd| crowd.short).as_atomic().fetch_sub(257);
                crowd.member(|crowd| crowd.long).as_atomic().fetch_add(0x0100_0001);
                let short = crowd.member(|crowd| crowd.short).as_atomic();
                let mut seen = short.load();
                while let Err(other) = short.compare_exchange(seen, seen.wrapping_add(250)) {
                    seen = other;
                }
                crowd.member(|crowd| crowd.short).as_atomic().fetch_max(i16::MIN);
            }
            open.close();
            let mine = (0..images as u64)
                .flat_map(|image| (0..turns).map(move |turn| mix(seed ^ image, turn)))
                .filter(|&random| random as usize % images == me as usize)
                .count();
            let expected = Crowd {
                byte: (3 * mine) as u8,
                flag: mine % 2 == 1,
                short: (-7 * mine as i64) as i16,
                long: (0x0100_0001 * mine) as u32,
            };
            assert_eq!(*crowds, [Crowd::default(), expected, Crowd::default()]);
        });
    }

    #[test]
    fn neighbouring_coatomics_of_one_byte_are_independent(
        setting in Setting::anywhere(),
        turns in 1usize..100,
    ) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let bytes = Coarray::<[Coatomic<u8>; 8]>::from_fn(|_| Coatomic::new(0));
            let flags = Coarray::<[Coatomic<bool>; 8]>::from_fn(|_| Coatomic::new(false));
            for turn in 0..turns {
                // Each image has a byte of its own on each image, which nobody else may change.
                let to = (me + turn) % images;
                let before = bytes.at(to)[me].swap(turn as u8);
                assert_eq!(usize::from(before), turn.saturating_sub(images) * usize::from(turn >= images));
                let was = flags.at(to)[me].fetch_xor(true);
                assert_eq!(was, turn / images % 2 == 1);
                assert_eq!(bytes.at(to)[me].load(), turn as u8);
            }
            sync_all();
        });
    }
}

#[test]
fn images_that_wait_for_each_other_by_coatomics_alone_answer_what_others_ask() {
    for setting in Setting::apart().filter(|setting| setting.images <= 4) {
        setting.run(|| {
            let turn = Coarray::new(Coatomic::new(0usize));
            let total = Coarray::<[Comutex<u64>; 2]>::from_fn(|_| Comutex::new(0));
            // Nobody waits in the library, and yet the lock on an image that only looks at a word must be had.
            for round in 0..10 {
                while turn.at(0).load() != round * num_images() + this_image() {
                    std::thread::yield_now();
                }
                for image in 0..num_images() {
                    total.at(image)[round % 2].lock().update(|sum| *sum += 1);
                }
                turn.at(0).fetch_add(1);
            }
            sync_all();
            let sums = [0, 1].map(|index| total[index].lock().get());
            assert_eq!(sums, [5 * num_images() as u64; 2]);
        });
    }
}

#[test]
fn coatomics_that_are_local_variables_are_for_any_thread() {
    for setting in Setting::apart() {
        setting.run(|| {
            let hits = Coatomic::new(0u16);
            let pairs = Coatomic::new([0u64; 3]);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        hits.fetch_add(1);
                        pairs.store([5; 3]);
                    });
                }
            });
            assert_eq!((hits.load(), pairs.load()), (2, [5; 3]));
        });
    }
}

#[test]
fn threads_that_are_no_images_hear_why_they_cannot_use_what_nodes_share() {
    let texts = Launch::new(2).simulated_nodes(2).run(|| {
        let number = Coarray::new(Coatomic::new(0u64));
        let bytes = Coarray::new(Coatomic::new([0u8; 3]));
        let (number, bytes): (&Coatomic<u64>, &Coatomic<[u8; 3]>) = (&number, &bytes);
        let on_another_thread = |operate: &(dyn Fn() + Sync)| {
            let payload = std::thread::scope(|scope| scope.spawn(operate).join().unwrap_err());
            match payload.downcast::<&str>() {
                Ok(text) => text.to_string(),
                Err(payload) => *payload.downcast::<String>().unwrap(),
            }
        };
        [
            on_another_thread(&|| number.store(1)),
            on_another_thread(&|| _ = number.fetch_add(1)),
            on_another_thread(&|| _ = bytes.load()),
        ]
    });
    for text in texts.unwrap().into_iter().flatten() {
        assert!(text.contains("this thread is not an image"), "{text}");
        assert!(text.contains("run the job on one machine"), "{text}");
    }
}
