//! Rules 1, 2, 3, 10 and 11: program order, fences, coatomics and races.

use coarray::check::racy;
use coarray::image_fence;
use coarray::prelude::*;

use crate::message::{Message, ROUNDS, left, right, until};

/// Rounds of programs that do not wait for each other in each round.
const MANY: u64 = 60 * ROUNDS;

/// Rule 1. Each image has a place of its own on its right neighbour, between the others' places.
pub fn accesses_of_one_image_to_a_place_happen_in_program_order() {
    let me = this_image();
    let mut x = Coarray::<[[u64; 40]]>::zeroed(num_images());
    let x = x.open();
    let place = &x.at(right(1))[me];
    let own = &x.here()[me];
    for round in (1..ROUNDS).map(|round| 1000 * round + me as u64) {
        place[7].put(round);
        assert_eq!(place[7].get(), round);
        place[7].as_atomic().add(1);
        assert_eq!(place[7].get(), round + 1);
        place.put_from(&[round + 2; 40]);
        place[7].put(round + 3);
        let mut expected = [round + 2; 40];
        expected[7] = round + 3;
        assert_eq!(place.get(), expected);
        drop(place[8].put_async(round + 6));
        assert_eq!(place[8].get_async().wait(), round + 6);
        drop(place[8].put_async(round + 7));
        expected[8] = round + 7;
        assert_eq!(place.get(), expected);
        drop(place[8].put_async(0));
        place[8].put(round + 8);
        expected[8] = round + 8;
        place[10..20].fill(round + 4);
        expected[10..20].fill(round + 4);
        place.section(1.., 13).put_from(&[round + 5; 3]);
        for item in [1, 14, 27] {
            expected[item] = round + 5;
        }
        assert_eq!(place[..].to_vec(), expected);
        if num_images() > 1 {
            own.copy_from(place);
            assert_eq!(own.get(), expected);
            place.put([0; 40]);
            place.copy_from(own);
            assert_eq!(place.get(), expected);
        }
    }
}

/// Rule 2. The flag is a plain value on the same image.
pub fn fence_orders_puts_to_one_image() {
    let seen = Coarray::new(Coevent::new());
    let mut flag = Coarray::new(0);
    let mut x = Coarray::new(Message::none());
    let (flag, x) = coarray::open((&mut flag, &mut x));
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(x.at(right(1)));
        fence(right(1));
        if round % 4 < 2 {
            flag.at(right(1)).put(round);
        } else {
            flag.at(right(1)).as_atomic().store(round);
        }

        until(|| flag.here().get() == round);
        image_fence();
        Message::new(round, left(1)).assert_in(x.here());
        seen.at(left(1)).post();
        seen.wait();
    }
}

/// Rule 3. The message is on the right neighbour, and the flag on the next but one.
pub fn what_was_put_before_quiet_is_visible_everywhere_before_what_is_put_after() {
    let seen = Coarray::new(Coevent::new());
    let flag = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(x.at(right(1)));
        if round.is_multiple_of(3) {
            quiet();
        } else {
            image_fence();
        }
        flag.at(right(2)).store(round);

        until(|| flag.load() == round);
        image_fence();
        Message::new(round, left(2)).assert_in(x.at(left(1)));
        seen.at(left(2)).post();
        seen.wait();
    }
}

/// Rule 3, as store buffering: of two images that put, fence and get, one sees what the other put.
///
/// They run freely, and compare afterwards. An image that saw its partner's put `n` did not see the next one. So
/// the next one came later in the order of the fences, and the partner then saw this image's earlier puts.
pub fn fences_of_all_images_are_in_one_order() {
    let partner = this_image() ^ 1;
    let mut x = Coarray::new(0);
    let mut seen = Coarray::<[u64]>::zeroed(MANY as usize + 1);
    {
        let x = x.open();
        if partner < num_images() {
            let (here, there) = (x.here(), x.at(partner));
            for round in 1..=MANY {
                racy("the other gets it", || here.put(round));
                image_fence();
                let saw = racy("the other puts it", || there.get());
                seen[round as usize] = saw;
                if round.is_multiple_of(64) && saw == seen[round as usize - 64] {
                    // The partner does not run: going on alone would test nothing.
                    std::thread::yield_now();
                }
            }
        }
    }
    let seen = seen.publish();
    if partner < num_images() {
        let theirs = seen.at(partner).to_vec();
        for (round, &saw) in seen.iter().enumerate() {
            let after = theirs.get(saw as usize + 1);
            assert!(
                after.is_none_or(|&after| after >= round as u64),
                "neither saw what the other put"
            );
        }
    }
}

