//! The deadlock search on one node, from the sleep that each image has recorded; `lockfree/sleep.rs` has the proof.
//!
//! It knows jobs, but not `Image`: the reactor, which is no image, searches too. The search of an image is in
//! `waiting/suspicion.rs`.

pub(crate) mod probe;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod standstill;
