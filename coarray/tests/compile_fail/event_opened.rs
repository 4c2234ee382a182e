//! Events need no opening, and would lose posts if they could be overwritten.

use coarray::prelude::*;

fn main() {
    let mut events = Coarray::new(Coevent::new());
    let events = events.open();
    events.at(1).post();
}
