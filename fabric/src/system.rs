//! What the operating system and the launcher offer: limits, cores, memory, streams; and small things without a home above.

pub mod asymmetric_fence;
pub mod available_memory;
pub mod broken_pipe;
pub mod controlled;
pub mod cross_memory;
pub mod display_size;
pub mod drain_stdio;
pub mod fixed_str;
pub mod limits;
pub(crate) mod mapping;
pub mod parked;
pub(crate) mod platform;
pub mod primitives;
pub mod process_manager;
pub mod processor;
pub mod scheduler;
pub mod type_name;
