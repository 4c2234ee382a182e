//! Tried: derive `Shared` on a struct with plain data beside an event.
//!
//! To be told: which field it is, and what it could be instead.

use coarray::Shared;
use coarray::prelude::*;

#[derive(Shared)]
struct Inbox {
    letters: [f64; 10],
    arrived: Coevent,
}

fn main() {}
