//! What the operating system and the launcher offer: limits, cores, memory, streams; and small things without a home above.

pub(crate) mod available_memory;
pub(crate) mod bytes;
pub(crate) mod farewell;
pub(crate) mod limits;
pub(crate) mod mapping;
pub(crate) mod parked;
pub(crate) mod platform;
pub(crate) mod primitives;
pub(crate) mod process_manager;
pub(crate) mod scheduler;
pub(crate) mod text;
pub(crate) mod type_name;
