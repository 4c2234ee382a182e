//! Section 7: gets and puts that do not block.

use coarray::asynchronous::{Cofuture, async_scope};
use coarray::prelude::*;

/// First listing. `wait` gives the result; in the listing, an expression does.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_cofuture_manages_a_get_that_does_not_block() {
    let mut x = Coarray::new(this_image());
    let x = x.open();
    for i in 0..num_images() {
        let f: Cofuture<'_, usize> = x.at(i).get_async();
        let z = f.wait() + 1;
        assert_eq!(z, i + 1);
    }
}

/// Second listing. The storage is lent until the scope ends, also if nobody waits.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_cofuture_fills_existing_storage() {
    let mut x = Coarray::<[usize; 100]>::from_fn(|item| 1000 * this_image() + item);
    let x = x.open();
    for i in 0..num_images() {
        let (mut y, mut unwaited) = ([0; 100], [0; 100]);
        async_scope(|scope| {
            let f = x.at(i).get_into_async(&mut y, scope);
            drop(x.at(i).get_into_async(&mut unwaited, scope));
            let y = f.wait();
            assert_eq!((y[0], y[99]), (1000 * i, 1000 * i + 99));
        });
        assert_eq!(y, unwaited);
    }
}

/// Third listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_cofuture_manages_a_put_that_does_not_block() {
    let me = this_image();
    let mut x = Coarray::<[usize]>::zeroed(num_images());
    {
        let x = x.open();
        for i in 0..num_images() {
            let y = 10 * i + me;
            let f: Cofuture<'_, ()> = x.at(i)[me].put_async(y);
            f.wait();
            assert_eq!(x.at(i)[me].get(), y);
        }
    }
    for (from, &item) in x.iter().enumerate() {
        assert_eq!(item, 10 * me + from);
    }
}
