//! The one order of all operations on a coatomic.

use coarray::image_fence;
use coarray::prelude::*;

use crate::check::Check;
use crate::ring::right;

const TIMES: u64 = 300;

pub fn never_back(check: &mut Check) {
    let x = Coarray::new(Coatomic::new(0_u64));
    let mut last = 0;
    for _ in 0..TIMES {
        x.at(0).add(1);
        let seen = x.at(0).load();
        check.that(seen > last, || format!("saw {seen} after {last}"));
        last = seen;
    }
}

pub fn never_torn(check: &mut Check) {
    fn hammer<const N: usize>(check: &mut Check) {
        let x = Coarray::new(Coatomic::new([0_u64; N]));
        for time in 0..TIMES / 4 {
            let value = time << 8 | this_image() as u64;
            let seen = match time % 3 {
                0 => x.at(0).swap([value; N]),
                1 => {
                    x.at(0).store([value; N]);
                    x.at(0).load()
                }
                _ => x.at(0).load(),
            };
            let whole = seen.iter().all(|&word| word == seen[0]);
            check.that(whole, || format!("of {N} words: {seen:x?}"));
        }
    }
    hammer::<2>(check);
    hammer::<3>(check);
    hammer::<40>(check);
}

pub fn own_order(check: &mut Check) {
    let x = Coarray::<[Coatomic<u64>]>::from_fn(num_images(), |_| Coatomic::new(0));
    let place = &x.at(right(1))[this_image()];
    for time in 0..TIMES {
        place.store(2 * time);
        place.add(1);
        check.same("what was stored and added", place.load(), 2 * time + 1);
    }
}

pub fn fenced_words(check: &mut Check) {
    // The last image counts both words up, `second` before `first`. An image that sees `first` also sees `second`.
    let x = Coarray::new(Coatomic::new(0_u64));
    let y = Coarray::new(Coatomic::new(0_u64));
    let (first, second) = (x.at(0), y.at(num_images() / 2));
    if this_image() + 1 == num_images() {
        for _ in 0..TIMES {
            second.add(1);
            image_fence();
            first.add(1);
        }
    } else {
        while {
            let seen = first.load();
            image_fence();
            let also = second.load();
            check.that(also >= seen, || {
                format!("saw {seen}, but only {also} before it")
            });
            std::thread::yield_now();
            seen < TIMES && check.findings().is_none()
        } {}
    }
}
