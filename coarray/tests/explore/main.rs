//! Schedules that fail are found, shrunk, told and repeated; programs without a mistake have none.
#![forbid(unsafe_code)]

mod attacks;
mod clean;
mod failures;
mod mistakes;
mod speed;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is said when an exploration fails.
fn failure(explore: impl FnOnce()) -> String {
    let outcome = catch_unwind(AssertUnwindSafe(explore));
    let payload = outcome.expect_err("no schedule has failed");
    payload.downcast_ref::<String>().expect("a report").clone()
}
