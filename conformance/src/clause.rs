//! Clauses and their sections.

use std::process::ExitCode;

use crate::check::Check;
use crate::end::End;

/// A promise of the library, and how it is tried.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    /// The section's number and the clause's number in it, such as `5.3`.
    pub id: &'static str,
    /// The promise, in one sentence.
    pub promise: &'static str,
    /// How it is tried.
    pub trial: Trial,
}

/// How a clause is tried.
#[derive(Clone, Copy, Debug)]
pub enum Trial {
    /// By all images of a job that goes on afterwards. After a finding, an image still takes part in all collective
    /// operations, so that the others do not wait for it.
    InJob(fn(&mut Check)),
    /// By a job of its own, because of how the job ends.
    OwnJob(OwnJob),
}

/// A job whose end the driver judges.
#[derive(Clone, Copy, Debug)]
pub struct OwnJob {
    /// The least number of images.
    pub images: usize,
    /// The program of each image.
    pub body: fn() -> ExitCode,
    /// Whether a job of this number of images ended as promised; if not, what was wrong.
    pub judge: fn(&End, usize) -> Result<(), String>,
}

/// Clauses about one subject.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The number before the dot in its clauses' ids.
    pub number: u32,
    /// The subject.
    pub title: &'static str,
    /// Its clauses, in the order in which they are tried.
    pub clauses: &'static [Clause],
}

impl Clause {
    /// A clause that is tried in a job with others.
    #[must_use]
    pub const fn new(id: &'static str, promise: &'static str, test: fn(&mut Check)) -> Self {
        Self {
            id,
            promise,
            trial: Trial::InJob(test),
        }
    }

    /// A clause about how a job ends.
    #[must_use]
    pub const fn about_end(id: &'static str, promise: &'static str, job: OwnJob) -> Self {
        Self {
            id,
            promise,
            trial: Trial::OwnJob(job),
        }
    }

    /// Whether `selector` means this clause: its id, or the number of its section.
    #[must_use]
    pub fn is_meant_by(&self, selector: &str) -> bool {
        self.id == selector
            || self
                .id
                .strip_prefix(selector)
                .is_some_and(|rest| rest.starts_with('.'))
    }
}
