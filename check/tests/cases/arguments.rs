//! Arguments that must be the same on all images.

use coarray::prelude::*;

fn a_root_of_ones_own() {
    let mut steps = 100;
    co_broadcast(&mut steps, this_image()); // wrong
}

fn as_long_as_its_number() {
    let rows = 10 + this_image();
    let _cells = Coarray::<[f64]>::zeroed(rows); // wrong
    let _more = Coarray::<[f64]>::from_fn(rows, |row| row as f64); // wrong
}

fn the_longest(values: &[f64]) {
    let mut rows = values.len() + this_image();
    co_max(&mut rows);
    let cells = Coarray::<[f64]>::zeroed(rows);
    let _as_many = Coarray::<[f64]>::from_fn(cells.len(), |_| this_image() as f64);
}

fn a_value_may_differ() {
    let _mine = Coarray::new(this_image());
    let _team = Team::form(this_image() as u64 % 2);
}
