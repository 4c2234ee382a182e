//! Rule 15: what images did that have failed since.

use coarray::failure::{ImageStatus, fail_image, image_status, try_sync_all};
use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("failures.rs":
    clean put_before_a_barrier_and_failure.keeps_going();
    clean put_before_a_post_and_failure.keeps_going();
    clean survivors_meet.keeps_going();
    racy put_before_the_failure.keeps_going();
    racy put_before_the_failure_and_a_barrier_of_the_others.keeps_going();
    racy survivors_without_a_barrier.from(3).keeps_going();
);

/// Waits until the last image has failed, which orders nothing.
fn until_the_last_has_failed() {
    while image_status(num_images() - 1) != ImageStatus::Failed {
        std::thread::yield_now();
    }
}

fn put_before_a_barrier_and_failure() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == num_images() - 1 {
        x.at(0).put(7);
        sync_all();
        fail_image();
    }
    sync_all();
    until_the_last_has_failed();
    assert_eq!(x.at(0).get(), 7);
}

fn put_before_a_post_and_failure() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == num_images() - 1 {
        x.at(0).put(7);
        came.at(0).post();
        fail_image();
    }
    if this_image() == 0 {
        while !came.try_wait().unwrap_or(false) {
            std::thread::yield_now();
        }
        assert_eq!(x.here().get(), 7);
    }
}

fn survivors_meet() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    if this_image() == num_images() - 1 {
        fail_image();
    }
    let right = (this_image() + 1) % (num_images() - 1);
    x.at(right)[1].put(7);
    assert_eq!(try_sync_all().unwrap_err().images, [num_images() - 1]);
    assert_eq!(x.here()[1].get(), 7);
}

fn put_before_the_failure() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == num_images() - 1 {
        x.at(0).put(7); //~ race: put
        fail_image();
    }
    until_the_last_has_failed();
    image_fence();
    if this_image() == 0 {
        let _ = x.here().get(); //~ race: get
    }
}

fn put_before_the_failure_and_a_barrier_of_the_others() {
    let mut x = Coarray::new(0);
    let x = x.open();
    if this_image() == num_images() - 1 {
        x.at(0).put(7); //~ race: put
        fail_image();
    }
    assert_eq!(try_sync_all().unwrap_err().images, [num_images() - 1]);
    if this_image() == 0 {
        let _ = x.here().get(); //~ race: get
    }
}

fn survivors_without_a_barrier() {
    let mut x = Coarray::new([0; 8]);
    let x = x.open();
    if this_image() == num_images() - 1 {
        fail_image();
    }
    until_the_last_has_failed();
    match this_image() {
        0 => x.at(1)[1].put(7),                            //~ race: put
        1 => assert!([0, 7].contains(&x.here()[1].get())), //~ race: get
        _ => x.here()[1].put(8),
    }
}
