//! Waiting is up to the image that an event is on.

use coarray::prelude::*;

fn main() {
    let events = Coarray::new(Coevent::new());
    events.at(1).wait();
}
