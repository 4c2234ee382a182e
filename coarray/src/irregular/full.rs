//! The error of a push that finds no room.

use std::error::Error;
use std::fmt;

/// There is no room for an item until its image has taken packets that were sent before.
///
/// # Examples
/// ```
/// use coarray::irregular::{Conveyor, Full};
///
/// coarray::run(1, || {
///     let mut conveyor = Conveyor::<u64>::new();
///     let mut open = conveyor.open();
///     let mut pushed = 0;
///     while open.push(0, pushed).is_ok() {
///         pushed += 1;
///     }
///     assert_eq!(open.push(0, pushed), Err(Full)); // the item was not taken
///     assert_eq!(open.pull(), Some((0, 0)));
/// });
/// ```
///
/// # Source
/// `convey_push` of *bale*, which returns false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl fmt::Display for Full {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the conveyor has no room for an item: pull what has come, and wait")
    }
}

impl Error for Full {}
