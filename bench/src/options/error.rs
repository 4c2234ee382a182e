//! What can be wrong with a command line.

use thiserror::Error;

use super::command_names;

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// Nothing to do.
    #[error(
        "say what to do: cobench {}; cobench --help tells more",
        command_names()
    )]
    MissingCommand,
    /// A command that there is not.
    #[error("unknown command '{0}'; expected {names}", names = command_names())]
    UnknownCommand(String),
    /// An option that the command does not have.
    #[error("cobench {command} has no option '{option}'; cobench --help lists them all")]
    Unknown {
        /// The command.
        command: &'static str,
        /// What was given.
        option: String,
    },
    /// An option at the end of the line that needs a value.
    #[error("option {0} needs a value")]
    MissingValue(String),
    /// A value for an option that is on or off.
    #[error("option {0} takes no value")]
    UnwantedValue(String),
    /// A value of the wrong form.
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: String,
    },
}
