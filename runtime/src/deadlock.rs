//! Finding out that no image can ever go on, from what each says of its sleep; `lockfree/sleep.rs` has the proof.
//!
//! It knows jobs, and no images: the reactor, which is no image, looks as well. How images look around is in
//! `waiting/suspicion.rs`.

pub(crate) mod probe;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod standstill;
