//! Tried: a test that does not say how many images run it.
//!
//! To be told: how to say it.

#[coarray::test]
fn sums_are_right() {}

fn main() {}
