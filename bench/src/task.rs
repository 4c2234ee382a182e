//! What a job of images measures, and the command line by which `cobench` starts itself as one.

use std::ffi::OsString;
use std::time::Duration;

use program::command_line::{Error, Long, read};

/// The first word of the command line of a job.
pub const JOB: &str = "job";

/// The first word of the command line of a process that only begins and ends.
pub const NOTHING: &str = "nothing";

/// The first word of the command line of a process that computes until its parent ends; the parent's number follows.
pub const LOOP: &str = "loop";

/// What a job measures, and for how long.
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
}

impl Job {
    /// Reads the words that follow [`JOB`].
    ///
    /// # Errors
    /// If a user has written them.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut job = Self {
            task: Task::Micro,
            only: Vec::new(),
            budget: Duration::ZERO,
            crowded: false,
        };
        read(words, |option, arguments| {
            match option {
                Long("alone") => job.task = Task::Alone(arguments.count(usize::MAX)?),
                Long("tune") => job.task = Task::Tune,
                Long("busy") => job.task = Task::Busy,
                Long("launch") => job.task = Task::Launch,
                Long("only") => job.only = arguments.list("names", |name| Some(name.to_owned()))?,
                Long("milliseconds") => {
                    let milliseconds = arguments.number("a number", |_| true)?;
                    job.budget = Duration::from_millis(milliseconds);
                }
                Long("crowded") => job.crowded = true,
                _ => return Err(option.unexpected()),
            }
            Ok(())
        })?;
        Ok(job)
    }

    /// Whether the operation is to be measured.
    pub fn wants(&self, operation: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == operation)
    }

    /// The command line that [`parse`](Self::parse) understands as this job, with [`JOB`] before it.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![JOB.to_owned()];
        match self.task {
            Task::Micro => {}
            Task::Alone(images) => words.push(format!("--alone={images}")),
            Task::Tune => words.push("--tune".into()),
            Task::Busy => words.push("--busy".into()),
            Task::Launch => words.push("--launch".into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_understands_its_own_words() {
        for task in [
            Task::Micro,
            Task::Alone(3),
            Task::Tune,
            Task::Busy,
            Task::Launch,
        ] {
            let job = Job {
                task,
                only: vec!["co_sum".into()],
                budget: Duration::from_millis(60),
                crowded: task == Task::Tune,
            };
            let words = job.words().into_iter().skip(1).map(OsString::from);
            assert_eq!(Job::parse(words).unwrap(), job);
        }
    }
}
