//! Tried: give both extents of a matrix at run time.
//!
//! To be told: that only the leading extent can be known at run time.
//!
//! *Coarray C++* section 3.1, second listing.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let n = num_images();
    let x = Coarray::<[[i32]]>::zeroed(n);
    println!("{}", x.len());
}
