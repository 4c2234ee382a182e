//! What a check does: the setting `COARRAY_CHECK`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::check::sites::Line;

/// What is checked of a job, and what is done about what is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Whether the job ends at the first race.
    pub stops: bool,
    /// Whether each race is told on stderr at once; else all are at the end.
    pub tells: bool,
    /// Whether races are no failure of the job.
    pub permits: bool,
    /// Lines, by file and number, whose synchronisations are taken to order nothing.
    pub without: Vec<(String, u32)>,
    /// Whether it is told for each line with gets who had put what they got.
    pub origins: bool,
    /// The file for a [record](crate::CheckRecord), if somebody wants one.
    pub record: Option<PathBuf>,
}

impl Check {
    /// The variable that names the file for a record.
    pub const RECORD: &str = "COARRAY_CHECK_RECORD";

    /// Whether synchronisations at a line are taken to order nothing.
    pub(crate) fn ignores(&self, line: Line) -> bool {
        self.without
            .iter()
            .any(|(file, number)| *number == line.line() && is_same_file(line.file(), file))
    }
}

/// Whether a name that a user has typed is that of a file: wholly, or from some folder on.
fn is_same_file(file: &str, typed: &str) -> bool {
    let rest = file.strip_suffix(typed);
    rest.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

impl fmt::Display for Check {
    /// As the setting.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.origins { "origins" } else { "races" })?;
        if self.stops {
            formatter.write_str(",stop")?;
        }
        for (file, line) in &self.without {
            write!(formatter, ",without={file}:{line}")?;
        }
        Ok(())
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected `races` or `origins`, and perhaps `stop` and `without=FILE:LINE`, with commas in between, such as `races,stop`";
        let mut words = text.split(',');
        let origins = match words.next() {
            Some("races") => false,
            Some("origins") => true,
            _ => return Err(EXPECTED.into()),
        };
        let mut check = Self {
            origins,
            ..Self::default()
        };
        for word in words {
            let line = word
                .strip_prefix("without=")
                .and_then(|line| line.rsplit_once(':'))
                .and_then(|(file, number)| Some((file.to_owned(), number.parse().ok()?)));
            match line {
                Some(line) => check.without.push(line),
                None if word == "stop" => check.stops = true,
                _ => return Err(format!("`{word}` is nothing that it knows; {EXPECTED}")),
            }
        }
        Ok(check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_what_is_done() {
        assert_eq!("races".parse(), Ok(Check::default()));
        let check: Check = "races,stop,without=src/main.rs:12,without=b.rs:3"
            .parse()
            .unwrap();
        assert!(check.stops);
        assert_eq!(check.to_string().parse(), Ok(check.clone()));
        assert_eq!(
            check.without,
            [("src/main.rs".into(), 12), ("b.rs".into(), 3)]
        );
        let check: Check = "origins,stop".parse().unwrap();
        assert!(check.origins && check.stops);
        assert_eq!(check.to_string(), "origins,stop");
        for wrong in [
            "",
            "race",
            "races,",
            "races,without=12",
            "races,without=a.rs:x",
        ] {
            assert!(wrong.parse::<Check>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_are_named_from_some_folder_on() {
        assert!(is_same_file("apps/heat/src/main.rs", "src/main.rs"));
        assert!(is_same_file("main.rs", "main.rs"));
        assert!(!is_same_file("src/domain.rs", "main.rs"));
    }
}
