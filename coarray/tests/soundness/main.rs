//! Safe programs that try to see a value change under a reference, or bytes that are no value. Each test is named after
//! the rule that prevents it.

#![forbid(unsafe_code)]

mod arrays;
mod conveyors;
mod identity;
mod in_flight;
mod lists;
mod phases;
mod regions;
mod wakers;

use std::any::Any;

use coarray::Launch;

/// The report of a job that must not go on.
#[track_caller]
fn report(launch: Launch, body: impl Fn() + Sync) -> String {
    launch.run(body).unwrap_err().to_string()
}

/// The text of a panic.
fn text(panic: &(dyn Any + Send)) -> &str {
    match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref::<&str>().copied().unwrap_or_default(),
    }
}
