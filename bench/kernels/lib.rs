//! What the kernels of this folder share: their command lines, clock, verdict and report.
//!
//! The kernels are those of the Parallel Research Kernels, RandomAccess of the HPC Challenge, the Game of Life, and two of *bale*, written for coarrays. Each
//! is a program of its own, and its first lines say what it computes and how its images communicate. They are
//! also meant to be read: to see how such a program is written with `coarray`.
//!
//! | program | communication |
//! |---|---|
//! | `stencil` | reads the neighbours' rows in place |
//! | `p2p` | puts single values, each together with an event |
//! | `transpose` | reads everyone's blocks in place |
//! | `nstream` | none |
//! | `random` | gets and puts, or atomic operations, on words all over the images |
//! | `life` | puts the borders of blocks, each together with an event |
//! | `randomaccess` | a conveyor |
//! | `histogram` | a conveyor |
//! | `gather` | two conveyors, for questions and answers |

mod arguments;
mod clock;
mod report;
pub mod sequence;
mod share;
pub mod table;

pub use arguments::{Parameter, Program};
pub use clock::Clock;
pub use report::{Wrong, check, conclude, describe};
pub use share::share;
