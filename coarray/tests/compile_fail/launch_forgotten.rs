//! Tried: start a job and forget how it ended.
//!
//! To be told: that `main` is to return it.

#![deny(unused_must_use)]

fn main() {
    coarray::launch(|| ());
}
