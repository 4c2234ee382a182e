//! Tried: look at an event until it has a post, and then use the data.
//!
//! To be told: that an event is no value that one gets.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let came = Coarray::new(Coevent::new());
    while came.at(this_image()).get() == 0 {}
}
