//! Tried: a reference to a plain value as a coatomic, which a thread could keep beyond the phase.
//! The message should tell: there is no such reference.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut hits = Coarray::new([0u64; 4]);
    let open = hits.open();
    let first: &Coatomic<u64> = open.at(0)[0].as_atomic().as_local().unwrap();
    first.add(1);
}
