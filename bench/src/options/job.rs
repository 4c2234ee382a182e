//! The options of a job, which `cobench` gives to itself.

use std::time::Duration;

use program::command_line::{Error, Long, read};

use super::values::{image_count, operations};
use super::{Command, Words};
use crate::scale::life::Torus;

/// The first word of a job's command line, which no user writes.
pub(super) const JOB: &str = "job";

/// Options of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What to measure.
    pub task: Task,
    /// The operations to measure; all if there are none.
    pub only: Vec<String>,
    /// Time for each row.
    pub budget: Duration,
    /// Images outnumber cores.
    pub crowded: bool,
}

/// What a job measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Operations and their bounds.
    Micro,
    /// Operations alone, on so many images, which need not reach each other's memory.
    Alone(usize),
    /// The algorithms of collective operations.
    Tune,
    /// Single operations, beside programs that compute.
    Busy,
    /// Nothing: what it costs to begin and to end is measured from outside.
    Launch,
    /// The Game of Life.
    Life(Torus),
}

/// Reads the options of a job.
pub fn job(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Job::of(Task::Micro);
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("alone") => options.task = Task::Alone(image_count(arguments)?),
            Long("tune") => options.task = Task::Tune,
            Long("busy") => options.task = Task::Busy,
            Long("launch") => options.task = Task::Launch,
            Long("life") => options.task = Task::Life(arguments.number("a torus", |_| true)?),
            Long("only") => options.only = operations(arguments)?,
            Long("milliseconds") => {
                let milliseconds = arguments.number("a number", |_| true)?;
                options.budget = Duration::from_millis(milliseconds);
            }
            Long("crowded") => options.crowded = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Job(options)))
}

impl Job {
    /// A short one on images that have a core each.
    pub fn of(task: Task) -> Self {
        Self {
            task,
            only: Vec::new(),
            budget: Duration::from_millis(1),
            crowded: false,
        }
    }

    /// Whether the operation is to be measured.
    pub fn wants(&self, operation: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == operation)
    }

    /// The command line that [`parse`](super::parse) understands as this job.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![JOB.to_owned()];
        match self.task {
            Task::Micro => {}
            Task::Alone(images) => words.push(format!("--alone={images}")),
            Task::Tune => words.push("--tune".into()),
            Task::Busy => words.push("--busy".into()),
            Task::Launch => words.push("--launch".into()),
            Task::Life(torus) => words.push(format!("--life={torus}")),
        }
        if !self.only.is_empty() {
            words.push(format!("--only={}", self.only.join(",")));
        }
        words.push(format!("--milliseconds={}", self.budget.as_millis()));
        if self.crowded {
            words.push("--crowded".into());
        }
        words
    }
}
