//! Tried: convey while the conveyor is open.
//!
//! To be told: that the guard has it mutably borrowed.

use coarray::irregular::Conveyor;

#[coarray::main]
fn main() {
    let mut conveyor = Conveyor::<u64>::new();
    let mut open = conveyor.open();
    conveyor.convey([(0, 1)], |_, _| ());
    open.finish();
}
