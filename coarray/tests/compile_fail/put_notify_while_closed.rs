//! A put with notification needs an open coarray, like any put.

use coarray::prelude::*;

fn main() {
    let x = Coarray::<[f64; 10]>::zeroed();
    let events = Coarray::new(Coevent::new());
    x.at(1)[0].put_notify(1.0, events.at(1));
}
