//! The operations that `slots.rs` is built from. The model-checking test compiles that file against a `primitives` module of
//! loom's types.

pub(crate) use std::hint::spin_loop as pause;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
