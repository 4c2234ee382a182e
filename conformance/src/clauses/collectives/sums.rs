//! Sums of floats.

use coarray::collectives::{co_sum_reproducible, co_total_reproducible};
use coarray::prelude::*;

use crate::check::Check;

/// Checks that all images have the same bits as image 0.
fn same_everywhere(check: &mut Check, what: &str, mine: &[f64]) {
    let bits: Vec<u64> = mine.iter().map(|value| value.to_bits()).collect();
    let mut theirs = bits.clone();
    co_broadcast(&mut theirs, 0);
    check.same_items(what, &bits, &theirs);
}

/// Numbers whose sum depends on the order of the additions.
fn number(image: usize, index: usize) -> f64 {
    let sign = if (image + index).is_multiple_of(3) {
        -1.0
    } else {
        1.0
    };
    sign * 0.1 * (index + 1) as f64 * 10_f64.powi((7 * image + index) as i32 % 30)
}

pub fn same_bits(check: &mut Check) {
    for length in [1, 2, 5, 100, 20_000] {
        let mut sums: Vec<f64> = (0..length)
            .map(|index| number(this_image(), index))
            .collect();
        co_sum(&mut sums);
        same_everywhere(check, "bits of the sums", &sums);
    }
}

pub fn reproducible(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in [1, 3, 100, 5000] {
        // The same addends, contributed by other images.
        let mut sums: Vec<f64> = (0..length).map(|index| number(me, index)).collect();
        let mut others: Vec<f64> = (0..length)
            .map(|index| number((me + index + 1) % images, index))
            .collect();
        co_sum_reproducible(&mut sums);
        co_sum_reproducible(&mut others);
        check.same_items("sums in another order", &others, &sums);
        same_everywhere(check, "bits of the sums", &sums);
    }
    // All cancels but one small number.
    let mut sum = match me {
        0 if images == 1 => 0.1,
        0 => 1e100,
        1 if images == 2 => -1e100,
        1 => 0.1,
        2 => -1e100,
        _ => -0.0,
    };
    co_sum_reproducible(&mut sum);
    check.same("what is left", sum, if images == 2 { 0.0 } else { 0.1 });
}

pub fn total(check: &mut Check) {
    const COUNT: usize = 3000;
    let (me, images) = (this_image(), num_images());
    let all: Vec<f64> = (0..COUNT).map(|index| number(index % 7, index)).collect();
    let share = |parts: usize, part: usize| &all[COUNT * part / parts..COUNT * (part + 1) / parts];
    let equal = co_total_reproducible(share(images, me));
    let first = co_total_reproducible(if me == 0 { &all[..] } else { &[] });
    let last = co_total_reproducible(share(images, images - 1 - me));
    check.same("all on image 0", first.to_bits(), equal.to_bits());
    check.same("in reverse order", last.to_bits(), equal.to_bits());
    check.same("no numbers", co_total_reproducible(&[0.0_f64; 0]), 0.0);
    let cancelled = co_total_reproducible(&[1e300, 1.0, -1e300]);
    check.same("what is left", cancelled, images as f64);
}
