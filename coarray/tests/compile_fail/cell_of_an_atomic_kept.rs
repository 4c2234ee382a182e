//! Tried: the cell of a plain value that is used as a coatomic, kept beyond the operation.
//! The message should tell: the reference is for the closure only.

use std::sync::atomic::AtomicU64;

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let mut hits = Coarray::new(0u64);
    let open = hits.open();
    let mut kept: Option<&AtomicU64> = None;
    open.at(0).as_atomic().operate(true, |cell| kept = Some(cell), |_| ());
    open.close();
    kept.unwrap();
}
