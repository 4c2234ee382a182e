//! Beginnings and ends of phases, and creation.

use coarray::prelude::*;

use crate::check::Check;
use crate::parcel::Parcel;
use crate::ring::{left, right};

const ROUNDS: u64 = 30;

pub fn before_open(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    for round in 1..ROUNDS {
        *x = Parcel::of(round, this_image());
        let x = x.open();
        for image in 0..num_images() {
            Parcel::of(round, image).look_for(check, x.at(image));
        }
    }
}

pub fn after_close(check: &mut Check) {
    let mut x = Coarray::<[Parcel]>::from_fn(num_images(), |_| Parcel::none());
    for round in 1..ROUNDS {
        {
            let x = x.open();
            for to in 0..num_images() {
                Parcel::of(round, this_image()).send(&x.at(to)[this_image()]);
            }
        }
        for from in 0..num_images() {
            check.same("a parcel", x[from], Parcel::of(round, from));
        }
    }
}

pub fn opened_together(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let mut y = Coarray::<[u64]>::zeroed(3);
    let mut z = Ragged::from_fn(this_image() + 1, |_| 0);
    for round in 1..ROUNDS {
        {
            let (open_x, open_y, open_z) = coarray::open((&mut x, &mut y, &mut z));
            Parcel::of(round, this_image()).send(open_x.at(right(1)));
            open_y.at(right(1)).put_from(&[round; 3]);
            drop(open_x);
            open_z.at(right(1))[0].put(round);
        }
        check.same("the first", *x, Parcel::of(round, left(1)));
        check.same_items("the second", &y, &[round; 3]);
        check.same("the third", z[0], round);
    }
}

pub fn one_in_another(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let mut y = Coarray::new(0);
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(right(1)));
        // Only the beginning of this phase, or its end, separates the put from the get.
        let open = y.open();
        if round % 2 == 0 {
            Parcel::of(round, left(1)).look_for(check, x.here());
        }
        drop(open);
        Parcel::of(round, left(1)).look_for(check, x.here());
        sync_all();
    }
}

pub fn creation(check: &mut Check) {
    for round in 0..ROUNDS {
        let counts = Coarray::new(Coatomic::new(this_image() as u64));
        let seen = counts.at(right(1)).fetch_add(100);
        check.same("a coatomic", seen, right(1) as u64);
        let balance = Coarray::new(Comutex::new(round + right(1) as u64));
        let seen = balance.at(left(1)).lock().get();
        check.same("the value of a mutex", seen, round + this_image() as u64);
        let events = Coarray::new(Coevent::new());
        events.at(right(1)).post();
        crate::patience::came(check, &events, 1);
        check.same("posts left", events.query(), 0);
    }
}
