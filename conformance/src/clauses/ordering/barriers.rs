//! `sync_all`.

use coarray::collectives::{Barrier, Collective};
use coarray::prelude::*;

use crate::check::Check;
use crate::parcel::Parcel;
use crate::ring::{left, right};

const ROUNDS: u64 = 40;

/// Sends a parcel to the next two images in each round and checks the other images' parcels after `barrier`.
fn send_and_look(check: &mut Check, rounds: u64, barrier: impl Fn()) {
    let mut x = Coarray::<[Parcel; 2]>::from_fn(|_| Parcel::none());
    let x = x.open();
    for round in 1..rounds {
        Parcel::of(round, this_image()).send(&x.at(right(1))[0]);
        Parcel::of(round, this_image()).send(&x.at(right(2))[1]);
        barrier();
        Parcel::of(round, left(1)).look_for(check, &x.here()[0]);
        Parcel::of(round, left(2)).look_for(check, &x.here()[1]);
        // A parcel that other images sent and received.
        Parcel::of(round, right(2)).look_for(check, &x.at(right(3))[0]);
        barrier();
    }
}

pub fn puts(check: &mut Check) {
    send_and_look(check, ROUNDS, sync_all);
}

pub fn own_puts(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.here());
        sync_all();
        for image in 0..num_images() {
            Parcel::of(round, image).look_for(check, x.at(image));
        }
        sync_all();
    }
}

pub fn asynchronous_puts(check: &mut Check) {
    const WORDS: usize = 5000;
    let mut x = Coarray::<[u64]>::zeroed(WORDS);
    let x = x.open();
    for round in 1..ROUNDS {
        for start in [0, 1, 1000, 4000] {
            let run = x.at(right(1))[start..start + 900].iter().enumerate();
            run.step_by(30)
                .for_each(|(_, place)| drop(place.put_async(round)));
        }
        sync_all();
        for start in [0, 1, 1000, 4000] {
            let seen = x.here()[start..start + 900].section(.., 30).to_vec();
            check.same_items("the values put", &seen, &[round; 30]);
        }
        sync_all();
    }
}

pub fn nobody_leaves_early(check: &mut Check) {
    let entered = Coarray::new(Coatomic::new(0));
    for round in 1..=ROUNDS {
        entered.at(0).add(1);
        sync_all();
        let all = round * num_images() as u64;
        check.same("images that have entered", entered.at(0).load(), all);
        sync_all();
    }
}

pub fn all_kinds(check: &mut Check) {
    for barrier in Barrier::ALL {
        send_and_look(check, 8, || Collective::new().barrier(barrier).sync_all());
    }
}
