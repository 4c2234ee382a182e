//! What the hardware can do without a library: the bounds to compare with.

mod barrier;
mod exchange;
mod flags;
mod layers;
mod mapping;
mod passing;
pub mod values;

pub use barrier::Barrier;
pub use exchange::Exchange;
pub use flags::Flags;
pub use layers::wrap;
pub use passing::{Taken, pass, read_in_place};
