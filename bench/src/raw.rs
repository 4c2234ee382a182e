//! What the hardware can do without a library: the bounds to compare with.

mod barrier;
mod memory;

pub use barrier::Barrier;
pub use memory::{add, copy};
