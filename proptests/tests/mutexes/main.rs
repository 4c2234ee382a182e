//! What comutexes and critical sections promise: one image at a time, all of them in turn, and an answer to
//! every mistake.

mod counters;
mod critical;
mod mistakes;
mod poison;
mod turns;
