//! 9. `sync_images`.

use coarray::failure::try_sync_images;
use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::parcel::Parcel;
use crate::patience::came;
use crate::ring::{left, partner, right};

/// The section.
pub const SECTION: Section = Section {
    number: 9,
    title: "images that wait for chosen others",
    clauses: &[
        Clause::new("9.1", "a pair sees what the other put before", pairs),
        Clause::new(
            "9.2",
            "an image that waits for all comes after all, and they after it",
            star,
        ),
        Clause::new("9.3", "the neighbours on a ring see what each put", ring),
        Clause::new(
            "9.4",
            "calls of two images go together in order, also if one runs ahead",
            calls_in_order,
        ),
        Clause::new("9.5", "it waits for nobody who is not named", nobody_else),
        Clause::new(
            "9.6",
            "an image may name itself, and nobody at all",
            oneself,
        ),
    ],
};

const ROUNDS: u64 = 60;

fn pairs(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(partner()));
        sync_images(&[partner()]);
        Parcel::of(round, partner()).look_for(check, x.here());
        sync_images(&[partner()]);
    }
}

fn star(check: &mut Check) {
    let mut x = Coarray::<[Parcel]>::from_fn(num_images(), |_| Parcel::none());
    let x = x.open();
    let all: Vec<usize> = (0..num_images()).collect();
    let named = if this_image() == 0 { &all[..] } else { &[0] };
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(&x.at(0)[this_image()]);
        sync_images(named);
        if this_image() == 0 {
            for from in 0..num_images() {
                Parcel::of(round, from).look_for(check, &x.here()[from]);
            }
            for to in 1..num_images() {
                Parcel::of(round, 0).send(&x.at(to)[to]);
            }
        }
        sync_images(named);
        if this_image() > 0 {
            Parcel::of(round, 0).look_for(check, &x.here()[this_image()]);
        }
    }
}

/// Both neighbours, each once.
fn neighbours() -> Vec<usize> {
    let mut neighbours = vec![left(1), right(1)];
    neighbours.dedup();
    neighbours
}

fn ring(check: &mut Check) {
    let mut x = Coarray::<[Parcel; 2]>::from_fn(|_| Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(&x.at(right(1))[0]);
        Parcel::of(round, this_image()).send(&x.at(left(1))[1]);
        sync_images(&neighbours());
        Parcel::of(round, left(1)).look_for(check, &x.here()[0]);
        Parcel::of(round, right(1)).look_for(check, &x.here()[1]);
        sync_images(&neighbours());
    }
}

fn calls_in_order(check: &mut Check) {
    let calls = Coarray::new(Coatomic::new(0_u64));
    // Image 0 calls once for each other image in turn; the others call at their own pace.
    for round in 1..ROUNDS {
        if this_image() == 0 {
            for image in 1..num_images() {
                sync_images(&[image]);
                let seen = calls.at(image).load();
                check.that(seen >= round, || {
                    format!("image {image} had made {seen} calls in round {round}")
                });
            }
        } else {
            calls.add(1);
            sync_images(&[0]);
        }
    }
    if this_image() > 0 {
        check.same("calls of this image", calls.load(), ROUNDS - 1);
    }
}

fn nobody_else(check: &mut Check) {
    let go_on = Coarray::new(Coevent::new());
    // The last image comes only when all pairs are through.
    let last = num_images() - 1;
    let is_in_pair = partner() != this_image() && partner() != last && this_image() != last;
    if is_in_pair {
        sync_images(&[partner()]);
        go_on.at(last).post();
    }
    let posts = last.saturating_sub(usize::from(last % 2 == 1));
    if this_image() == last && posts > 0 {
        came(check, &go_on, posts as u64);
    }
    sync_images(&(0..num_images()).collect::<Vec<_>>());
}

fn oneself(check: &mut Check) {
    sync_images(&[this_image()]);
    sync_images(&[]);
    check.same("with nobody", try_sync_images(&[]), Ok(()));
    check.same("with oneself", try_sync_images(&[this_image()]), Ok(()));
    check.same("with a neighbour", try_sync_images(&[partner()]), Ok(()));
    let mut all: Vec<usize> = (0..num_images()).collect();
    all.rotate_left(this_image());
    check.same("with all", try_sync_images(&all), Ok(()));
}
