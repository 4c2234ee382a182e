//! Values that are more than a number: structs, complex numbers, and what `serde` knows.

use std::collections::BTreeMap;

use coarray::asynchronous::{
    co_allgather_values_async, co_broadcast_value_async, co_gather_values_async,
};
use coarray::collectives::{co_allgather_values, co_broadcast_value, co_gather_values};
use coarray::prelude::*;
use num_complex::Complex;

use crate::check::Check;

#[derive(Clone, Copy, PartialEq, Debug, Remote, coarray::Add)]
#[repr(C)]
struct Totals {
    wave: Complex<f64>,
    counts: [[u32; 2]; 3],
    largest: u64,
}

pub fn structs(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let totals = |number: usize, ones: usize| Totals {
        wave: Complex::new(number as f64, -0.5 * ones as f64),
        counts: [
            [ones as u32, number as u32],
            [0, 7 * ones as u32],
            [1; 2].map(|one| one * ones as u32),
        ],
        largest: (ones as u64) << 40,
    };
    for length in [1, 17, 3000] {
        let mut sums = vec![totals(me, 1); length];
        co_sum(&mut sums);
        let expected = totals(images * (images - 1) / 2, images);
        check.same_items("sums of structs", &sums, &vec![expected; length]);
        let mut numbers = vec![Complex::new(me as f32, 0.5); length];
        co_broadcast(&mut numbers, images - 1);
        let expected = Complex::new((images - 1) as f32, 0.5);
        check.same_items("complex numbers", &numbers, &vec![expected; length]);
        let number = |image: usize| Complex::new(1 - 2 * (image as i64 % 2), 1);
        let mut products = vec![number(me); length];
        co_reduce(&mut products, |a, b| a * b);
        let expected = (0..images).map(number).product();
        check.same_items("products", &products, &vec![expected; length]);
    }
    let mut x = Coarray::new([totals(me, 1); 2]);
    let next = (me + 1) % images;
    let open = x.open();
    check.same(
        "a struct of the next image",
        open.at(next)[0].get(),
        totals(next, 1),
    );
    coarray::field!(open.at(next)[1], wave).put(Complex::new(me as f64, 0.25));
    drop(open);
    let expected = Complex::new(((me + images - 1) % images) as f64, 0.25);
    check.same(
        "a complex number from the image before",
        x[1].wave,
        expected,
    );
}

pub fn serialised(check: &mut Check) {
    type Deck = BTreeMap<String, Vec<(Option<f64>, u128)>>;
    let (me, images) = (this_image(), num_images());
    let deck = |image: usize, length: usize| -> Deck {
        let rows = (0..length).map(|row| ((row % 3 > 0).then_some(0.1 * row as f64), row as u128));
        BTreeMap::from([
            (format!("table {image}"), rows.collect()),
            ("leer".into(), vec![]),
        ])
    };
    for length in [0, 3, 5000] {
        let root = length % images;
        let received = co_broadcast_value(|| deck(me, length), root);
        check.same("the deck of one image", received, deck(root, length));
        let expected: Vec<Deck> = (0..images)
            .map(|image| deck(image, length * image % 5000))
            .collect();
        let mine = &expected[me];
        let for_one = if me == root { expected.clone() } else { vec![] };
        let gathered = co_gather_values(mine, root);
        check.same("decks for one image", gathered, for_one.clone());
        check.same("decks for all", co_allgather_values(mine), expected.clone());
        let later = (
            co_broadcast_value_async(|| deck(me, length), root),
            co_gather_values_async(mine, root),
            co_allgather_values_async(mine),
        );
        check.same("decks for all, later", later.2.wait(), expected.clone());
        check.same("decks for one image, later", later.1.wait(), for_one);
        let received = later.0.wait();
        check.same("the deck of one image, later", received, deck(root, length));
    }
}
