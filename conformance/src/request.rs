//! The command line of `conformance`.

use std::ffi::OsString;

use lexopt::prelude::*;

use crate::clause::{Clause, Trial};
use crate::clauses;

/// The text of `conformance --help`.
pub const HELP: &str = "\
Tries the clauses of the coarray library's promises on the images of this job.

usage: conformance [--only IDS] [--images N]
       conformance --program ID
       conformance --list

  --only IDS     only these clauses and sections, such as 5.2,6
  --images N     check that the job has so many images
  --program ID   be the job of a clause about how jobs end
  --list         the clauses
  --help         this text

Image 0 prints a line for each clause: its id, and `ok`, or `FAILED` and what was seen. The exit code is 0 if all
are ok. Clauses that need a job of their own are tried by the program `conform`, which also knows how to start jobs.
COARRAY_IMAGES, COARRAY_FABRIC and the other settings of the library apply.
CONFORMANCE_PATIENCE is the time in seconds after which an image stops waiting for another one; default: 20.
";

/// What to do.
#[derive(Clone, Debug)]
pub enum Request {
    /// Try these clauses.
    Try {
        /// In the order of the registry.
        clauses: Vec<&'static Clause>,
        /// The number of images that the job is to have.
        images: Option<usize>,
    },
    /// Be the job of a clause.
    Program(&'static Clause),
    /// Print the clauses.
    List,
    /// Print the help.
    Help,
}

/// The number of images that the command line of this program says the job has.
#[must_use]
pub fn expected_images() -> Option<usize> {
    match Request::parse(std::env::args_os().skip(1)) {
        Ok(Request::Try { images, .. }) => images,
        _ => None,
    }
}

impl Request {
    /// Parses command line arguments.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(arguments.collect::<Vec<_>>());
        let (mut clauses, mut images) = (clauses::all().collect(), None);
        while let Some(option) = parser.next()? {
            match option {
                Long("help") | Short('h') => return Ok(Self::Help),
                Long("list") => return Ok(Self::List),
                Long("only") => clauses = select(&parser.value()?.string()?)?,
                Long("program") => return Ok(Self::Program(program(&parser.value()?.string()?)?)),
                Long("images") => images = Some(count("--images", &parser.value()?.string()?)?),
                _ => return Err(option.unexpected()),
            }
        }
        Ok(Self::Try { clauses, images })
    }
}

/// The number that an option asks for.
///
/// # Errors
/// That it is none.
pub fn count(option: &str, text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{option} {text}: expected a number of at least 1"))
}

/// The clauses that a list such as `5.2,6` selects, in the order of the registry.
///
/// # Errors
/// If a part of the list selects none.
pub fn select(list: &str) -> Result<Vec<&'static Clause>, String> {
    let selectors: Vec<&str> = list.split(',').map(str::trim).collect();
    for selector in &selectors {
        if !clauses::all().any(|clause| clause.is_meant_by(selector)) {
            return Err(format!(
                "there is no clause or section {selector}; --list names them"
            ));
        }
    }
    let is_meant = |clause: &&Clause| {
        selectors
            .iter()
            .any(|selector| clause.is_meant_by(selector))
    };
    Ok(clauses::all().filter(is_meant).collect())
}

fn program(id: &str) -> Result<&'static Clause, String> {
    clauses::all()
        .find(|clause| clause.id == id && matches!(clause.trial, Trial::OwnJob(_)))
        .ok_or_else(|| format!("clause {id} has no job of its own"))
}

/// The clauses, as text.
#[must_use]
pub fn list() -> String {
    let mut text = String::new();
    for section in clauses::SECTIONS {
        text += &format!("{} {}\n", section.number, section.title);
        for clause in section.clauses {
            text += &format!("  {:<6}{}\n", clause.id, clause.promise);
        }
    }
    text
}
