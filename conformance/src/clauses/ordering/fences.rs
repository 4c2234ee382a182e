//! `fence`, `quiet` and `image_fence`.

use coarray::check::racy;
use coarray::collectives::co_all;
use coarray::image_fence;
use coarray::prelude::*;

use crate::check::Check;
use crate::parcel::Parcel;
use crate::patience::{came, until};
use crate::ring::{left, partner, right};

const ROUNDS: u64 = 60;

pub fn fence(check: &mut Check) {
    let seen = Coarray::new(Coevent::new());
    let mut flag = Coarray::new(0);
    let mut x = Coarray::new(Parcel::none());
    let (flag, x) = coarray::open((&mut flag, &mut x));
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(right(1)));
        coarray::fence(right(1));
        flag.at(right(1)).as_atomic().store(round);

        if !until(check, "the flag comes", || {
            flag.here().as_atomic().load() == round
        }) {
            break;
        }
        image_fence();
        Parcel::of(round, left(1)).look_for(check, x.here());
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub fn fence_and_own_word(check: &mut Check) {
    let seen = Coarray::new(Coevent::new());
    let mut flag = Coarray::new(0);
    let mut x = Coarray::new(Parcel::none());
    let (flag, x) = coarray::open((&mut flag, &mut x));
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(right(1)));
        coarray::fence(right(1));
        flag.at(right(1)).put(round);
        // The word arrives now, at the latest.
        quiet();

        let flag_comes = || {
            // Between nodes puts may need the owner's help to arrive.
            image_fence();
            flag.here().get() == round
        };
        if !until(check, "the flag comes", flag_comes) {
            break;
        }
        image_fence();
        Parcel::of(round, left(1)).look_for(check, x.here());
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

/// Puts a parcel to the right neighbour and, after `complete`, a flag to the image after that one.
fn by_way_of_others(check: &mut Check, complete: fn()) {
    let seen = Coarray::new(Coevent::new());
    let flag = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(right(1)));
        complete();
        flag.at(right(2)).store(round);

        if !until(check, "the flag comes", || flag.load() == round) {
            break;
        }
        image_fence();
        Parcel::of(round, left(2)).look_for(check, x.at(left(1)));
        seen.at(left(2)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub fn quiet_by_way_of_others(check: &mut Check) {
    by_way_of_others(check, quiet);
}

pub fn image_fence_by_way_of_others(check: &mut Check) {
    by_way_of_others(check, image_fence);
}

pub fn quiet_after_asynchronous_puts(check: &mut Check) {
    const WORDS: usize = 100;
    let seen = Coarray::new(Coevent::new());
    let flag = Coarray::new(Coatomic::new(0));
    let mut x = Coarray::<[[u64; WORDS]]>::zeroed(num_images());
    let x = x.open();
    for round in 1..ROUNDS {
        // To all images, in turns.
        for word in 0..WORDS {
            for image in 0..num_images() {
                drop(x.at(image)[this_image()][word].put_async(round));
            }
        }
        quiet();
        flag.at(right(1)).store(round);

        if !until(check, "the flag comes", || flag.load() == round) {
            break;
        }
        image_fence();
        for image in 0..num_images() {
            let theirs = x.at(image)[left(1)].get();
            let what = format!("what came to image {image}");
            check.same_items(what, &theirs, &[round; WORDS]);
        }
        seen.at(left(1)).post();
        if !came(check, &seen, 1) {
            break;
        }
    }
}

pub fn store_buffering(check: &mut Check) {
    let mut x = Coarray::<[u64; ROUNDS as usize]>::zeroed();
    let mut saw = Coarray::<[u64; ROUNDS as usize]>::zeroed();
    {
        let x = x.open();
        for round in 0..ROUNDS as usize {
            // Both images of a pair begin the round together.
            sync_all();
            // Each image puts to its own part and gets from its partner's, or the other way round.
            let (put, get) = match round % 2 {
                0 => (x.here(), x.at(partner())),
                _ => (x.at(partner()), x.here()),
            };
            racy("the partner gets it", || put[round].put(1));
            image_fence();
            saw[round] = racy("the partner puts it", || get[round].get());
        }
    }
    let saw = saw.publish();
    for round in 0..ROUNDS as usize {
        let seen = saw[round] + saw.at(partner())[round].get();
        check.that(seen > 0, || {
            format!("in round {round} neither saw what the other put")
        });
    }
}

pub fn around_a_collective(check: &mut Check) {
    let mut x = Coarray::new(Parcel::none());
    let x = x.open();
    for round in 1..ROUNDS {
        Parcel::of(round, this_image()).send(x.at(right(1)));
        image_fence();
        let all = co_all(true);
        image_fence();
        check.same("what the collective says", all, true);
        Parcel::of(round, left(1)).look_for(check, x.here());
        Parcel::of(round, right(1)).look_for(check, x.at(right(2)));
        sync_all();
    }
}
