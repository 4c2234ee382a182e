//! Values that options of several commands have.

use std::ops::RangeInclusive;

use program::command_line::{Arguments, Error};

use super::Fabric;
use crate::operations;

/// Most images of a job that can be asked for here; a machine has long been exhausted by then.
pub const MAX_IMAGES: usize = 1024;

/// Most rounds that can be asked for; they would take a day.
const MAX_ROUNDS: usize = 10_000;

/// A number of images.
pub fn image_count(arguments: &mut Arguments) -> Result<usize, Error> {
    arguments.count(MAX_IMAGES)
}

/// Numbers of images.
pub fn image_counts(arguments: &mut Arguments) -> Result<Vec<usize>, Error> {
    numbers(arguments, 1..=MAX_IMAGES)
}

/// A number of rounds.
pub fn round_count(arguments: &mut Arguments) -> Result<usize, Error> {
    arguments.count(MAX_ROUNDS)
}

/// Numbers between commas.
pub fn numbers(
    arguments: &mut Arguments,
    allowed: RangeInclusive<usize>,
) -> Result<Vec<usize>, Error> {
    let (least, most) = (allowed.start(), allowed.end());
    let expected = format!("numbers from {least} to {most}, with commas between them");
    let number = |word: &str| word.parse().ok().filter(|number| allowed.contains(number));
    arguments.list(expected, number)
}

/// What some of these names stand for.
pub fn some_of<T: Clone>(
    arguments: &mut Arguments,
    named: impl IntoIterator<Item = (&'static str, T)>,
) -> Result<Vec<T>, Error> {
    let (names, values): (Vec<&str>, Vec<T>) = named.into_iter().unzip();
    let expected = format!("some of {}", names.join(", "));
    arguments.list(expected, |word| {
        let index = names.iter().position(|&name| name == word)?;
        Some(values[index].clone())
    })
}

/// Some of these names.
pub fn names(
    arguments: &mut Arguments,
    names: impl IntoIterator<Item = &'static str>,
) -> Result<Vec<String>, Error> {
    some_of(
        arguments,
        names.into_iter().map(|name| (name, name.to_owned())),
    )
}

/// Names of operations.
pub fn operations(arguments: &mut Arguments) -> Result<Vec<String>, Error> {
    names(arguments, operations::names())
}

/// What images are.
pub fn fabric(arguments: &mut Arguments) -> Result<Fabric, Error> {
    let fabrics = [Fabric::Processes, Fabric::Threads];
    arguments.one_of(fabrics.map(|fabric| (fabric.name(), fabric)))
}
