//! A program that communicates while it computes.

use coarray::asynchronous::{
    CofutureSet, async_scope, co_alltoallv_async, co_broadcast_async, co_max_async, co_sum_async,
};
use coarray::prelude::*;

use crate::programs::is_last;

/// Every image puts a row to every image and gets the rows of all images, without waiting in between; some of the
/// operations are leaked.
pub fn cofutures() {
    let (me, images) = (this_image(), num_images());
    let row = |from: usize, to: usize| [from as f64, to as f64, 0.25];
    let mut rows = Coarray::<[[f64; 3]]>::zeroed(images);
    let mut arrived = Coarray::<[bool]>::zeroed(images);
    let (to_rows, to_arrived) = coarray::open((&mut rows, &mut arrived));
    for image in 0..images {
        std::mem::forget(to_rows.at(image)[me].put_async(row(me, image)));
        fence(image);
        to_arrived.at(image)[me].put_async(true).wait();
    }
    sync_all();
    let fetched: CofutureSet<bool> = (0..images)
        .map(|image| to_arrived.at(image)[me].get_async())
        .collect();
    let mut buffers = vec![vec![[0.0; 3]; images]; images];
    async_scope(|scope| {
        for (image, buffer) in buffers.iter_mut().enumerate() {
            std::mem::forget(to_rows.at(image).get_into_async(&mut buffer[..], scope));
        }
        assert!(fetched.wait_all().into_iter().all(|arrived| arrived));
    });
    for (image, buffer) in buffers.iter().enumerate() {
        assert!((0..images).all(|from| buffer[from] == row(from, image)));
    }
    drop((to_rows, to_arrived));
    assert!((0..images).all(|from| rows[from] == row(from, me) && arrived[from]));
}

/// Hundreds of collectives are in flight at once, with roots in turn; each image waits for them in another order.
/// Large collectives use the same memory again and again.
pub fn collectives() {
    let (me, images) = (this_image(), num_images());
    let mut numbers: Vec<_> = (0..300)
        .map(|number| co_broadcast_async([number, me], number % images))
        .collect();
    let sum = co_sum_async(0.5);
    let parts = co_alltoallv_async((0..images).map(|to| vec![me as u16; to]).collect());
    let mut left: Vec<usize> = (0..300).collect();
    left.rotate_left(100 * me % 300);
    numbers.rotate_left(100 * me % 300);
    while let (Some(cofuture), Some(number)) = (numbers.pop(), left.pop()) {
        assert_eq!(cofuture.wait(), [number, number % images]);
    }
    assert_eq!(sum.wait(), 0.5 * images as f64);
    for (from, part) in parts.wait().into_iter().enumerate() {
        assert_eq!(part, vec![from as u16; me]);
    }
    let team = Team::form(me as u64 % 2);
    let late = team.change(|| co_sum_async([1_u64; 3]));
    let members = team.num_images() as u64;
    drop(team);
    for round in 0..40 {
        let values = co_max_async(vec![me + round; 100_000]).wait();
        assert!(values.iter().all(|&value| value == images - 1 + round));
    }
    assert_eq!(late.wait(), [members; 3]);
}

/// The last image calls another collective.
pub fn mismatch() {
    let first = co_broadcast_async(1_u8, 0);
    if is_last() {
        co_max_async(1.5).wait();
    } else {
        co_sum_async(1.5).wait();
    }
    first.wait();
}
