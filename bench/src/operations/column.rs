//! Columns of a matrix of 512 x 512 `f64` in the memory of image 1, its own if there is no other: image 0 writes them
//! from, or reads them to, a private vector, one after the other. The other images wait.
//!
//! # The bounds
//! The same loops over a private matrix. They go by atomic words, relaxed, which are plain instructions to the
//! processor; vectors are of no use here, as no two items lie side by side.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst, fence};

use coarray::places::Openable;
use coarray::{Bounded, Coarray, OwnedOpen, quiet};

use super::scalar::{is_active, target};
use super::{Operation, Part, Trial};

/// Rows, and columns.
const SIDE: usize = 512;

const SIZES: &[usize] = &[SIDE * size_of::<f64>()];

/// `matrix.column(i).put_from(&vector)`.
pub const COLUMN_PUT: Operation = Operation {
    name: "column_put",
    sizes: SIZES,
    prepare: |_, _| trial(Matrices::put, Matrices::raw_put),
};

/// `matrix.column(i).get_into(&mut vector)`.
pub const COLUMN_GET: Operation = Operation {
    name: "column_get",
    sizes: SIZES,
    prepare: |_, _| trial(Matrices::get, Matrices::raw_get),
};

type Copy = fn(&mut Matrices, usize);

/// Collective. `own` and its bound `raw`, which were checked once.
fn trial(own: Copy, raw: Copy) -> Trial {
    let matrices = Rc::new(RefCell::new(Matrices::new()));
    if is_active() {
        matrices.borrow_mut().check();
    }
    let action = |copy: Copy| {
        let matrices = Rc::clone(&matrices);
        move |times| {
            if is_active() {
                copy(&mut matrices.borrow_mut(), times);
            }
        }
    };
    Trial {
        own: Box::new(action(own)),
        bound: vec![Part::new(1.0, action(raw))],
    }
}

struct Matrices {
    vector: Vec<f64>,
    private: Vec<AtomicU64>,
    coarray: OwnedOpen<Coarray<[[f64; SIDE]; SIDE]>>,
    /// The next column.
    next: usize,
}

impl Matrices {
    /// Collective.
    fn new() -> Self {
        let words = (0..SIDE * SIDE).map(|_| AtomicU64::new(0));
        Self {
            vector: vec![0.0; SIDE],
            private: words.collect(),
            coarray: Coarray::<[[f64; SIDE]; SIDE]>::zeroed().into_open(),
            next: 0,
        }
    }

    fn step(&mut self) -> usize {
        let column = self.next;
        self.next = (column + 1) % SIDE;
        column
    }

    #[inline(never)]
    fn put(&mut self, times: usize) {
        let to = black_box(target());
        for _ in 0..times {
            let column = self.step();
            let vector = black_box(&self.vector);
            self.coarray.at(to).column(column).put_from(vector);
        }
        quiet();
    }

    #[inline(never)]
    fn raw_put(&mut self, times: usize) {
        for _ in 0..times {
            let column = self.step();
            let rows = self.private.chunks_exact(SIDE);
            for (row, value) in rows.zip(black_box(&self.vector)) {
                row[column].store(value.to_bits(), Relaxed);
            }
        }
        fence(SeqCst);
    }

    #[inline(never)]
    fn get(&mut self, times: usize) {
        let from = black_box(target());
        for _ in 0..times {
            let column = self.step();
            let vector = black_box(&mut self.vector);
            self.coarray.at(from).column(column).get_into(vector);
        }
        black_box(&mut self.vector);
    }

    #[inline(never)]
    fn raw_get(&mut self, times: usize) {
        for _ in 0..times {
            let column = self.step();
            let rows = self.private.chunks_exact(SIDE);
            for (row, value) in rows.zip(black_box(&mut self.vector)) {
                *value = f64::from_bits(row[column].load(Relaxed));
            }
        }
        black_box(&mut self.vector);
    }

    /// Writes the matrices column by column, and reads them back.
    fn check(&mut self) {
        let number = |row: usize, column: usize| (row * SIDE + column) as f64;
        for put in [Self::put, Self::raw_put] {
            for column in 0..SIDE {
                self.vector = (0..SIDE).map(|row| number(row, column)).collect();
                put(self, 1);
            }
        }
        let there = self.coarray.at(target());
        let is_there = |row: usize| there[row][..].to_vec() == numbers_of(row, number);
        assert!((0..SIDE).all(is_there), "columns did not arrive");
        for get in [Self::get, Self::raw_get] {
            for column in 0..SIDE {
                get(self, 1);
                let mut rows = self.vector.iter().enumerate();
                assert!(rows.all(|(row, &value)| value == number(row, column)));
            }
        }
    }
}

/// One row.
fn numbers_of(row: usize, number: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..SIDE).map(|column| number(row, column)).collect()
}
