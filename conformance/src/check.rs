//! The findings of an image that tries a clause.

use std::fmt::{Debug, Display};
use std::panic::Location;

/// How many findings an image reports.
const TOLD: usize = 2;

/// How many characters of a value are reported.
const VALUE: usize = 120;

/// The findings of one image. After a finding the test goes on, because other images take part in it.
///
/// # Examples
/// ```
/// use coarray_conformance::Check;
///
/// let mut check = Check::default();
/// check.same("the answer", 6 * 7, 42);
/// assert_eq!(check.findings(), None);
/// check.same("the answer", 6 * 9, 42);
/// assert!(check.findings().unwrap().contains("the answer: expected 42, but saw 54"));
/// ```
#[derive(Debug, Default)]
pub struct Check {
    findings: Vec<String>,
    untold: usize,
}

impl Check {
    /// Notes `finding` unless `holds`.
    #[track_caller]
    pub fn that(&mut self, holds: bool, finding: impl Fn() -> String) {
        if !holds {
            self.note(&finding, Location::caller());
        }
    }

    #[cold]
    fn note(&mut self, finding: &dyn Fn() -> String, caller: &Location<'_>) {
        if self.findings.len() == TOLD {
            self.untold += 1;
            return;
        }
        let file = caller.file().rsplit('/').next().unwrap_or_default();
        self.findings
            .push(format!("{} ({file}:{})", finding(), caller.line()));
    }

    /// Notes that `seen` is not `expected`.
    #[track_caller]
    pub fn same<T: PartialEq + Debug>(&mut self, what: impl Display, seen: T, expected: T) {
        self.that(seen == expected, || {
            let (seen, expected) = (value(&seen), value(&expected));
            format!("{what}: expected {expected}, but saw {seen}")
        });
    }

    /// Notes the first item of `seen` that differs from `expected`.
    #[track_caller]
    pub fn same_items<T: PartialEq + Debug>(
        &mut self,
        what: impl Display,
        seen: &[T],
        expected: &[T],
    ) {
        let difference = seen.iter().zip(expected).position(|(a, b)| a != b);
        self.that(seen.len() == expected.len(), || {
            let (seen, expected) = (seen.len(), expected.len());
            format!("{what}: expected {expected} items, but saw {seen}")
        });
        self.that(difference.is_none(), || {
            let index = difference.unwrap_or_default();
            let (seen, expected) = (value(&seen[index]), value(&expected[index]));
            format!("{what}: expected item {index} to be {expected}, but saw {seen}")
        });
    }

    /// The findings on one line; none if all was as promised.
    #[must_use]
    pub fn findings(&self) -> Option<String> {
        if self.findings.is_empty() {
            return None;
        }
        let mut text = self.findings.join("; ");
        if self.untold > 0 {
            text += &format!("; and {} more", self.untold);
        }
        Some(text.replace('\n', " / "))
    }
}

fn value(value: &impl Debug) -> String {
    let mut text = format!("{value:?}");
    if let Some((end, _)) = text.char_indices().nth(VALUE) {
        text.truncate(end);
        text.push('…');
    }
    text
}
