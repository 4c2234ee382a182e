//! A program that communicates while it computes.

use coarray::prelude::*;

/// Every image puts a row to every image and fetches what it got from all, without waiting in between; some
/// of the operations are leaked.
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
