//! Runs a case, and compares what the check reports with the marks in its source.

use coarray::Launch;

use crate::case::Case;
use crate::marks::Mark;
use crate::report::{self, Pair};

/// The exit code of a job in which the check has found races.
const RACES: u8 = 66;

/// Enough for every case.
const HEAP: usize = 1 << 20;

/// How one run of a case came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// As its marks say: nothing was reported, or the pairs that race and no others.
    AsMarked,
    /// Nothing but what is marked was reported, and not all of that.
    Missed(String),
    /// Something was reported that does not race.
    False(String),
    /// The job ended otherwise.
    Broken(String),
}

/// Runs the case once, with or without the check, on so many images.
#[must_use]
pub fn run(case: &Case, images: usize, check: bool) -> Outcome {
    let launch = Launch::new(images)
        .heap(HEAP)
        .keep_going(case.keeps_going)
        .check(check);
    match launch.run(case.body) {
        Err(failure) if failure.code == RACES && check => judge(case, &failure.text),
        Err(failure) => Outcome::Broken(failure.to_string()),
        Ok(_) if case.is_racy && check => Outcome::Missed("nothing was reported".to_string()),
        Ok(_) => Outcome::AsMarked,
    }
}

/// What is to be said of a case of which `text` was reported.
fn judge(case: &Case, text: &str) -> Outcome {
    let marks = case.marks();
    let mut found = vec![false; marks.len()];
    for pair in report::pairs(text) {
        let Some(pair) = pair else {
            return Outcome::Broken(format!("the report cannot be read: {text}"));
        };
        let lines = lines_of(&pair, case.file);
        let mark = marks
            .iter()
            .position(|mark| Some(expected(mark)) == lines && place_fits(mark, &pair, case.file));
        match mark {
            Some(mark) if pair.accesses[0].image != pair.accesses[1].image => found[mark] = true,
            _ => return Outcome::False(text.to_string()),
        }
    }
    match marks
        .iter()
        .zip(found)
        .find(|(mark, found)| mark.must && !found)
    {
        Some((mark, _)) => Outcome::Missed(format!("{:?} is not in: {text}", mark.accesses)),
        None if case.is_racy => Outcome::AsMarked,
        None => Outcome::Broken(format!("exit code {RACES}, but no race: {text}")),
    }
}

/// Both accesses of a mark, in order.
fn expected(mark: &Mark) -> [(u32, &str); 2] {
    let access = |index: usize| {
        let access = &mark.accesses[index.min(mark.accesses.len() - 1)];
        (access.line, &access.kind[..])
    };
    let mut both = [access(0), access(1)];
    both.sort_unstable();
    both
}

/// Both accesses of a report, in order, if they are in this file.
fn lines_of<'a>(pair: &'a Pair, file: &str) -> Option<[(u32, &'a str); 2]> {
    let is_here = pair.accesses.iter().all(|access| access.at.file == file);
    let mut lines = pair
        .accesses
        .each_ref()
        .map(|access| (access.at.line, &access.kind[..]));
    lines.sort_unstable();
    is_here.then_some(lines)
}

/// Whether the report is about the place that the source marks, if it marks one.
fn place_fits(mark: &Mark, pair: &Pair, file: &str) -> bool {
    mark.place.as_ref().is_none_or(|(element, line)| {
        pair.element == *element && pair.created.line == *line && pair.created.file == file
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: Case = Case::racy(
        "one",
        || {},
        "one.rs",
        "fn one() {\n    new(); //~ place: [3]\n    x.put(1); //~ race: put\n    x.get(); //~ race: get\n}\n",
    );

    const REPORT: &str = "\
images 1 and 0 race on [3] of image 2 in the coarray of [i32; 20] created at one.rs:2
  image 1: get of 4 bytes at one.rs:4
  image 0: put of 4 bytes at one.rs:3
nothing orders them
";

    #[test]
    fn a_report_is_right_if_all_of_it_is() {
        assert_eq!(judge(&CASE, REPORT), Outcome::AsMarked);
        for (part, wrong) in [
            ("one.rs:4", "one.rs:5"),
            ("one.rs:4", "other.rs:4"),
            ("get of 4", "atomic load of 4"),
            ("image 0: put", "image 1: put"),
            ("[3] of", "[4] of"),
            ("one.rs:2", "one.rs:1"),
        ] {
            let text = REPORT.replacen(part, wrong, 1);
            assert!(matches!(judge(&CASE, &text), Outcome::False(_)), "{text}");
        }
        let both = REPORT.to_string() + &REPORT.replace("one.rs:3", "one.rs:1");
        assert!(matches!(judge(&CASE, &both), Outcome::False(_)));
    }

    #[test]
    fn a_race_that_is_not_reported_is_missed() {
        assert!(matches!(judge(&CASE, ""), Outcome::Missed(_)));
        assert!(matches!(run(&CASE, 2, true), Outcome::Missed(_)));
        assert_eq!(run(&CASE, 2, false), Outcome::AsMarked);
    }

    #[test]
    fn what_is_reported_of_a_clean_case_is_false() {
        let clean = Case::clean("other", || {}, "one.rs", CASE.source);
        assert!(matches!(judge(&clean, REPORT), Outcome::False(_)));
        assert!(matches!(judge(&clean, ""), Outcome::Broken(_)));
        assert_eq!(run(&clean, 3, true), Outcome::AsMarked);
    }
}
