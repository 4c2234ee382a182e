//! What the program `lbm` has in common with the serial program that it is compared with.

pub mod lattice;
