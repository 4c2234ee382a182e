//! The forms that return a cofuture.

use coarray::asynchronous::{
    CofutureSet, co_all_async, co_allgather_async, co_allgatherv_async, co_alltoall_async,
    co_alltoallv_async, co_any_async, co_broadcast_async, co_count_async, co_exscan_async,
    co_gather_async, co_gatherv_async, co_max_async, co_max_to_async, co_min_async,
    co_min_to_async, co_reduce_async, co_reduce_scatter_async, co_reduce_to_async, co_scan_async,
    co_scatter_async, co_scatterv_async, co_sum_async, co_sum_reproducible_async, co_sum_to_async,
    co_total_reproducible_async,
};
use coarray::collectives::{co_sum_reproducible, co_total_reproducible};
use coarray::prelude::*;

use super::combining::Span;
use super::values;
use crate::check::Check;
use crate::patience::came;

pub fn results(check: &mut Check) {
    for length in [1, 17, 6000] {
        combining(check, length);
        moving(check, length);
    }
}

fn combining(check: &mut Check, length: usize) {
    let (me, images) = (this_image(), num_images());
    let root = length % images;
    let mine = || values(me, length);
    let mut expected = mine();
    co_sum(&mut expected);
    check.same_items("sum", &co_sum_async(mine()).wait(), &expected);
    let to_root = co_sum_to_async(mine(), root).wait();
    check.same_items(
        "sum to one",
        &to_root,
        &if me == root { expected } else { mine() },
    );
    check.same_items("minimum", &co_min_async(mine()).wait(), &values(0, length));
    check.same_items(
        "maximum",
        &co_max_async(mine()).wait(),
        &values(images - 1, length),
    );
    let smallest = co_min_to_async(mine(), root).wait();
    check.same_items(
        "minimum to one",
        &smallest,
        &if me == root {
            values(0, length)
        } else {
            mine()
        },
    );
    let largest = co_max_to_async(mine(), root).wait();
    let expected = if me == root {
        values(images - 1, length)
    } else {
        mine()
    };
    check.same_items("maximum to one", &largest, &expected);

    let spans = || vec![Span::of(me, me); length];
    let whole = vec![Span::of(0, images - 1); length];
    check.same_items(
        "reduction",
        &co_reduce_async(spans(), Span::join).wait(),
        &whole,
    );
    let to_root = co_reduce_to_async(spans(), root, Span::join).wait();
    check.same_items(
        "reduction to one",
        &to_root,
        &if me == root { whole.clone() } else { spans() },
    );
    let scanned = co_scan_async(spans(), Span::join).wait();
    check.same_items("scan", &scanned, &vec![Span::of(0, me); length]);
    let shifted = vec![Span::of(me + 1, me + 1); length];
    let scanned = co_exscan_async(shifted, Span::of(0, 0), Span::join).wait();
    check.same_items(
        "scan of those before",
        &scanned,
        &vec![Span::of(0, me); length],
    );
    let blocks = vec![Span::of(me, me); length * images];
    check.same_items(
        "blocks",
        &co_reduce_scatter_async(blocks, Span::join).wait(),
        &whole,
    );

    check.same("all", co_all_async(me > 0).wait(), false);
    check.same("any", co_any_async(me == root).wait(), true);
    check.same("count", co_count_async(me <= root).wait(), root + 1);
    let numbers = vec![0.1 * (me + 1) as f64; length];
    let mut expected = numbers.clone();
    co_sum_reproducible(&mut expected);
    let sums = co_sum_reproducible_async(numbers.clone()).wait();
    check.same_items("reproducible sum", &sums, &expected);
    let total = co_total_reproducible_async(&numbers).wait();
    check.same("reproducible total", total, co_total_reproducible(&numbers));
}

fn moving(check: &mut Check, length: usize) {
    let (me, images) = (this_image(), num_images());
    let root = length % images;
    let mine = || values(me, length);
    let all: Vec<i64> = (0..images)
        .flat_map(|image| values(image, length))
        .collect();
    let runs: Vec<Vec<i64>> = (0..images)
        .map(|image| values(image, length + image))
        .collect();
    let received = co_broadcast_async(mine(), root).wait();
    check.same_items("broadcast", &received, &values(root, length));
    check.same_items("allgather", &co_allgather_async(mine()).wait(), &all);
    let gathered = co_gather_async(mine(), root).wait();
    let part =
        |from: usize, to: usize| values(from, length * images)[to * length..][..length].to_vec();
    let parts = if me == root {
        values(root, length * images)
    } else {
        vec![]
    };
    check.same_items(
        "scatter",
        &co_scatter_async(parts, root).wait(),
        &part(root, me),
    );
    let received = co_alltoall_async(values(me, length * images)).wait();
    let expected: Vec<i64> = (0..images).flat_map(|from| part(from, me)).collect();
    check.same_items("alltoall", &received, &expected);
    let ragged = co_gatherv_async(values(me, length + me), root).wait();
    if me == root {
        check.same_items("gather", &gathered, &all);
        check.same_items("gatherv", &ragged, &runs);
    }
    check.same_items(
        "allgatherv",
        &co_allgatherv_async(values(me, length + me)).wait(),
        &runs,
    );
    let parts = if me == root { runs.clone() } else { vec![] };
    check.same_items(
        "scatterv",
        &co_scatterv_async(parts, root).wait(),
        &runs[me],
    );
    let received = co_alltoallv_async(runs.clone()).wait();
    check.same_items("alltoallv", &received, &vec![runs[me].clone(); images]);
}

pub fn waits_for_nobody(check: &mut Check) {
    let called = Coarray::new(Coevent::new());
    let last = num_images() - 1;
    // The last image makes the call only when the others have made it.
    if this_image() == last && !came(check, &called, last as u64) {
        called.post();
    }
    let sum = co_sum_async(vec![1_usize; 3000]);
    let values = co_broadcast_async([this_image(); 9], last);
    if this_image() != last {
        called.at(last).post();
    }
    check.same_items("sums", &sum.wait(), &[num_images(); 3000]);
    check.same("values of the last image", values.wait(), [last; 9]);
}

pub fn many(check: &mut Check) {
    const MANY: usize = 200;
    let images = num_images();
    let sums: Vec<_> = (0..MANY)
        .map(|round| co_sum_async(round + this_image()))
        .collect();
    let mut meanwhile = 1;
    co_sum(&mut meanwhile);
    check.same("a sum meanwhile", meanwhile, images);
    sync_all();
    for (round, sum) in sums.into_iter().enumerate().rev() {
        let expected = images * round + images * (images - 1) / 2;
        check.same(format_args!("sum {round}"), sum.wait(), expected);
    }
    let mut set: CofutureSet<_> = (0..MANY)
        .map(|round| co_count_async(round % 2 == 0))
        .collect();
    while let Some((round, count)) = set.wait_any() {
        let expected = if round % 2 == 0 { images } else { 0 };
        check.same(format_args!("count {round}"), count, expected);
    }
    // Nobody waits for these.
    for round in 0..MANY {
        drop(co_max_async(vec![round; round]));
    }
}
