//! Properties of the machine: its memory, and the terminal that shows the output of images.

pub use coarray_fabric::available_memory;
pub use coarray_launch::terminal_size;
pub use coarray_runtime::HeapUser;
