//! What a checked run leaves for the process that has asked for it: which lines of the program synchronise, and on what images raced first.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use crate::check::sites::Line;

/// What one run has left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckRecord {
    /// The lines of the program whose synchronisations order what images access, in the order of their files.
    pub lines: Vec<OrderingLine>,
    /// The two accesses of the first race.
    pub race: Option<String>,
}

/// A line that synchronises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderingLine {
    /// Its file.
    pub file: String,
    /// Its number.
    pub number: u32,
    /// What is called there.
    pub calls: String,
    /// How often, by all images.
    pub count: u64,
}

/// How a line with a race begins. No file of a program is named so.
const RACE: &str = "\t";

impl CheckRecord {
    /// As text, a line for each part, and one for the end.
    #[must_use]
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let OrderingLine {
                file,
                number,
                calls,
                count,
            } = line;
            let _ = writeln!(text, "{file}\t{number}\t{calls}\t{count}");
        }
        if let Some(race) = &self.race {
            let _ = writeln!(text, "{RACE}{race}");
        }
        text + "end\n"
    }

    /// The record with this text; none if it is incomplete.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let mut record = Self::default();
        for line in text.strip_suffix("end\n")?.lines() {
            if let Some(race) = line.strip_prefix(RACE) {
                record.race = Some(race.into());
                continue;
            }
            let mut parts = line.split('\t');
            let mut next = || parts.next();
            record.lines.push(OrderingLine {
                file: next()?.into(),
                number: next()?.parse().ok()?,
                calls: next()?.into(),
                count: next()?.parse().ok()?,
            });
        }
        Some(record)
    }
}

/// What is called at each line that synchronises, and how often.
#[derive(Debug, Default)]
pub(crate) struct OrderingLines(Mutex<BTreeMap<(&'static str, u32), Called>>);

#[derive(Debug, Default)]
struct Called {
    names: Vec<&'static str>,
    count: u64,
}

impl OrderingLines {
    /// Counts a call of the program.
    pub(crate) fn count(&self, line: Line, name: &'static str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let called = lines.entry((line.file(), line.line())).or_default();
        called.count += 1;
        if !called.names.contains(&name) {
            called.names.push(name);
            called.names.sort_unstable();
        }
    }

    pub(crate) fn all(&self) -> Vec<OrderingLine> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(&(file, number), called): (&(&str, u32), &Called)| OrderingLine {
            file: file.into(),
            number,
            calls: called.names.join(", "),
            count: called.count,
        };
        lines.iter().map(line).collect()
    }
}

/// The folders of the crates of this library, wherever they are together.
const CRATES: [&str; 8] = [
    "coarray",
    "collectives",
    "coref",
    "fabric",
    "io",
    "launch",
    "runtime",
    "sync",
];

/// Whether a file is one of this library, which a program cannot do without.
pub(crate) fn is_of_library(file: &str) -> bool {
    is_beside(file, file!(), env!("CARGO_PKG_VERSION"))
}

/// Whether a file is one of the library, of which this file is another one. In a registry the name of a folder has the version.
fn is_beside(file: &str, this: &str, version: &str) -> bool {
    let together = this
        .strip_suffix("/src/check/record.rs")
        .map(|folder| folder.rsplit_once('/').map_or("", |(together, _)| together));
    let Some(together) = together else {
        return false;
    };
    let inside = file.strip_prefix(together);
    let inside = inside.and_then(|rest| match together {
        "" => Some(rest),
        _ => rest.strip_prefix('/'),
    });
    let Some((folder, rest)) = inside.and_then(|inside| inside.split_once('/')) else {
        return false;
    };
    let folder = match folder
        .strip_suffix(version)
        .and_then(|name| name.strip_suffix('-'))
    {
        Some(name) => name.strip_prefix("coarray-").unwrap_or(name),
        None => folder,
    };
    rest.starts_with("src/") && CRATES.contains(&folder)
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let lines = OrderingLines::default();
        let line = Location::caller();
        for name in ["wait", "post", "wait"] {
            lines.count(line, name);
        }
        let record = CheckRecord {
            lines: lines.all(),
            race: Some("put at a.rs:1 and get at a.rs:2".into()),
        };
        let only = OrderingLine {
            file: file!().into(),
            number: line.line(),
            calls: "post, wait".into(),
            count: 3,
        };
        assert_eq!(record.lines, [only]);
        let text = record.encode();
        assert_eq!(CheckRecord::decode(&text), Some(record));
        for end in 0..text.len() {
            assert_eq!(CheckRecord::decode(&text[..end]), None, "{end}");
        }
        let none = CheckRecord::default();
        assert_eq!(CheckRecord::decode(&none.encode()), Some(none));
    }

    #[test]
    fn files_of_the_library_are_told_from_those_of_programs() {
        assert!(is_of_library(file!()));
        let workspace = "runtime/src/check/record.rs";
        let registry = "/home/me/registry/coarray-runtime-0.1.0/src/check/record.rs";
        for (file, this, expected) in [
            ("coarray/src/grid/sending.rs", workspace, true),
            ("coarray/tests/whole_programs/counts.rs", workspace, false),
            ("apps/heat/src/main.rs", workspace, false),
            ("src/main.rs", workspace, false),
            ("src/main.rs", registry, false),
            ("sync/src/main.rs", registry, false),
            (
                "/home/me/registry/coarray-0.1.0/src/open.rs",
                registry,
                true,
            ),
            (
                "/home/me/registry/coarray-sync-0.1.0/src/coevent.rs",
                registry,
                true,
            ),
            (
                "/home/me/registry/coarray-sync-0.2.0/src/coevent.rs",
                registry,
                false,
            ),
            ("/home/me/registry/serde-0.1.0/src/lib.rs", registry, false),
            (
                "/git/abc/sync/src/lib.rs",
                "/git/abc/runtime/src/check/record.rs",
                true,
            ),
            (
                "/git/abcd/sync/src/lib.rs",
                "/git/abc/runtime/src/check/record.rs",
                false,
            ),
        ] {
            assert_eq!(
                is_beside(file, this, "0.1.0"),
                expected,
                "{file} beside {this}"
            );
        }
    }
}
