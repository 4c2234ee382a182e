#![doc = include_str!("../README.md")]
#![allow(
    non_camel_case_types,
    reason = "types have the names that the specification gives them"
)]

#[macro_use]
mod macros;
#[macro_use]
mod transfers;
#[macro_use]
mod atomics;
#[macro_use]
mod waiting;
#[macro_use]
mod reductions;

mod collectives;
mod constants;
mod contexts;
mod known_crashes;
mod locks;
mod memory;
mod ordering;
mod progress;
mod setup;
mod signals;
mod typed;
mod untyped;

pub use collectives::*;
pub use constants::*;
pub use contexts::*;
pub use known_crashes::{FINALIZE_MAY_HANG_WITH_CONTEXTS, work_around_known_crashes};
pub use locks::*;
pub use memory::*;
pub use ordering::*;
pub use progress::make_progress;
pub use setup::*;
pub use signals::*;
pub use typed::*;
pub use untyped::*;