/// Rule 3, as independent reads: two images that get from two places, with a fence in between, do not see
/// puts to them in different orders.
pub fn fenced_gets_see_independent_puts_in_one_order() {
    let me = this_image();
    if num_images() < 4 {
        return;
    }
    let done = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(0u64);
    let mut seen = Coarray::<[[u64; 2]]>::zeroed(MANY as usize);
    {
        let x = x.open();
        match me {
            0 | 1 => {
                for round in (1..).take_while(|_| done.load() < 2) {
                    racy("two get it", || x.here().put(round));
                    if round.is_multiple_of(64) {
                        std::thread::yield_now();
                    }
                }
            }
            2 | 3 => {
                let (first, second) = (x.at(me - 2), x.at(3 - me));
                for round in 0..seen.len() {
                    let saw = racy("it is put", || first.get());
                    image_fence();
                    seen[round] = [saw, racy("it is put", || second.get())];
                    if round % 64 == 63 && seen[round] == seen[round - 63] {
                        std::thread::yield_now();
                    }
                }
                done.at(0).add(1);
                done.at(1).add(1);
            }
            _ => {}
        }
    }
    let seen = seen.publish();
    let theirs = seen.at(3).to_vec();
    for &[first, second] in &seen.at(2).to_vec() {
        // Once image 3 has seen a newer value of the second place, it must see no older value of the first.
        let newer = theirs.partition_point(|[theirs, _]| *theirs <= second);
        if let Some(&[_, later]) = theirs.get(newer) {
            assert!(
                later >= first,
                "the readers saw the puts in different orders"
            );
        }
    }
}

/// Rule 10.
pub fn coatomics_have_one_order_for_each_place() {
    let total = num_images() as u64 * MANY;
    let tickets = Coarray::new(Coatomic::new(0));
    let mut drawn = Coarray::<[bool]>::zeroed(total as usize);
    {
        let drawn = drawn.open();
        let mut last = 0;
        for _ in 0..MANY {
            let ticket = tickets.at(0).fetch_add(1);
            assert!(!drawn.at(0)[ticket as usize].as_atomic().swap(true));
            let seen = tickets.at(0).load();
            assert!(seen > ticket && seen >= last, "the value went back");
            last = seen;
        }
    }
    assert_eq!(tickets.at(0).load(), total);
    assert_eq!(drawn.iter().all(|&drawn| drawn), this_image() == 0);
}

/// Rule 10, for a value that is too large for an instruction.
pub fn coatomics_of_any_size_are_never_torn() {
    let x = Coarray::new(Coatomic::new([0; 6]));
    for round in 1..=MANY {
        x.at(0).store([round << 8 | this_image() as u64; 6]);
        let [first, others @ ..] = x.at(0).load();
        assert_eq!(others, [first; 5]);
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Arena {
    before: [u8; 8],
    contested: [bool; 40],
    row: [u64; 20],
    after: [u8; 8],
}

/// Rule 11. All images put to the same places, and each to bytes of its own next to them.
pub fn races_disturb_no_other_place_and_end_with_one_value() {
    let me = this_image();
    let mut x = Coarray::new(Arena {
        before: [0; 8],
        contested: [false; 40],
        row: [0; 20],
        after: [0; 8],
    });
    let x = x.open();
    let place = x.at(0);
    for round in 1..ROUNDS {
        let (before, after) = (&field!(place, before)[me], &field!(place, after)[me]);
        before.put(round as u8);
        racy("all put there", || {
            field!(place, contested).put([me.is_multiple_of(2); 40]);
            field!(place, row).put([round << 8 | me as u64; 20]);
        });
        after.put(!(round as u8));
        let _ = racy("all put there", || field!(place, contested).get());
        assert_eq!((before.get(), after.get()), (round as u8, !(round as u8)));
        sync_all();
        let settled = place.get();
        let mut all = (settled.contested, settled.row);
        co_broadcast(&mut all.0, 0);
        co_broadcast(&mut all.1, 0);
        assert_eq!(all, (settled.contested, settled.row));
        sync_all();
    }
}
