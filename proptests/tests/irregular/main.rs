//! Conveyors and aggregators against lists of what was sent, and loops.

mod aggregators;
mod misuse;
mod overtaken;
mod questions;
mod streams;
mod waits;
