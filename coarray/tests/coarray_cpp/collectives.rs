//! Section 8: broadcast and reductions.

use coarray::prelude::*;

/// 8.1, the listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn cobroadcast_replicates_the_value_of_the_root() {
    let mut x = Coarray::new(0);
    if this_image() == 0 {
        *x = 42;
    }
    co_broadcast(&mut x, 0);
    assert_eq!(*x, 42);
}

/// 8.2, first listing, with both names of each operation.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn coreduce_yields_a_result_for_each_item() {
    let (me, n) = (this_image() as i32, num_images() as i32);
    let coarray = || Coarray::<[i32; 100]>::from_fn(|i| (i as i32 - 50) * (me + 1));

    let (mut x, mut reduced) = (coarray(), coarray());
    co_sum(&mut x);
    co_reduce(&mut reduced, |a, b| a + b);
    for i in 0..100 {
        assert_eq!(x[i], (i as i32 - 50) * n * (n + 1) / 2);
    }
    assert_eq!(*x, *reduced);

    let (mut x, mut reduced) = (coarray(), coarray());
    co_min(&mut x);
    co_reduce(&mut reduced, |a: i32, b| a.min(b));
    for i in 0..100 {
        assert_eq!(x[i], (i as i32 - 50) * if i < 50 { n } else { 1 });
    }
    assert_eq!(*x, *reduced);

    let (mut x, mut reduced) = (coarray(), coarray());
    co_max(&mut x);
    co_reduce(&mut reduced, |a: i32, b| a.max(b));
    for i in 0..100 {
        assert_eq!(x[i], (i as i32 - 50) * if i < 50 { 1 } else { n });
    }
    assert_eq!(*x, *reduced);
}

/// 8.2, second listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn comax_finds_the_largest_image() {
    let mut x = Coarray::<usize>::zeroed();
    *x = this_image();
    co_max(&mut x);
    assert_eq!(*x, num_images() - 1);
}
