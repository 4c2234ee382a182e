//! Access to places that do not exist, and too little memory.

use coarray::prelude::*;

use crate::Mistake;

pub const MISTAKES: &[Mistake] = &[
    ("no_such_image", no_such_image),
    ("no_such_place", no_such_place),
    ("no_such_index", no_such_index),
    ("another_length", another_length),
    ("another_extent", another_extent),
    ("forgotten_guard", forgotten_guard),
    ("full_heap", full_heap),
    ("full_stack", full_stack),
    ("not_in_the_team", not_in_the_team),
];

// ANCHOR: no_such_image
fn no_such_image() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let x = x.open();
    x.at(this_image() + 1)[0].put(1.0);
}
// ANCHOR_END: no_such_image

// ANCHOR: no_such_place
fn no_such_place() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let x = x.open();
    if this_image() == 2 {
        (0..=10).for_each(|i| x.at(0)[i].put(1.0));
    }
}
// ANCHOR_END: no_such_place

// ANCHOR: no_such_index
fn no_such_index() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    if this_image() == 2 {
        (0..=10).for_each(|i| x[i] = 1.0);
    }
}
// ANCHOR_END: no_such_index

// ANCHOR: another_length
fn another_length() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let x = x.open();
    if this_image() == 2 {
        x.at(0)[2..5].put_from(&[1.0; 4][..]);
    }
}
// ANCHOR_END: another_length

// ANCHOR: another_extent
fn another_extent() {
    let x = Coarray::<[f64]>::zeroed(12);
    if this_image() == 2 {
        let x: &Coarray<[f64; 10]> = (&x).try_into().unwrap();
        println!("{}", x[9]);
    }
}
// ANCHOR_END: another_extent

// ANCHOR: forgotten_guard
fn forgotten_guard() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let open = x.open();
    open.at(0)[this_image()].put(1.0);
    std::mem::forget(open);
    if this_image() == 0 {
        println!("{}", x[0]);
    }
}
// ANCHOR_END: forgotten_guard

// ANCHOR: full_heap
fn full_heap() {
    let _u = Coarray::<[f64; 500_000]>::zeroed();
    let _v = Coarray::<[f64; 800_000]>::zeroed();
    let _w = Coarray::<[f64; 1_000_000]>::zeroed();
}
// ANCHOR_END: full_heap

// ANCHOR: full_stack
fn full_stack() {
    let mut plane = Coarray::new([[0.0; 2048]; 2048]);
    plane[0][0] = 1.0;
}
// ANCHOR_END: full_stack

// ANCHOR: not_in_the_team
fn not_in_the_team() {
    let half = Team::form(this_image() as u64 % 2);
    half.change(|| {
        let mut x = Coarray::new(0);
        x.open().at(3).put(1);
    });
}
// ANCHOR_END: not_in_the_team
