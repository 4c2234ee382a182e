//! Tried: drop a coarray of coatomics, and wait afterwards for a value that an operation in flight returns.
//!
//! To be told: that the coarray is still borrowed by the cofuture, which is used later.

use coarray::prelude::*;

#[coarray::main]
fn main() {
    let tickets = Coarray::new(Coatomic::new(0));
    let mine = tickets.at(0).fetch_add_async(1);
    drop(tickets);
    println!("{}", mine.wait());
}
