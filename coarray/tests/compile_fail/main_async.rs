//! Tried: an asynchronous entry point.
//!
//! To be told: to remove `async`, or start a runtime in the body.

#[coarray::main]
async fn main() {}
