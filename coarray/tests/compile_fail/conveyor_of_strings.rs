//! Tried: convey texts.
//!
//! To be told: that a `String` cannot travel, and what can.

use coarray::irregular::Conveyor;

#[coarray::main]
fn main() {
    let mut conveyor = Conveyor::<String>::new();
    conveyor.convey([(0, "to image 0".to_owned())], |_, _| ());
}
