//! Thousands of collectives one after the other in which images post: some are far ahead of others, and the room for posts is used again.

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;
use coarray_proptests::mix;

/// The value of image `image` at `place` in operation `number`.
fn value(number: u64, image: usize, place: usize) -> u64 {
    number * 1_000_003 + (image * 1009 + place) as u64
}

fn own(number: u64, image: usize, length: usize) -> Vec<u64> {
    (0..length)
        .map(|place| value(number, image, place))
        .collect()
}

/// One operation, whose kind, root and length follow from its number.
fn check(number: u64) {
    let eager = Collective::new().algorithm(Algorithm::Eager);
    let (me, images) = (this_image(), num_images());
    let mut draws = 0;
    let mut next = |bound: usize| {
        draws += 1;
        (mix(number, draws) % bound as u64) as usize
    };
    let (kind, root) = (next(5), next(images));
    // Mostly a few; up to 8 KiB.
    let length = match next(8) {
        0 => next(1025),
        1 => next(100),
        _ => next(4),
    };
    let mut mine = own(number, me, length);
    let sum_to = |last: usize| {
        let of_place = |place| (0..=last).map(|image| value(number, image, place)).sum();
        (0..length).map(of_place).collect::<Vec<u64>>()
    };
    match kind {
        0 => {
            eager.co_broadcast(&mut mine, root);
            assert_eq!(mine, own(number, root, length));
        }
        1 => {
            let mut all = vec![0; if me == root { images * length } else { 0 }];
            eager.co_gather(&mine, &mut all, root);
            let expected = (0..images).flat_map(|image| own(number, image, length));
            assert!(me != root || expected.eq(all));
        }
        2 => {
            let all = own(number, root, images * length);
            eager.co_scatter(if me == root { &all } else { &[] }, &mut mine, root);
            assert_eq!(mine, all[me * length..][..length]);
        }
        3 => {
            eager.co_sum_to(&mut mine, root);
            assert!(me != root || mine == sum_to(images - 1));
        }
        _ => {
            eager.co_scan(&mut mine, |one, other| one + other);
            assert_eq!(mine, sum_to(me));
        }
    }
    if next(200) == me {
        std::thread::yield_now();
    }
    if next(300) == 0 {
        sync_all();
    }
}

#[coarray::test(images = [1, 2, 3, 5, 8])]
fn images_far_ahead_overwrite_nothing_that_is_read_later() {
    (0..3000).for_each(check);
    let team = Team::form(this_image() as u64 % 2);
    team.change(|| (0..500).for_each(check));
}

/// The others wake up while the root goes on, which would be far ahead by then if nothing kept it.
#[coarray::test(images = [2, 3])]
fn a_root_is_kept_from_what_others_have_not_read() {
    let eager = Collective::new().algorithm(Algorithm::Eager);
    let begun = Coarray::new(Coevent::new());
    for (length, operations) in [(1, 5000), (3, 5000), (1024, 200), (1000, 200)] {
        for number in 0..operations {
            if number == 0 && this_image() != 0 {
                begun.wait();
            }
            let mut values = own(number, this_image(), length);
            eager.co_broadcast(&mut values, 0);
            assert_eq!(values, own(number, 0, length));
            if number == 0 && this_image() == 0 {
                (1..num_images()).for_each(|image| begun.at(image).post());
            }
        }
        sync_all();
    }
}
