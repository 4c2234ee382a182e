//! The part of the program `lbm` that the serial program of its tests shares.

pub mod lattice;
