//! What coarray programs mean, said once more without any parallelism, for tests to compare with.
//!
//! * [`Model`] is the specification of puts and gets: a coarray is a vector of elements for each image,
//!   and operations happen one after the other.
//! * [`Part`] says which elements an index, range, section, row or column means.
//! * [`plan`] turns random steps into rounds in which images do not race, together with what the model
//!   says of them.
//! * [`Sample`] has values of every type that travels.
//! * [`panic_of`] is the message of a panic.
//! * [`Setting`] is how a job runs: how many images, and whether memory is reached directly.

mod model;
mod panics;
mod part;
mod plan;
mod sample;
mod setting;

pub use model::{Model, Place};
pub use panics::panic_of;
pub use part::{Bounds, COLUMNS, Part, RawPart};
pub use plan::{Action, RawStep, Round, Step, plan};
pub use sample::{Celsius, Even, Kind, Level, Particle, Sample, Wide, bits, mix};
pub use setting::{DIVISIONS, IMAGE_COUNTS, Setting, config};
