//! Tried: count in a coatomic of truth values.
//!
//! To be told: what can be added, and what truth values have instead.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let seen = Coarray::new(Coatomic::new(false));
    seen.fetch_add(true);
    seen.at(1).add(true);
}
