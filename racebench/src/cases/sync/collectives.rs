//! Rule 9: collectives are no barriers, and what passes through one is ordered between fences only.

use coarray::asynchronous::co_sum_async;
use coarray::collectives::co_sum_to;
use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("collectives.rs":
    clean sum_between_fences;
    clean broadcast_between_fences;
    clean sum_in_flight_between_fences;
    clean values_of_a_collective;
    clean collective_of_a_closed_coarray;
    racy sum_without_fences;
    racy sum_without_a_fence_before;
    racy sum_without_a_fence_after;
    racy sum_with_fence_instead_of_image_fence;
    racy broadcast_of_the_reader;
    racy sum_for_the_writer_only;
    racy sum_in_flight_and_fence_after_the_call;
    racy sum_in_flight_and_fence_before_the_wait;
    racy gather_of_what_was_put;
);

fn sum_between_fences() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    image_fence();
    co_sum(&mut [1]);
    image_fence();
    assert_eq!(x.here().get(), 7);
}

fn broadcast_between_fences() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        (1..num_images()).for_each(|image| x.at(image).put(7));
    }
    quiet();
    co_broadcast(&mut [1.5; 20], 0);
    quiet();
    assert_eq!(x.here().get() == 7, this_image() > 0);
}

fn sum_in_flight_between_fences() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7);
    image_fence();
    let sum = co_sum_async(1);
    assert_eq!(sum.wait(), num_images());
    image_fence();
    assert_eq!(x.here().get(), 7);
}

fn values_of_a_collective() {
    let mut x = Coarray::new(this_image());
    let x = x.open();
    let mut mine = x.here().get();
    co_sum(&mut mine);
    x.here().put(mine);
    assert_eq!(x.here().get(), num_images() * (num_images() - 1) / 2);
}

fn collective_of_a_closed_coarray() {
    let mut x = Coarray::new([this_image(); 100]);
    co_max(&mut x);
    let x = x.open();
    assert_eq!(x.at(0)[99].get(), num_images() - 1);
}

fn sum_without_fences() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    co_sum(&mut [1]);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn sum_without_a_fence_before() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    co_sum(&mut [1]);
    image_fence();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn sum_without_a_fence_after() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    image_fence();
    co_sum(&mut [1]);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn sum_with_fence_instead_of_image_fence() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let right = (this_image() + 1) % num_images();
    x.at(right).put(7); //~ race: put
    fence(right);
    co_sum(&mut [1]);
    fence(right);
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn broadcast_of_the_reader() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put(7); //~ race: put
            quiet();
            co_broadcast(&mut [1.5; 20], 1);
        }
        1 => {
            co_broadcast(&mut [1.5; 20], 1);
            image_fence();
            assert!([0, 7].contains(&x.here().get())); //~ race: get
        }
        _ => co_broadcast(&mut [1.5; 20], 1),
    }
}

fn sum_for_the_writer_only() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == 0 {
        x.at(1).put(7); //~ race: put
        quiet();
    }
    co_sum_to(&mut [1], 0);
    if this_image() == 1 {
        image_fence();
        assert!([0, 7].contains(&x.here().get())); //~ race: get
    }
}

fn sum_in_flight_and_fence_after_the_call() {
    let mut x = Coarray::new(0);
    let x = x.open();
    let sum = co_sum_async(1);
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    quiet();
    sum.wait();
    image_fence();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn sum_in_flight_and_fence_before_the_wait() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    quiet();
    let sum = co_sum_async(1);
    quiet();
    sum.wait();
    assert!([0, 7].contains(&x.here().get())); //~ race: get
}

fn gather_of_what_was_put() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(7); //~ race: put
    let mine = x.here().get(); //~ race: get
    let mut all = vec![0; num_images()];
    co_allgather(&mine, &mut all);
    assert_eq!(all[this_image()], mine);
}
