//! Puts, of which a post tells.

use coarray::asynchronous::async_scope;
use coarray::prelude::*;

use super::ROUNDS;
use crate::check::Check;
use crate::parcel::Parcel;
use crate::patience::came;
use crate::ring::{left, right};

pub(super) fn put_notify(check: &mut Check) {
    let arrived = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Parcel; 2]>::from_fn(|_| Parcel::none());
    let mut word = Coarray::new(0);
    let (x, word) = coarray::open((&mut x, &mut word));
    for round in 1..ROUNDS {
        let parcel = Parcel::of(round, this_image());
        parcel.send(&x.at(right(1))[0]);
        x.at(right(1))[1].put_notify(parcel, arrived.at(right(1)));
        word.at(right(1)).put_notify(round, arrived.at(right(1)));
        if !came(check, &arrived, 2) {
            break;
        }
        Parcel::of(round, left(1)).look_for(check, &x.here()[0]);
        Parcel::of(round, left(1)).look_for(check, &x.here()[1]);
        check.same("the word", word.here().get(), round);
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub(super) fn put_in_flight(check: &mut Check) {
    let arrived = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[Parcel; 2]>::from_fn(|_| Parcel::none());
    let mut long = Coarray::<[u64; 3000]>::zeroed();
    let (x, long) = coarray::open((&mut x, &mut long));
    for round in 1..ROUNDS {
        let parcel = Parcel::of(round, this_image());
        // Other traffic, which the posts do not wait for.
        drop(long.at(right(2)).put_async([round; 3000]));
        for slot in 0..2 {
            let event = &arrived.at(right(1))[slot];
            drop(x.at(right(1))[slot].put_notify_async(parcel, event));
        }
        for slot in [1, 0] {
            came(check, &arrived[slot], 1);
            Parcel::of(round, left(1)).look_for(check, &x.here()[slot]);
        }
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub(super) fn region_in_flight(check: &mut Check) {
    const COLUMNS: usize = 300;
    let arrived = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[[u64; COLUMNS]; 10]>::zeroed();
    let x = x.open();
    for round in 1..ROUNDS {
        // Long runs and single items.
        let there = x.at(right(1));
        let rows = there.region((1.., 1..));
        let column = there.region((.., 0));
        let (block, few) = (vec![round; rows.len()], [round; 10]);
        async_scope(|scope| {
            let event = &arrived.at(right(1))[0];
            drop(rows.put_from_notify_async(&block, event, scope));
            let event = &arrived.at(right(1))[1];
            drop(column.put_from_notify_async(&few, event, scope));
        });
        came(check, &arrived[1], 1);
        check.same_items("the column", &x.here().region((.., 0)).to_vec(), &few);
        came(check, &arrived[0], 1);
        check.same_items("the block", &x.here().region((1.., 1..)).to_vec(), &block);
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub(super) fn put_from_notify(check: &mut Check) {
    const WORDS: usize = 20_000;
    let arrived = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[u64]>::zeroed(WORDS);
    let x = x.open();
    for round in 1..10 {
        let source = vec![round; WORDS - 1];
        x.at(right(1))[1..].put_from_notify(&source, arrived.at(right(1)));
        if !came(check, &arrived, 1) {
            break;
        }
        check.same_items("the run", &x.here()[1..].to_vec(), &source);
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub(super) fn asynchronous_puts(check: &mut Check) {
    let arrived = Coarray::new(Coevent::new());
    let seen = Coarray::new(Coevent::new());
    let mut x = Coarray::<[u64; 100]>::zeroed();
    let x = x.open();
    for round in 1..ROUNDS {
        for place in x.at(right(1)).iter() {
            drop(place.put_async(round));
        }
        arrived.at(right(1)).post();
        if !came(check, &arrived, 1) {
            break;
        }
        check.same_items("the words", &x.here().get(), &[round; 100]);
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}
