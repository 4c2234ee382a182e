//! Shapes of notified puts are checked like those of all puts.

use coarray::prelude::*;

fn main() {
    let mut x = Coarray::<[f64; 10]>::zeroed();
    let events = Coarray::new(Coevent::new());
    let x = x.open();
    x.at(1).put_from_notify(&[1.0; 9], events.at(1));
}
