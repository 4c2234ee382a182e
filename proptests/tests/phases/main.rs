//! What phases promise: who sees what when, what happens to guards that are lost, and which mistakes are
//! found where.

mod bounds;
mod coatomics;
mod coptrs;
mod invalid;
mod lost;
mod places;
mod remote_clone;
mod visible;

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
