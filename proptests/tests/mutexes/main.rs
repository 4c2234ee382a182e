//! What comutexes and critical sections promise: one image at a time, all of them in turn, and an answer to
//! every mistake.

mod counters;
mod critical;
mod mistakes;
mod poison;
mod turns;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the panic that `body` ends with.
#[track_caller]
fn panic_of<R>(body: impl FnOnce() -> R) -> String {
    let payload: Box<dyn Any + Send> = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(_) => panic!("it did not panic"),
        Err(payload) => payload,
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload
            .downcast_ref::<&str>()
            .expect("panics carry texts")
            .to_string(),
    }
}
