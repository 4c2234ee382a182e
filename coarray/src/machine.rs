//! What the machine has for a job: memory, and the terminal that shows what images print.

pub use coarray_fabric::available_memory;
pub use coarray_launch::terminal_size;
pub use coarray_runtime::Holder;
