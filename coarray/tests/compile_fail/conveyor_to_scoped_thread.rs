//! Tried: let a scoped thread push items.
//!
//! To be told: that conveyors stay on the image's thread.

use coarray::irregular::Conveyor;

#[coarray::main]
fn main() {
    let mut conveyor = Conveyor::<u64>::new();
    let mut open = conveyor.open();
    std::thread::scope(|scope| {
        scope.spawn(|| open.push(0, 1));
    });
}
