//! Tried: change an item of the own rows while they are open.
//!
//! To be told: that there are no local references to them, and how the own part is reached.

use coarray::RaggedRows;

#[coarray::main]
fn main() {
    let mut x = RaggedRows::from_fn(2, |_| [0; 10]);
    let x = x.open();
    println!("{}", x[1][3]);
}
