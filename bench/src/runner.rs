//! Starting the programs that measure, one after the other, and reading their output.

mod process_tree;
mod watched;

use std::io;
use std::process::Command;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::options::{Fabric, cores};
use crate::sample::Line;
use crate::task::{Job, Task};
pub use watched::{Failure, watch};

/// The time that a measurement takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How often each program is started, in turn.
    pub rounds: usize,
    /// Time for each row in each round.
    pub budget: Duration,
}

impl Effort {
    /// For reproducible numbers. Many short rounds, so that a peer is measured soon after `coarray`, before the speed
    /// of the machine changes.
    const FULL: Self = Self {
        rounds: 15,
        budget: Duration::from_millis(25),
    };

    /// Long enough that the other programs get the cores many times.
    const BUSY: Self = Self {
        rounds: 3,
        budget: Duration::from_millis(500),
    };

    /// For a choice that is right; the numbers are not reported.
    const CHOICE: Self = Self {
        rounds: 5,
        budget: Duration::from_millis(25),
    };

    /// The time limit of a program with this many rows: only one that has hung takes longer, also beside other programs.
    pub fn patience(self, rows: usize) -> Duration {
        Duration::from_secs(300) + self.budget * 10 * u32::try_from(rows).unwrap_or(u32::MAX)
    }

    /// Enough to see that everything works.
    const QUICK: Self = Self {
        rounds: 1,
        budget: Duration::from_millis(5),
    };

    /// The effort for a task, or the quick one.
    pub fn new(task: Task, quick: bool) -> Self {
        match task {
            _ if quick => Self::QUICK,
            Task::Micro | Task::Alone(_) | Task::Launch => Self::FULL,
            Task::Tune => Self::CHOICE,
            Task::Busy => Self::BUSY,
        }
    }
}

/// Whether each of `images` images has a core of its own.
pub fn fit(images: usize) -> bool {
    images <= cores()
}

/// This program as a job of images that measures.
///
/// # Errors
/// If this program cannot find itself.
pub fn job(
    task: Task,
    images: usize,
    fabric: Fabric,
    only: &[String],
    effort: Effort,
) -> io::Result<Command> {
    let job = Job {
        task,
        only: only.to_vec(),
        budget: effort.budget,
        crowded: !fit(images),
    };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(job.words());
    as_job(&mut command, images, fabric);
    if task == Task::Tune {
        // An older table must not influence the new one.
        command.env("COARRAY_TUNING_FILE", "/dev/null");
    }
    Ok(command)
}

/// Makes a program of coarrays run with this number of images, each bound to a core if there are enough.
pub fn as_job(command: &mut Command, images: usize, fabric: Fabric) {
    command
        .env("COARRAY_IMAGES", images.to_string())
        .env("COARRAY_FABRIC", fabric.name())
        .env("COARRAY_BIND", if fit(images) { "core" } else { "none" })
        .env("COARRAY_LABEL", "0");
}

/// Runs a job that measures to its end; `each` gets every line of samples.
///
/// # Errors
/// If it cannot be run, fails, or takes much longer than this number of rows should.
pub fn measure(
    job: &mut Command,
    effort: Effort,
    rows: usize,
    mut each: impl FnMut(Line),
) -> Result<(), String> {
    let outcome = watch(job, effort.patience(rows), |line| {
        if let Some(line) = Line::parse(line) {
            each(line);
        }
    });
    match outcome {
        Ok(_) => Ok(()),
        Err(failure) => Err(format!("a job that measures failed: {failure}")),
    }
}

/// A progress bar over this number of rows, if there is a terminal.
pub fn progress(rows: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:40.yellow/238} {human_pos}/{human_len} rows  {eta} left  {msg}",
    );
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(rows as u64).with_style(style.progress_chars("━━─"))
}
