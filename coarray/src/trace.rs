//! Regions of the program in the timeline of a job, which `COARRAY_TRACE=FILE`, `coarun --trace FILE` or
//! [`Launch::trace`](crate::Launch::trace) asks for.
//!
//! The file is for the viewer at <https://ui.perfetto.dev>. Each image is a track, on which its collective operations, its waits for others, and these
//! regions are slices; arrows lead from whoever ended a wait to the wait. The book's chapter *Where the time goes* shows one.

pub use coarray_runtime::{RegionGuard, region};
