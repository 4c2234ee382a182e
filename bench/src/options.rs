//! The command line of `cobench`. Each command has a file of its own, and a line in [`COMMANDS`].

mod busy;
mod engines;
mod error;
mod help;
mod job;
mod kernels;
mod micro;
mod model;
mod scale;
mod tune;
mod values;
mod words;

use std::ffi::OsString;

pub use busy::{Busy, LOOP};
pub use engines::Engines;
pub use error::OptionsError;
pub use help::help;
pub use job::{Job, Task};
pub use kernels::Kernels;
pub use micro::Micro;
pub use model::Model;
pub use scale::Scale;
pub use tune::Tune;
use words::Words;

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

type Parser = fn(&mut Words) -> Result<Command, OptionsError>;

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
/// An [`OptionsError`] that says which word is wrong.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, OptionsError> {
    let mut words = Words::new(arguments);
    let Some(command) = words.command() else {
        return Err(OptionsError::MissingCommand);
    };
    if let Some((_, parser)) = COMMANDS.iter().find(|&&(name, _)| name == command) {
        return parser(&mut words);
    }
    match command.as_str() {
        job::JOB => job::job(&mut words),
        NOTHING => Ok(Command::Nothing),
        LOOP => Ok(Command::Loop(values::number(LOOP, &words.value(LOOP)?)?)),
        "--help" | "-h" | "help" => Ok(Command::Help),
        _ => Err(OptionsError::UnknownCommand(command)),
    }
}

/// The command of a process that is only to begin and to end, which no user writes.
pub const NOTHING: &str = "nothing";

/// Cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests;
