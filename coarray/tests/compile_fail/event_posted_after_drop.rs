//! An event lives as long as its coarray.

use coarray::prelude::*;

fn main() {
    let events = Coarray::new(Coevent::new());
    let event = events.at(1);
    drop(events);
    event.post();
}
