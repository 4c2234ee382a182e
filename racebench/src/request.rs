//! The command line of `racebench`.

use std::ffi::OsString;

use lexopt::prelude::*;

use crate::case::{Case, GROUPS};
use crate::cases;
use crate::score::Plan;

/// The text of `racebench --help`.
pub const HELP: &str = "\
Runs small programs with and without races under the race check, and counts what it judges rightly.

usage: racebench [--runs N] [--images LIST] [--case NAME] [--without-check]
       racebench --list

  --runs N          so many runs of each program on each number of images (default: 100)
  --images LIST     the numbers of images (default: 2,3,4,8)
  --case NAME       only this program
  --without-check   see only whether the programs end as they should
  --list            the programs, with the lines that race
  --help            this text

The exit code is 0 if all is as marked in the sources, and 1 if not.
";

/// What to do.
#[derive(Clone, Debug)]
pub enum Request {
    /// Run cases.
    Run(Plan),
    /// Print the cases.
    List,
    /// Print the help.
    Help,
}

impl Request {
    /// Parses command line arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(arguments.collect::<Vec<_>>());
        let mut plan = Plan {
            case: None,
            images: vec![2, 3, 4, 8],
            runs: 100,
            check: true,
        };
        while let Some(option) = parser.next()? {
            match option {
                Long("help") | Short('h') => return Ok(Self::Help),
                Long("list") => return Ok(Self::List),
                Long("runs") => {
                    plan.runs = count("--runs", &parser.value()?.string()?, 1..=u32::MAX)?
                }
                Long("images") => {
                    let list = parser.value()?.string()?;
                    let numbers = list.split(',').map(|n| count("--images", n, 2..=8));
                    plan.images = numbers
                        .map(|n| n.map(|n| n as usize))
                        .collect::<Result<_, _>>()?;
                }
                Long("case") => plan.case = Some(named(parser.value()?.string()?)?),
                Long("without-check") => plan.check = false,
                _ => return Err(option.unexpected()),
            }
        }
        Ok(Self::Run(plan))
    }
}

/// The number that an option asks for.
fn count(option: &str, text: &str, range: std::ops::RangeInclusive<u32>) -> Result<u32, String> {
    let number = text.trim().parse().ok().filter(|n| range.contains(n));
    number.ok_or_else(|| match *range.end() {
        u32::MAX => format!(
            "{option} {text}: expected a number of at least {}",
            range.start()
        ),
        end => format!(
            "{option} {text}: expected numbers from {} to {end}",
            range.start()
        ),
    })
}

fn named(name: String) -> Result<String, String> {
    let mut all = GROUPS.into_iter().flat_map(cases::of);
    match all.any(|case| case.name == name) {
        true => Ok(name),
        false => Err(format!("there is no case {name}; --list names them")),
    }
}

/// The cases, as text.
#[must_use]
pub fn list() -> String {
    let mut text = String::new();
    for group in GROUPS {
        text += &format!("{group}\n");
        for case in cases::of(group) {
            text += &format!("  {:60}{}\n", case.name, what(case));
        }
    }
    text
}

fn what(case: &Case) -> String {
    if !case.is_racy {
        return "clean".to_string();
    }
    let marks = case.marks();
    let pairs: Vec<String> = marks
        .iter()
        .filter(|mark| mark.must)
        .map(|mark| {
            let access =
                |access: &crate::marks::Access| format!("{} at {}", access.kind, access.line);
            let accesses: Vec<String> = mark.accesses.iter().map(access).collect();
            accesses.join(" and ")
        })
        .collect();
    let luck = if case.is_by_luck {
        ", in some runs"
    } else {
        ""
    };
    format!("{} in {}{luck}", pairs.join(", "), case.file)
}
