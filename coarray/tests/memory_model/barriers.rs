//! Rules 4, 9, 12 and 13: barriers, phases, collectives and teams.

use coarray::collectives::co_allgather;
use coarray::prelude::*;
use coarray::{image_fence, sync_team};

use crate::message::{Message, ROUNDS, left, right};

/// Rule 4, within an open phase.
pub fn sync_all_orders_everything_before_it_before_everything_after_it() {
    let mut x = Coarray::<[Message]>::from_fn(num_images(), |_| Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        for image in 0..num_images() {
            Message::new(round, this_image()).put(&x.at(image)[this_image()]);
        }
        sync_all();
        let writer = right(round as usize);
        for image in 0..num_images() {
            Message::new(round, writer).assert_in(&x.at(image)[writer]);
        }
        sync_all();
    }
}

/// Rule 4, between phases, whose ends are barriers. A coarray of coatomics is complete when its creation
/// returns.
pub fn phases_order_what_is_before_them_and_in_them() {
    let mut x = Coarray::new(Message::none());
    for round in 1..ROUNDS {
        *x = Message::new(round, this_image());
        {
            let x = x.open();
            Message::new(round, right(1)).assert_in(x.at(right(1)));
            sync_all();
            Message::new(round + 1, this_image()).put(x.at(right(1)));
        }
        assert_eq!(*x, Message::new(round + 1, left(1)));
        *x = Message::new(round + 2, this_image());
        {
            let x = x.publish();
            assert_eq!(x.at(right(2)).get(), Message::new(round + 2, right(2)));
        }
        if round.is_multiple_of(16) {
            let born =
                Coarray::<[Coatomic<u64>]>::from_fn(50, |item| Coatomic::new(round + item as u64));
            assert_eq!(born.at(right(1))[49].load(), round + 49);
        }
    }
}

/// Rule 9. A collective waits for all images whose values an image gets, and order comes from the fences around it.
pub fn collectives_agree_and_let_nobody_leave_before_all_have_entered() {
    let mut x = Coarray::new(Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(x.at(right(1)));
        image_fence();
        collective(round);
        image_fence();
        Message::new(round, left(1)).assert_in(x.here());
        Message::new(round, right(1)).assert_in(x.at(right(2)));
        image_fence();
        collective(round + 1);
    }
}

fn collective(round: u64) {
    let (me, images) = (this_image() as u64, num_images() as u64);
    match round % 4 {
        0 => {
            let mut sum = me + round;
            co_sum(&mut sum);
            assert_eq!(sum, images * (images - 1) / 2 + images * round);
        }
        1 => {
            let mut sums = [me + round; 1000];
            co_sum(&mut sums);
            assert_eq!(sums, [images * (images - 1) / 2 + images * round; 1000]);
        }
        2 => {
            let mut values = vec![0; images as usize];
            co_allgather(&(me + round), &mut values);
            assert!(values.into_iter().eq(round..round + images));
        }
        _ => {
            let mut largest = round * 100 + me;
            co_max(&mut largest);
            assert_eq!(largest, round * 100 + images - 1);
        }
    }
}

/// Rule 12. The team of even images and the team of odd images work on a coarray of all images.
pub fn in_a_team_the_rules_hold_among_its_images() {
    let team = Team::form(this_image() as u64 % 2);
    let mut x = Coarray::new(Message::none());
    let x = x.open();
    for round in 1..ROUNDS / 2 {
        let (round, other) = (
            4 * round,
            team.in_parent((team.this_image() + 1) % team.num_images()),
        );
        Message::new(round, this_image()).put(x.at(other));
        sync_team(&team);
        let writer =
            team.in_parent((team.this_image() + team.num_images() - 1) % team.num_images());
        Message::new(round, writer).assert_in(x.here());
        sync_team(&team);

        Message::new(round + 1, this_image()).put(x.at(other));
        team.change(|| {
            Message::new(round + 1, writer).assert_in(x.here());
            sync_all();
            Message::new(round + 2, team.this_image()).put(x.at(other));
            sync_all();
            Message::new(round + 2, left(1)).assert_in(x.here());
            sync_all();
            Message::new(round + 3, team.this_image()).put(x.at(other));
        });
        Message::new(round + 3, writer / 2).assert_in(x.here());
        sync_team(&team);
    }
}

/// Rule 13.
pub fn sync_images_orders_pairs_of_images() {
    let mut neighbours = vec![left(1), right(1)];
    neighbours.dedup();
    let mut x = Coarray::new(Message::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Message::new(round, this_image()).put(x.at(right(1)));
        sync_images(&neighbours);
        Message::new(round, left(1)).assert_in(x.here());
        sync_images(&neighbours);
    }
}
