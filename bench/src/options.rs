//! The command line of `cobench`. Each command has a file of its own, and a line in [`COMMANDS`].

mod busy;
mod engines;
mod help;
mod job;
mod kernels;
mod micro;
mod model;
mod scale;
mod tune;
mod values;

use std::ffi::OsString;

pub use busy::{Busy, LOOP};
pub use engines::Engines;
pub use help::help;
pub use job::{Job, Task};
pub use kernels::Kernels;
pub use micro::Micro;
pub use model::Model;
use program::command_line::Error;
pub use scale::Scale;
pub use tune::Tune;

/// What the user wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The help text.
    Help,
    /// Single operations.
    Micro(Micro),
    /// The same and kernels, beside the peers.
    Peers(Micro),
    /// Whole programs.
    Kernels(Kernels),
    /// The fastest algorithms.
    Tune(Tune),
    /// What the engines cost.
    Engines(Engines),
    /// What others on the same cores cost.
    Busy(Busy),
    /// What more images gain.
    Scale(Scale),
    /// What many images would need.
    Model(Model),
    /// To be a job that measures; `cobench` starts itself so.
    Job(Job),
    /// To compute until the process of that number ends or kills this one; `cobench` starts itself so.
    Loop(i32),
    /// To end at once; `cobench` starts itself so.
    Nothing,
}

/// The words after the command.
type Words = Vec<OsString>;

/// Nothing is to be done if help was asked for.
type Parser = fn(Words) -> Result<Option<Command>, Error>;

/// What there is for users, and what understands the rest of the line. A new command is a line here.
const COMMANDS: &[(&str, Parser)] = &[
    ("micro", micro::micro),
    ("peers", micro::peers),
    ("kernels", kernels::kernels),
    ("engines", engines::engines),
    ("busy", busy::busy),
    ("tune", tune::tune),
    ("scale", scale::scale),
    ("model", model::model),
];

fn command_names() -> String {
    let names: Vec<&str> = COMMANDS.iter().map(|&(name, _)| name).collect();
    let (last, others) = names.split_last().expect("there are commands");
    format!("{} or {last}", others.join(", "))
}

/// What images are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fabric {
    /// Processes that share memory.
    #[default]
    Processes,
    /// Threads of one process.
    Threads,
}

impl Fabric {
    /// As `COARRAY_FABRIC` says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
        }
    }
}

/// Reads a command line, without the program's name.
///
/// # Errors
/// What is wrong with it.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, Error> {
    let mut words = arguments.into_iter();
    let Some(command) = words.next() else {
        let names = command_names();
        return Err(format!("say what to do: cobench {names}; cobench --help tells more").into());
    };
    let command = command.to_string_lossy();
    let users = COMMANDS.iter().find(|&&(name, _)| name == command);
    let parser = match (users, &*command) {
        (Some(&(_, parser)), _) => parser,
        (None, job::JOB) => job::job,
        (None, NOTHING) => |_| Ok(Some(Command::Nothing)),
        (None, LOOP) => busy::parent,
        (None, "--help" | "-h" | "help") => |_| Ok(None),
        (None, _) => {
            let names = command_names();
            return Err(format!("unknown command '{command}'; expected {names}").into());
        }
    };
    let understood = parser(words.collect());
    let understood = understood.map_err(|error| format!("{command}: {error}"))?;
    Ok(understood.unwrap_or(Command::Help))
}

/// The command of a process that is only to begin and to end, which no user writes.
pub const NOTHING: &str = "nothing";

/// Cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests;
