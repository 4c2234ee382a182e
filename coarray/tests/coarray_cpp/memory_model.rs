//! Section 5: the fence, and coatomics. `tests/memory_model` tests its other statements about memory.

use coarray::image_fence;
use coarray::prelude::*;

/// 5.1, which has no listing. The flag is put after the fence.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn after_the_fence_a_write_is_visible_to_all_images() {
    let flag = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        x.at(num_images() - 1).put(42);
        image_fence();
        for image in 0..num_images() {
            flag.at(image).store(true);
        }
    }
    flag.wait_until(|flag| flag);
    image_fence();
    assert_eq!(x.at(num_images() - 1).get(), 42);
}

/// 5.2, first listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn coatomics_add_atomically() {
    let x = Coarray::new(Coatomic::new(0i64));
    let n = num_images();
    for i in 0..n {
        x.at(i).add(this_image() as i64);
    }
    sync_all();
    assert_eq!(x.load(), (n * (n - 1) / 2) as i64);
}

/// 5.2, second listing.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn atomic_operations_are_performed_on_regular_types() {
    let n = num_images();
    let mut x = Coarray::new(0i64);
    {
        let x = x.open();
        for i in 0..n {
            let place: &Coref<Coatomic<i64>, _> = x.at(i).as_atomic();
            place.add(this_image() as i64);
        }
    }
    assert_eq!(*x, (n * (n - 1) / 2) as i64);
}

/// 5.2: a type of any size, which has no atomic instruction.
#[coarray::test(images = [1, 2, 3, 4, 5, 6, 7, 8])]
fn a_generic_coatomic_is_atomic_as_well() {
    let n = num_images();
    let x = Coarray::new(Coatomic::new([0usize; 5]));
    for i in 0..n {
        let mut old = x.at(i).load();
        while let Err(other) = x
            .at(i)
            .compare_exchange(old, old.map(|item| item + this_image()))
        {
            old = other;
        }
    }
    sync_all();
    assert_eq!(x.load(), [n * (n - 1) / 2; 5]);
}
