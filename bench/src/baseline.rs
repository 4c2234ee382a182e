//! What the hardware can do without a library: the bounds to compare with.

mod barrier;
mod flags;
mod layers;
mod mapping;
mod memory;
mod passing;

pub use barrier::Barrier;
pub use flags::Flags;
pub use layers::wrap;
pub use memory::copy;
pub use passing::{Taken, pass, read};
