//! Tried: keep a view of the own cells and their halo during an exchange.
//!
//! To be told: the view borrows the array, and where it is used after the exchange.

use coarray::grid::{Blocks, HaloArray, ImageGrid};

#[coarray::main]
fn main() {
    let blocks = Blocks::new([100], ImageGrid::balanced()).unwrap();
    let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    let cells = u.local();
    u.exchange();
    println!("{}", cells[0]);
}
