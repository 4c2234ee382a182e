//! What a program's innermost loops look like; `.ci/check-assembly` reads what they compile to.
//!
//! The functions have plain names and are not inlined, so that each can be found in the assembly. The
//! number of a value's loads or stores is the number of machine words in it.

use coarray::{CoatomicPlace, Coref, Open, ReadOnly};

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_scalar(place: &Coref<i64>, value: i64) {
    place.put(value);
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn get_scalar(place: &Coref<i64>) -> i64 {
    place.get()
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_row(row: &Coref<[i32; 1000]>, value: i32) {
    for i in 0..1000 {
        row[i].put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_slice(row: &Coref<[f64]>, value: f64) {
    for i in 0..row.len() {
        row[i].put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn sum_row(row: &Coref<[i32; 1000]>) -> i32 {
    let mut sum = 0i32;
    for i in 0..1000 {
        sum = sum.wrapping_add(row[i].get());
    }
    sum
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn sum_slice(row: &Coref<[f64]>) -> f64 {
    let mut sum = 0.0;
    for i in 0..row.len() {
        sum += row[i].get();
    }
    sum
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn sum_published(row: &Coref<[f64], ReadOnly>) -> f64 {
    let mut sum = 0.0;
    for i in 0..row.len() {
        sum += row[i].get();
    }
    sum
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_iter(row: &Coref<[f64]>, value: f64) {
    for place in row {
        place.put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn sum_iter(row: &Coref<[f64]>) -> f64 {
    row.iter().map(Coref::get).sum()
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_column(grid: &Coref<[[f64; 64]; 1000]>, value: f64) {
    for place in grid.column(3) {
        place.put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_matrix(grid: &Coref<[[i32; 20]; 10]>, value: i32) {
    for i in 0..10 {
        for j in 0..20 {
            grid[i][j].put(value);
        }
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_values(row: &Coref<[f64]>, values: &[f64]) {
    for (i, value) in values.iter().enumerate() {
        row[i].put(*value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn count_alive(row: &Coref<[bool; 1000]>) -> usize {
    let mut alive = 0;
    for i in 0..1000 {
        alive += usize::from(row[i].get());
    }
    alive
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_at(x: &Open<[[i32; 1000]; 10]>, image: usize, value: i32) {
    for i in 0..1000 {
        x.at(image)[3][i].put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_at_slice(x: &Open<[f64]>, image: usize, n: usize, value: f64) {
    for i in 0..n {
        x.at(image)[i].put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn put_images(x: &Open<[i32; 1000]>, value: i32) {
    for image in 0..coarray::num_images() {
        x.at(image)[5].put(value);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn local_sum(x: &coarray::Coarray<[f64]>) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}
#[unsafe(no_mangle)]
#[inline(never)]
pub fn local_put(x: &mut coarray::Coarray<[[i32; 1000]; 10]>, value: i32) {
    for i in 0..1000 {
        x[3][i] = value;
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
pub fn add_coatomic(x: &coarray::Coarray<coarray::Coatomic<i64>>, image: usize) {
    x.at(image).fetch_add(1);
}
