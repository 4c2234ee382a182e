//! What the hardware can do without a library: the bounds to compare with.

mod barrier;
mod flags;
mod layers;
mod mapping;
mod memory;

pub use barrier::Barrier;
pub use flags::Flags;
pub use layers::wrap;
pub use memory::{add, copy};
