//! Accesses that race on purpose, beside others.

use std::thread::yield_now;

use coarray::check::racy;
use coarray::irregular::Conveyor;
use coarray::prelude::*;
use coarray::{fence, image_fence};

use crate::case::cases;

cases!("purpose.rs":
    clean updates_that_may_be_lost;
    clean one_of_two_on_purpose;
    clean flag_on_purpose;
    racy flag_on_purpose_without_a_fence;
    racy race_behind_one_on_purpose;
);

fn updates_that_may_be_lost() {
    let mut x = Coarray::<[usize; 8]>::zeroed();
    let x = x.open();
    for i in 0..200 {
        let place = &x.at(i % num_images())[i % 8];
        racy("a few may be lost", || place.put(place.get() ^ i));
    }
}

fn one_of_two_on_purpose() {
    let mut x = Coarray::new(0);
    let x = x.open();
    match this_image() {
        0 => x.at(0).put(7),
        _ => assert!([0, 7].contains(&racy("late or not", || x.at(0).get()))),
    }
}

fn flag_on_purpose() {
    let mut x = Coarray::<[usize; 2]>::zeroed();
    let x = x.open();
    let there = x.at(1);
    if this_image() == 0 {
        there[0].put(7);
        fence(1);
        racy("it is polled", || there[1].put(1));
    } else if this_image() == 1 {
        while racy("it is put", || there[1].get()) == 0 {
            yield_now();
        }
        image_fence();
        assert_eq!(there[0].get(), 7);
    }
}

fn flag_on_purpose_without_a_fence() {
    let mut x = Coarray::<[usize; 2]>::zeroed();
    let x = x.open();
    let there = x.at(1);
    if this_image() == 0 {
        there[0].put(7); //~ race: put
        racy("it is polled", || there[1].put(1));
    } else if this_image() == 1 {
        // It never has to come.
        for _ in 0..1000 {
            if racy("it is put", || there[1].get()) == 1 {
                break;
            }
            yield_now();
        }
        image_fence();
        assert!([0, 7].contains(&there[0].get())); //~ race: get
    }
}

/// An item, which orders nothing, has the put on purpose come between the others.
fn race_behind_one_on_purpose() {
    let mut conveyor = Conveyor::<usize>::new();
    let mut x = Coarray::new(0);
    let x = x.open();
    let mut open = conveyor.open();
    if this_image() == 0 {
        x.at(1).put(7); //~ race: put
        open.push(1, 7).unwrap();
    }
    open.finish();
    while open.wait() {
        while open.pull().is_some() {
            racy("it comes between", || x.here().put(8));
            assert!([7, 8].contains(&x.here().get())); //~ race: get
        }
    }
}
