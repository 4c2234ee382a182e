//! The innermost loops of programs; `.ci/assembly` compiles them and reads the result.
//!
//! The library promises that a `put` or `get` on a directly mapped place is one store or load, and that a
//! loop over such places is a loop of stores or loads: the questions whether the image is mapped and how many
//! items there are have one answer for all items, and are asked before the loop. Images that are not mapped get
//! a loop of their own, with calls. Atomic operations on numbers are one instruction each; after a change comes a test whether
//! an image waits for it.
//!
//! The line `Expect` of a function says what it must compile to. `Refuse as` tests the check itself: these
//! functions break the promise, and the check must notice that, for the given reason.

use std::hint::black_box;

use coarray::atomics::{AsAtomic, Coatomic, CoatomicPlace};
use coarray::places::ReadOnly;
use coarray::{Coarray, Coref, Open};

/// Expect one store
#[unsafe(no_mangle)]
pub fn put_scalar(place: &Coref<i64>, value: i64) {
    place.put(value);
}

/// Expect one load
#[unsafe(no_mangle)]
pub fn get_scalar(place: &Coref<i64>) -> i64 {
    place.get()
}

/// Expect one store
#[unsafe(no_mangle)]
pub fn put_scalar_and_wait(place: &Coref<i64>, value: i64) {
    place.put_async(value).wait();
}

/// Expect one load
#[unsafe(no_mangle)]
pub fn get_scalar_and_wait(place: &Coref<i64>) -> i64 {
    place.get_async().wait()
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_array(row: &Coref<[i32; 1000]>, value: i32) {
    for i in 0..1000 {
        row[i].put(value);
    }
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_slice(row: &Coref<[f64]>, value: f64) {
    for i in 0..row.len() {
        row[i].put(value);
    }
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_each(row: &Coref<[f64]>, value: f64) {
    for place in row {
        place.put(value);
    }
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_column(grid: &Coref<[[f64; 64]; 1000]>, value: f64) {
    for place in grid.column(3) {
        place.put(value);
    }
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_through_guard(grid: &Open<[[i32; 1000]; 10]>, image: usize, value: i32) {
    for i in 0..1000 {
        grid.at(image)[3][i].put(value);
    }
}

/// The number of the image is tested each time, but neither whether it is mapped nor where its memory begins.
///
/// Expect a loop of stores with 1 test each
#[unsafe(no_mangle)]
pub fn put_to_many_images(table: &Open<[i64; 1000]>, images: &[usize], value: i64) {
    for &image in images {
        table.at(image)[500].put(value);
    }
}

/// Expect a loop of stores
#[unsafe(no_mangle)]
pub fn put_vector_in_column(grid: &Coref<[[f64; 64]; 1000]>, values: &[f64; 1000]) {
    grid.column(3).put_from(values);
}

/// Expect a loop of loads
#[unsafe(no_mangle)]
pub fn get_column_as_vector(grid: &Coref<[[f64; 64]; 1000]>, values: &mut [f64; 1000]) {
    grid.column(3).get_into(values);
}

/// Expect a loop of loads
#[unsafe(no_mangle)]
pub fn sum_array(row: &Coref<[i32; 1000]>) -> i32 {
    let mut sum = 0_i32;
    for i in 0..1000 {
        sum = sum.wrapping_add(row[i].get());
    }
    sum
}

/// Expect a loop of loads
#[unsafe(no_mangle)]
pub fn sum_slice(row: &Coref<[f64]>) -> f64 {
    let mut sum = 0.0;
    for i in 0..row.len() {
        sum += row[i].get();
    }
    sum
}

/// Expect a loop of loads
#[unsafe(no_mangle)]
pub fn sum_each(row: &Coref<[f64]>) -> f64 {
    row.iter().map(Coref::get).sum()
}

/// Expect a loop of loads
#[unsafe(no_mangle)]
pub fn sum_published(row: &Coref<[f64], ReadOnly>) -> f64 {
    let mut sum = 0.0;
    for i in 0..row.len() {
        sum += row[i].get();
    }
    sum
}

/// A byte that arrives is tested before it is taken for a `bool`.
///
/// Expect a loop of loads with 1 test each
#[unsafe(no_mangle)]
pub fn count_alive(row: &Coref<[bool; 1000]>) -> usize {
    let mut alive = 0;
    for i in 0..1000 {
        alive += usize::from(row[i].get());
    }
    alive
}

/// Expect one lock xadd with 1 test
#[unsafe(no_mangle)]
pub fn fetch_add(place: &Coref<Coatomic<u64>>, value: u64) -> u64 {
    place.fetch_add(value)
}

/// Without the old value, the instruction is shorter.
///
/// Expect one lock add with 1 test
#[unsafe(no_mangle)]
pub fn add(place: &Coref<Coatomic<i32>>, value: i32) {
    place.add(value);
}

/// Expect one lock add with 1 test
#[unsafe(no_mangle)]
pub fn add_to_plain_number(place: &Coref<i64>, value: i64) {
    place.as_atomic().add(value);
}

/// Expect one lock xor with 1 test
#[unsafe(no_mangle)]
pub fn xor_in_plain_number(place: &Coref<u64>, value: u64) {
    place.as_atomic().xor(value);
}

/// Expect one load
#[unsafe(no_mangle)]
pub fn load(place: &Coref<Coatomic<f64>>) -> f64 {
    place.load()
}

/// Expect one store with 1 test
#[unsafe(no_mangle)]
pub fn store(place: &Coref<Coatomic<f64>>, value: f64) {
    place.store(value);
}

/// No processor adds floats in memory.
///
/// Refuse as one lock add: there is no lock add
#[unsafe(no_mangle)]
pub fn add_float(place: &Coref<Coatomic<f64>>, value: f64) {
    place.add(value);
}

/// Whether the place is mapped is asked for every item, because the compiler does not know that it is the
/// same row each time.
///
/// Refuse as a loop of stores: it calls
#[unsafe(no_mangle)]
pub fn put_to_hidden_row(row: &Coref<[i32; 1000]>, value: i32) {
    for i in 0..1000 {
        black_box(row)[i].put(value);
    }
}

/// Refuse as a loop of stores: conditional jumps
#[unsafe(no_mangle)]
pub fn put_at_unknown_indices(row: &Coref<[f64]>, indices: &[usize], value: f64) {
    for &i in indices {
        row[i].put(value);
    }
}

/// Refuse as a loop of loads: it locks memory
#[unsafe(no_mangle)]
pub fn count_in_coatomic(counters: &Coarray<Coatomic<i64>>, weights: &[i64; 1000]) {
    let counter = counters.at(0);
    for &weight in weights {
        counter.fetch_add(weight);
    }
}

/// Refuse as one store: there are 2 stores
#[unsafe(no_mangle)]
pub fn put_scalar_and_remember(place: &Coref<i64>, value: i64, last: &mut i64) {
    *last = value;
    place.put(value);
}
