//! Long reductions of many images, of which each slice is combined once, by an image that waits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::asynchronous::{co_max_async, co_reduce_async, co_sum_async};
use coarray::prelude::*;

use crate::{run, run_on};

/// Around the length from which slices are shared, and one that images cannot divide.
const LENGTHS: [usize; 4] = [1023, 1024, 1500, 10_007];

/// A run of images, as the operands tell it: the first and the last one, and whether none is missing or out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(C)]
struct Run {
    first: u16,
    last: u16,
    is_whole: bool,
    _padding: [u8; 3],
}

impl Run {
    fn new(first: usize, last: usize) -> Self {
        Self {
            first: first as u16,
            last: last as u16,
            is_whole: true,
            _padding: [0; 3],
        }
    }

    fn and(self, next: Self) -> Self {
        Self {
            last: next.last,
            is_whole: self.is_whole && next.is_whole && self.last + 1 == next.first,
            ..self
        }
    }
}

#[test]
fn the_images_are_combined_in_their_order_whoever_combines_them() {
    for images in [7, 8, 9, 11] {
        for length in LENGTHS {
            run(images, || {
                let me = this_image();
                let ends = co_reduce_async(vec![Run::new(me, me); length], Run::and);
                let sums = co_sum_async(vec![1.0; length]);
                // Some images wait at once, some after another one, some take no result.
                if me % 3 == 1 {
                    assert_eq!(sums.wait(), vec![images as f64; length]);
                }
                if me % 3 < 2 {
                    assert_eq!(ends.wait(), vec![Run::new(0, images - 1); length]);
                }
            });
        }
    }
}

#[test]
fn many_are_outstanding_and_waited_for_in_any_order() {
    run_on(1, 8, || {
        let me = this_image();
        let value = |turn: usize, index: usize, image: usize| (index * turn) ^ image;
        let begin = |turn| {
            let values = Vec::from_iter((0..2000).map(|index| value(turn, index, me)));
            (turn, co_max_async(values))
        };
        let mut begun = Vec::from_iter((0..20).map(begin));
        if me.is_multiple_of(2) {
            begun.reverse();
        }
        for (turn, maxima) in begun {
            let largest = |index| (0..8).map(|image| value(turn, index, image)).max().unwrap();
            assert!(maxima.wait().into_iter().eq((0..2000).map(largest)));
        }
    });
}

#[test]
fn an_operator_that_panics_on_one_image_leaves_the_others_right() {
    run_on(1, 8, || {
        let me = this_image();
        let sums = co_reduce_async(vec![me as u64; 4000], move |one, other| {
            assert!(me != 3, "not here");
            one + other
        });
        match catch_unwind(AssertUnwindSafe(|| sums.wait())) {
            Ok(sums) => assert_eq!(sums, [28; 4000]),
            Err(_) => assert_eq!(me, 3),
        }
    });
}

#[test]
fn teams_share_what_is_theirs() {
    run_on(1, 17, || {
        let me = this_image();
        let team = Team::form(me as u64 % 2);
        let all = co_sum_async(vec![me; 3000]);
        let of_half = (0..17).filter(|other| other % 2 == me % 2).sum::<usize>();
        team.change(|| assert_eq!(co_sum_async(vec![me; 3000]).wait(), vec![of_half; 3000]));
        assert_eq!(all.wait(), vec![136; 3000]);
    });
}
