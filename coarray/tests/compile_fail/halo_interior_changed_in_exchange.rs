//! Tried: change the own cells while an exchange sends them to the neighbours.
//!
//! To be told: `exchange_start` borrows the array until the exchange is finished, and where that is.

use coarray::grid::{Blocks, HaloArray, ImageGrid};

#[coarray::main]
fn main() {
    let blocks = Blocks::new([100, 100], ImageGrid::balanced()).unwrap();
    let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    let exchanging = u.exchange_start();
    u.interior_mut().fill(1.0);
    exchanging.finish();
}
