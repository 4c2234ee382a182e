//! Rule 8: operations in flight are complete, and ordered as others are.

use coarray::image_fence;
use coarray::prelude::*;

use crate::case::cases;

cases!("completion.rs":
    clean put_waited_for_and_posted;
    clean put_not_waited_for_and_posted;
    clean get_not_waited_for_and_posted;
    clean addition_in_flight_and_quiet;
    racy put_waited_for_and_flag;
    racy get_waited_for_and_flag;
    racy addition_in_flight_and_flag;
    racy put_after_the_post;
);

fn put_waited_for_and_posted() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new([0; 2]);
    let x = x.open();
    match this_image() {
        0 => {
            drop(x.at(1)[0].put_async(6));
            x.at(1)[1].put_async(7).wait();
            came.at(1).post();
        }
        1 => {
            came.wait();
            assert_eq!(x.here().get(), [6, 7]);
        }
        _ => x.here().put([8; 2]),
    }
}

fn put_not_waited_for_and_posted() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            let put = x.at(1).put_async(7);
            came.at(1).post();
            put.wait();
        }
        1 => {
            came.wait();
            assert_eq!(x.here().get(), 7);
        }
        _ => x.here().put(8),
    }
}

fn get_not_waited_for_and_posted() {
    let read = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            let get = x.at(1).get_async();
            read.at(1).post();
            assert_eq!(get.wait(), 0);
        }
        1 => {
            read.wait();
            x.here().put(7);
        }
        _ => x.here().put(8),
    }
}

fn addition_in_flight_and_quiet() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).as_atomic().add_async(7);
            quiet();
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            assert_eq!(x.here().get(), 7);
        }
        _ => x.here().put(8),
    }
}

fn put_waited_for_and_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).put_async(7).wait(); //~ race: put
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn get_waited_for_and_flag() {
    let read = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new([0; 50]);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).get_async().wait(); //~ race: get
            read.at(1).store(true);
        }
        1 => {
            read.wait_until(|read| read);
            image_fence();
            x.here().put([7; 50]); //~ race: put
        }
        _ => x.here().put([8; 50]),
    }
}

fn addition_in_flight_and_flag() {
    let there = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            x.at(1).as_atomic().add_async(7); //~ race: atomic operation
            there.at(1).store(true);
        }
        1 => {
            there.wait_until(|there| there);
            image_fence();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}

fn put_after_the_post() {
    let came = Coarray::new(Coevent::new());
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => {
            came.at(1).post();
            drop(x.at(1).put_async(7)); //~ race: put
        }
        1 => {
            came.wait();
            let _ = x.here().get(); //~ race: get
        }
        _ => x.here().put(8),
    }
}
