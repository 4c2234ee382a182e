//! Rules that hold for all collectives.

use std::ops::Range;

use coarray::collectives::{
    co_gather, co_scan, co_scatter, co_sum_to, try_co_all, try_co_allgather, try_co_alltoall,
    try_co_broadcast, try_co_gather, try_co_reduce, try_co_scan, try_co_scatter, try_co_sum,
    try_co_sum_reproducible,
};
use coarray::prelude::*;

use super::values;
use crate::check::Check;

pub fn nobody_leaves_early(check: &mut Check) {
    /// A collective, and whose values an image gets.
    type Operation = (fn(), fn() -> Range<usize>);

    let entered = Coarray::new(Coatomic::new(0));
    let operations: [Operation; 6] = [
        (|| co_sum(&mut 1), || 0..num_images()),
        (
            || co_broadcast(&mut [this_image(); 100], num_images() - 1),
            || num_images() - 1..num_images(),
        ),
        (|| co_sum_to(&mut vec![1.5; 3000], 0), all_on_image_0),
        (|| co_scan(&mut 1, |a, b| a + b), || 0..this_image() + 1),
        (
            || co_gather(&1, &mut vec![0; num_images()], 0),
            all_on_image_0,
        ),
        (
            || co_scatter(&vec![1; 9 * num_images()], &mut [0; 9], 0),
            || 0..1,
        ),
    ];
    for (round, (operation, needs)) in (1..).zip(operations.repeat(5)) {
        entered.store(round);
        operation();
        for image in needs() {
            let seen = entered.at(image).load();
            check.that(seen >= round, || {
                format!(
                    "left operation {} when image {image} had entered {seen} of {round}",
                    round % 6
                )
            });
        }
        sync_all();
    }
}

fn all_on_image_0() -> Range<usize> {
    match this_image() {
        0 => 0..num_images(),
        _ => 0..0,
    }
}

pub fn with_errors(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut x = values(me, 100);
    check.same("co_broadcast", try_co_broadcast(&mut x, 0), Ok(()));
    check.same_items("its values", &x, &values(0, 100));
    check.same("co_sum", try_co_sum(&mut x), Ok(()));
    check.same("its first value", x[0], images as i64 * values(0, 1)[0]);
    check.same("co_reduce", try_co_reduce(&mut x, i64::max), Ok(()));
    check.same("co_scan", try_co_scan(&mut x, i64::max), Ok(()));
    check.same("co_all", try_co_all(true), Ok(true));
    let mut gathered = vec![0; images];
    check.same("co_gather", try_co_gather(&me, &mut gathered, 0), Ok(()));
    check.same("co_allgather", try_co_allgather(&me, &mut gathered), Ok(()));
    check.same_items("its values", &gathered, &(0..images).collect::<Vec<_>>());
    let mut mine = 0;
    check.same(
        "co_scatter",
        try_co_scatter(&gathered, &mut mine, images - 1),
        Ok(()),
    );
    check.same("its value", mine, me);
    let mut received = vec![0; images];
    check.same(
        "co_alltoall",
        try_co_alltoall(&gathered, &mut received),
        Ok(()),
    );
    check.same_items("its values", &received, &vec![me; images]);
    check.same(
        "co_sum_reproducible",
        try_co_sum_reproducible(&mut 0.1),
        Ok(()),
    );
}

pub fn in_a_row(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for round in 0..100 {
        let length = [1, 300, 2, 5000][round % 4];
        let root = round % images;
        let mut x = vec![(round + me) as u64; length];
        co_broadcast(&mut x, root);
        let mut sum = x[length - 1];
        co_sum(&mut sum);
        check.same(
            "a sum of what was broadcast",
            sum,
            (images * (round + root)) as u64,
        );
        let mut largest = me * round;
        co_max(&mut largest);
        check.same("a maximum", largest, (images - 1) * round);
    }
}
