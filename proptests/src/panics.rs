//! Panics that tests expect.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of the panic that `body` ends with.
///
/// # Panics
/// If it does not panic, or without a message.
#[track_caller]
pub fn panic_of<R>(body: impl FnOnce() -> R) -> String {
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
