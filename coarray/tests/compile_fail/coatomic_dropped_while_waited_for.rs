//! Tried: let the condition of a wait end the phase, and with it what is waited for.
//!
//! To be told: that it is borrowed.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut steps = Coarray::new([0; 4]);
    let open = steps.open();
    open.here()[1].as_atomic().wait_until(|step| {
        open.close();
        step > 0
    });
}
