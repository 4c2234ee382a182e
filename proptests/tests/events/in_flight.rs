//! Puts in flight that post an event: whoever takes the post sees the data, whatever becomes of the cofuture.

use std::mem::forget;

use coarray::asynchronous::async_scope;
use coarray::prelude::*;
use coarray_proptests::{Setting, config, mix, panic_of};
use proptest::prelude::*;

const SLOTS: usize = 6;
const LENGTH: usize = 90;

/// Of a value, of an array by reference, and of a column of one.
const KINDS: u64 = 3;

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
            let mut columns = Coarray::<[[u64; SLOTS]; LENGTH]>::zeroed();
            let mut other = Coarray::<[u64; SLOTS]>::zeroed();
            let full = Coarray::<[Coevent; SLOTS]>::from_fn(|_| Coevent::new());
            let (slots, columns, other) = coarray::open((&mut slots, &mut columns, &mut other));
            for round in 0..rounds {
                let choice = |from: usize, slot: usize| mix(mix(seed, round), (from * SLOTS + slot) as u64);
                let values: Vec<_> = (0..SLOTS).map(|slot| value(me, slot, round)).collect();
                async_scope(|scope| {
                    for (slot, values) in values.iter().enumerate() {
                        let what = choice(me, slot);
                        // Traffic to others, before and after.
                        drop(other.at(left)[slot].put_async(round));
                        let (place, event) = (&slots.at(right)[slot], &full.at(right)[slot]);
                        let column = columns.at(right).region((.., slot));
                        let sent = match what % KINDS {
                            0 => place.put_notify_async(*values, event),
                            1 => place.put_from_notify_async(values, event, scope),
                            _ => column.put_from_notify_async(values, event, scope),
                        };
                        leave(what >> 20, sent);
                        if what >> 9 & 7 == 0 {
                            fence(right);
                        }
                    }
                });
                // In another order on each image.
                let first = (seed as usize).wrapping_add(me);
                for slot in (0..SLOTS).map(|i| (first % SLOTS + i) % SLOTS) {
                    full[slot].wait();
                    let seen = match choice(left, slot) % KINDS {
                        0 | 1 => slots.here()[slot].get().to_vec(),
                        // Item by item: between them lie those of other slots, which may be on their way.
                        _ => (0..LENGTH).map(|row| columns.here()[row][slot].get()).collect(),
                    };
                    assert_eq!(seen, value(left, slot, round));
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
                let every_second = open.at(right).region([(..).every(2)]);
                async_scope(|scope| {
                    let sent = every_second.put_from_notify_async(&[9; 150], full.at(right), scope);
                    forget(sent);
                });
                drop(open);
                assert_eq!(full.query(), 2);
                full.wait_for(2);
                let expected = |i| if i % 2 == 0 { 9 } else { round };
                assert_eq!(*x, std::array::from_fn(expected));
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

#[test]
fn a_region_without_items_posts_and_one_of_another_length_does_not() {
    for setting in Setting::everywhere() {
        setting.run(|| {
            let right = (this_image() + 1) % num_images();
            let mut x = Coarray::<[[u64; 4]; 3]>::zeroed();
            let full = Coarray::new(Coevent::new());
            let open = x.open();
            let there = open.at(right);
            async_scope(|scope| {
                let refused = panic_of(|| {
                    let column = there.region((.., 1));
                    drop(column.put_from_notify_async(&[7; 4], full.at(right), scope));
                });
                assert!(refused.contains("extent 3 on image"), "{refused}");
                let nothing = there.region((..0, ..));
                nothing
                    .put_from_notify_async(&[], full.at(right), scope)
                    .wait();
            });
            full.wait();
            sync_all();
            assert_eq!(full.query(), 0);
            assert_eq!(open.here().get(), [[0; 4]; 3]);
        });
    }
}

#[test]
fn the_event_of_a_region_in_flight_is_where_the_data_go() {
    let text = coarray::Launch::new(2).run(|| {
        let mut x = Coarray::<[[u64; 4]; 3]>::zeroed();
        let full = Coarray::new(Coevent::new());
        let open = x.open();
        async_scope(|scope| {
            let column = open.at(0).region((.., 1));
            drop(column.put_from_notify_async(&[7; 3], full.at(1), scope));
        });
    });
    let text = text.unwrap_err().to_string();
    assert!(text.contains("events/in_flight.rs:"), "{text}");
    assert!(
        text.contains("the data go to image 0, but the event is on image 1"),
        "{text}"
    );
}
