//! The races that were found: one report for each pair of lines.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code of a job in which images raced.
pub const RACED: u8 = 66;

/// How many pairs of lines are reported.
const MOST: usize = 20;

#[derive(Debug)]
pub(crate) struct Races {
    tells: bool,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// The report of each pair of accesses, by number, and how often they raced.
    pairs: HashMap<(u16, u16), (usize, u64)>,
    reports: Vec<String>,
    others: usize,
}

impl Races {
    /// Each is told on stderr at once if it `tells`.
    pub(crate) fn new(tells: bool) -> Self {
        Self {
            tells,
            found: Mutex::default(),
        }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a race of two accesses. Calls `describe` for the report of the first such one; returns whether it is that.
    pub(crate) fn note(&self, pair: (u16, u16), describe: impl FnOnce() -> String) -> bool {
        let key = (pair.0.min(pair.1), pair.0.max(pair.1));
        let mut found = self.found();
        if let Some((_, count)) = found.pairs.get_mut(&key) {
            *count += 1;
            return false;
        }
        let index = found.reports.len();
        found.pairs.insert(key, (index, 1));
        if index >= MOST {
            found.others += 1;
            return false;
        }
        let report = describe();
        if self.tells {
            eprintln!("coarray: {report}");
        }
        found.reports.push(report);
        true
    }

    /// The two accesses of the first race, by number.
    pub(crate) fn first(&self) -> Option<(u16, u16)> {
        let found = self.found();
        let first = found.pairs.iter().find(|(_, (index, _))| *index == 0);
        first.map(|(&pair, _)| pair)
    }

    /// All that was found, if anything was, as text for the end of the job. What was told already is only counted.
    pub(crate) fn summary(&self) -> Option<String> {
        let found = self.found();
        let pairs = found.reports.len() + found.others;
        if pairs == 0 {
            return None;
        }
        let lines = if pairs == 1 {
            "one pair of lines"
        } else {
            &format!("{pairs} pairs of lines")
        };
        let times: u64 = found.pairs.values().map(|(_, count)| count).sum();
        let mut text = format!("images raced at {lines}, {times} times");
        if times == 1 {
            text.truncate(text.len() - ", 1 times".len());
        }
        if !self.tells {
            for report in &found.reports {
                let _ = write!(text, "\n{report}");
            }
        }
        if found.others > 0 {
            let _ = write!(text, "\n{} pairs of lines are not told", found.others);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_reported_once_and_counted() {
        let races = Races::new(false);
        assert_eq!(races.summary(), None);
        assert!(races.note((3, 1), || "a".into()));
        assert!(!races.note((1, 3), || unreachable!()));
        assert_eq!(races.first(), Some((1, 3)));
        assert_eq!(
            races.summary().unwrap(),
            "images raced at one pair of lines, 2 times\na"
        );
        for site in 10..40 {
            races.note((site, site), || site.to_string());
        }
        let summary = races.summary().unwrap();
        assert!(
            summary.ends_with("28\n11 pairs of lines are not told"),
            "{summary}"
        );
    }
}
