//! Tried: wait for the event of another image.
//!
//! To be told: that there is no `wait` at a place on another image.
//!
//! *Coarray C++* section 6.2, after the listing.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let events = Coarray::new(Coevent::new());
    events.at(1).wait();
}
