//! Long values of which some or all lie in coarrays, where other images read them.

use coarray::collectives::{
    Algorithm, Collective, co_broadcast, co_exscan, co_max, co_reduce, co_reduce_scatter,
    co_reduce_to, co_scan, co_sum, co_sum_to,
};
use coarray::prelude::*;

use super::{value, values};
use crate::check::Check;

/// Longer than what images read where it is, and no power of two.
const LENGTH: usize = 9_001;

/// Which images have their values in a coarray.
const IN_COARRAYS: [fn(usize) -> bool; 3] = [|_| true, |image| image % 2 == 0, |image| image == 1];

/// Calls `check_with` with a run of elements for each image, in a coarray or not.
fn with_runs(runs: usize, mut check_with: impl FnMut(&mut [i64], &mut [i64])) {
    let mut lent = Coarray::<[i64]>::zeroed(runs * LENGTH);
    let mut other = Coarray::<[i64]>::zeroed(runs * LENGTH);
    let (mut own, mut more) = (vec![0; runs * LENGTH], vec![0; runs * LENGTH]);
    for is_in_coarray in IN_COARRAYS {
        match is_in_coarray(this_image()) {
            true => check_with(&mut lent, &mut other),
            false => check_with(&mut own, &mut more),
        }
    }
}

fn fill(values: &mut [i64]) {
    for (index, place) in values.iter_mut().enumerate() {
        *place = value(this_image(), index);
    }
}

pub fn reductions(check: &mut Check) {
    let all = |join: fn(i64, i64) -> i64| -> Vec<i64> {
        let of = |index| {
            (0..num_images())
                .map(|image| value(image, index))
                .reduce(join)
        };
        (0..LENGTH).filter_map(of).collect()
    };
    // The last image's value counts, so the order does.
    let last = |_, last| last;
    let (sums, most, lasts) = (all(|a, b| a + b), all(i64::max), all(last));
    with_runs(1, |mine, _| {
        fill(mine);
        co_sum(mine);
        check.same_items("the sums", mine, &sums);
        fill(mine);
        co_max(mine);
        check.same_items("the greatest", mine, &most);
        fill(mine);
        co_reduce(mine, last);
        check.same_items("the last", mine, &lasts);
        // At once, and with mine that the operation before has changed.
        co_sum(mine);
        let images = num_images() as i64;
        let expected: Vec<i64> = lasts.iter().map(|last| images * last).collect();
        check.same_items("the sums of the last", mine, &expected);
    });
}

pub fn ordered(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    // The last one's value counts, so the order does.
    let join = |_, last| last;
    let sums = |end: usize| -> Vec<i64> {
        let sum = |index| (0..end).map(|image| value(image, index)).sum();
        (0..LENGTH).map(sum).collect()
    };
    with_runs(1, |mine, _| {
        fill(mine);
        co_scan(mine, |a, b| a + b);
        check.same_items("the sums so far", mine, &sums(me + 1));
        fill(mine);
        co_exscan(mine, 7, |a, b| a + b);
        let before: Vec<i64> = sums(me).into_iter().map(|sum| 7 + sum).collect();
        check.same_items("the sums before", mine, &before);
        fill(mine);
        co_scan(mine, join);
        check.same_items("the last so far", mine, &values(me, LENGTH));
        for root in [0, images - 1] {
            fill(mine);
            co_sum_to(mine, root);
            let own = || values(me, LENGTH);
            let expected = if me == root { sums(images) } else { own() };
            check.same_items("the sums of one image", mine, &expected);
            fill(mine);
            co_reduce_to(mine, root, join);
            let last = if me == root { images - 1 } else { me };
            check.same_items("the last on one image", mine, &values(last, LENGTH));
            // At once: nobody reads these any more.
            mine.fill(-1);
        }
    });
}

pub fn broadcasts(check: &mut Check) {
    with_runs(1, |mine, _| {
        for root in 0..num_images() {
            fill(mine);
            co_broadcast(mine, root);
            // The root may change its mine as soon as it leaves.
            let seen = mine.to_vec();
            mine.fill(-1);
            check.same_items("the root's values", &seen, &values(root, LENGTH));
        }
    });
    // Not all bytes are a character: another way for images that are apart.
    let letter = |image: usize, index: usize| char::from(b'a' + ((image + index) % 26) as u8);
    let mut letters = Coarray::<[char]>::from_fn(LENGTH, |index| letter(this_image(), index));
    co_broadcast(&mut letters, num_images() - 1);
    let expected: Vec<char> = (0..LENGTH)
        .map(|index| letter(num_images() - 1, index))
        .collect();
    check.same_items("the root's letters", &letters, &expected);
}

pub fn moves(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let by_image: Vec<i64> = (0..images)
        .flat_map(|image| values(image, LENGTH))
        .collect();
    // Runs of all lengths, and none of the last image.
    let run = |image: usize| LENGTH / images * (images - 1 - image);
    let runs: Vec<Vec<i64>> = (0..images).map(|image| values(image, run(image))).collect();
    with_runs(images, |all, others| {
        // In place they are also where they lie in private memory, if the kernel lets images read it.
        for how in [
            Collective::new(),
            Collective::new().algorithm(Algorithm::InPlace),
        ] {
            for root in [0, images - 1] {
                fill(&mut all[..LENGTH]);
                how.co_gather(&all[..LENGTH], others, root);
                let seen = how.co_gatherv(&all[..run(me)], root);
                // At once: nobody reads these any more.
                all.fill(-1);
                if me == root {
                    check.same_items("what is gathered", others, &by_image);
                    check.same_items("the runs that are gathered", &seen, &runs);
                }
                fill(all);
                how.co_scatter(all, &mut others[..LENGTH], root);
                all.fill(-1);
                let expected = &values(root, images * LENGTH)[LENGTH * me..][..LENGTH];
                check.same_items("what is dealt out", &others[..LENGTH], expected);
            }
            fill(&mut all[..LENGTH]);
            how.co_allgather(&all[..LENGTH], others);
            let seen = how.co_allgatherv(&all[..run(me)]);
            all.fill(-1);
            check.same_items("what all gather", others, &by_image);
            check.same_items("the runs that all gather", &seen, &runs);
            fill(all);
            how.co_alltoall(all, others);
            all.fill(-1);
            let of = |image| values(image, images * LENGTH)[me * LENGTH..][..LENGTH].to_vec();
            let expected: Vec<i64> = (0..images).flat_map(of).collect();
            check.same_items("what all exchange", others, &expected);
        }
        fill(all);
        co_reduce_scatter(all, &mut others[..LENGTH], |a, b| a + b);
        let sum = |index: usize| (0..images).map(|image| value(image, index)).sum();
        let own = LENGTH * me;
        let expected: Vec<i64> = (own..own + LENGTH).map(sum).collect();
        check.same_items("the sums of a block", &others[..LENGTH], &expected);
    });
}
