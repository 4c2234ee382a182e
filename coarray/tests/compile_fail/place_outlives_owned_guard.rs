//! Tried: close a guard that has its coarray, and use a place that it lent.
//!
//! To be told: that the guard is borrowed by the place.

use coarray::OwnedOpen;
use coarray::prelude::*;

struct Table {
    slots: OwnedOpen<Coarray<[i32; 10]>>,
}

#[coarray::main]
fn main() {
    let table = Table {
        slots: Coarray::<[i32; 10]>::zeroed().into_open(),
    };
    let place = &table.slots.at(1)[3];
    let slots = table.slots.close();
    place.put(1);
    println!("{slots:?}");
}
