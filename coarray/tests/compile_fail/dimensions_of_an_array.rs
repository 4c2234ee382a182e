//! Tried: name more or fewer dimensions than an array has, whose extents are known at run time only.
//!
//! To be told: how many its type has.

use coarray::prelude::*;

fn main() {
    coarray::run(2, || {
        let mut x = NdCoarray::<f64, 2>::zeroed([3, 4]);
        let x = x.open();
        x.at(1)[[1, 2, 3]].put(1.0);
        x.at(1).region((.., 2..3, 0)).fill(2.0);
        x.at(1)[5].put(3.0);
    });
}
