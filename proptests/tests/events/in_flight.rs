//! Puts in flight that post an event: whoever takes the post sees the data, whatever becomes of the cofuture.

use std::mem::forget;

use coarray::asynchronous::async_scope;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix};
use proptest::prelude::*;

const SLOTS: usize = 6;
const LENGTH: usize = 90;

/// What image `from` puts in a slot in a round.
fn value(from: usize, slot: usize, round: u64) -> [u64; LENGTH] {
    std::array::from_fn(|i| mix(round * 1000 + (from * SLOTS + slot) as u64, i as u64))
}

/// What becomes of a cofuture.
fn leave(what: u64, sent: coarray::asynchronous::Cofuture<'_, ()>) {
    match what % 5 {
        0 => drop(sent),
        1 => forget(sent),
        2 => sent.wait(),
        3 => _ = sent.is_ready(),
        _ => {
            drop(sent);
            quiet();
        }
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn who_takes_the_post_of_a_put_in_flight_sees_its_data(setting in Setting::anywhere(), rounds in 1u64..6, seed: u64) {
        setting.run(|| {
            let (me, images) = (this_image(), num_images());
            let (left, right) = ((me + images - 1) % images, (me + 1) % images);
            let mut slots = Coarray::<[[u64; LENGTH]; SLOTS]>::zeroed();
            let mut other = Coarray::<[u64; SLOTS]>::zeroed();
            let full = Coarray::<[Coevent; SLOTS]>::from_fn(|_| Coevent::new());
            let (slots, other) = coarray::open((&mut slots, &mut other));
            for round in 0..rounds {
                let choice = |slot: usize| mix(mix(seed, round), (me * SLOTS + slot) as u64);
                let values: Vec<_> = (0..SLOTS).map(|slot| value(me, slot, round)).collect();
                async_scope(|scope| {
                    for (slot, values) in values.iter().enumerate() {
                        let what = choice(slot);
                        // Traffic to others, before and after.
                        drop(other.at(left)[slot].put_async(round));
                        let (place, event) = (&slots.at(right)[slot], &full.at(right)[slot]);
                        match what >> 8 & 1 {
                            0 => leave(what >> 20, place.put_notify_async(*values, event)),
                            _ => leave(what >> 20, place.put_from_notify_async(values, event, scope)),
                        }
                        if what >> 9 & 7 == 0 {
                            fence(right);
                        }
                    }
                });
                // In another order on each image.
                let first = (seed as usize).wrapping_add(me);
                for slot in (0..SLOTS).map(|i| (first % SLOTS + i) % SLOTS) {
                    full[slot].wait();
                    assert_eq!(slots.here()[slot].get(), value(left, slot, round));
                }
                sync_all();
            }
            for event in &*full {
                assert_eq!(event.query(), 0, "each posts once");
            }
        });
    }
}

#[test]
fn a_put_in_flight_posts_before_the_phase_ends_and_the_events_are_gone() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let right = (this_image() + 1) % num_images();
            for round in 0..30 {
                let mut x = Coarray::new([0u64; 300]);
                let full = Coarray::new(Coevent::new());
                let open = x.open();
                forget(
                    open.at(right)
                        .put_notify_async([round; 300], full.at(right)),
                );
                drop(open);
                assert_eq!(full.query(), 1);
                full.wait();
                assert_eq!(*x, [round; 300]);
            }
        });
    }
}

#[test]
fn the_cofuture_is_ready_when_the_event_is_posted() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let right = (this_image() + 1) % num_images();
            let mut x = Coarray::new(0u64);
            let full = Coarray::new(Coevent::new());
            let open = x.open();
            let sent = open.at(right).put_notify_async(7, full.at(right));
            while !sent.is_ready() {
                std::thread::yield_now();
            }
            sent.wait();
            full.wait();
            assert_eq!(open.here().get(), 7);
        });
    }
}
