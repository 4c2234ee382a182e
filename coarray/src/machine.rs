//! What the machine has for a job: memory, and the terminal that shows what images print.

pub use coarray_fabric::{Holder, available_memory, terminal_size};
