//! What to change in a program, by what was measured: each rule is a function, which is silent where the data do not say enough.

mod data;
#[cfg(test)]
mod tests;
mod waits;

use crate::profile::measured::Measured;
use coarray_runtime::Place;

/// The most lines of advice.
const LINES: usize = 5;

/// Nothing is said of less than this part of the run: what one gains is less than runs differ.
const SMALL: f64 = 0.02;

/// Nothing is said of waits shorter than this for each image, in nanoseconds: nobody rewrites a program for less, and the images of a short one wait
/// mostly for each other's start.
const SHORT: u64 = 5_000_000;

/// One thing to change.
#[derive(Clone, Debug)]
pub(super) struct Advice {
    /// The rule, as a word for scripts.
    pub(super) rule: &'static str,
    /// The line of the program, if it is about one.
    pub(super) place: Option<Place>,
    /// The part of the time of all images that it is about: measured, or what it would be on a cluster; not known where only data were counted.
    pub(super) share: Option<f64>,
    /// What was measured, and what to do.
    measured: String,
    remedy: String,
}

impl Advice {
    /// All of it in one line.
    pub(super) fn text(&self) -> String {
        let Self {
            measured, remedy, ..
        } = self;
        match self.place.as_ref().filter(|place| !place.file.is_empty()) {
            Some(Place { file, line, .. }) => format!("{file}:{line}: {measured}: {remedy}"),
            None => format!("{measured}: {remedy}"),
        }
    }
}

/// The advice of all rules, that about the largest part of the time first.
pub(super) fn advice_on(job: &Measured) -> Vec<Advice> {
    let rules = waits::RULES.iter().chain(&data::RULES);
    let mut advice: Vec<_> = rules.filter_map(|rule| rule(job)).collect();
    let share = |advice: &Advice| advice.share.unwrap_or(0.0);
    advice.sort_by(|one, other| share(other).total_cmp(&share(one)));
    advice.truncate(LINES);
    advice
}

/// A rule: at most one piece of advice, about the worst line, since what is left shows when that is repaired.
type Rule = fn(&Measured) -> Option<Advice>;
