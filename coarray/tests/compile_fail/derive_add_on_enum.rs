//! Tried: derive `Add` on an enum.
//!
//! To be told: that only structs are added field by field.

#[derive(Clone, Copy, coarray::Add)]
enum State {
    Solid,
    Liquid,
}

fn main() {}
