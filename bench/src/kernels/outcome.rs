//! Running a kernel and parsing its output: `Solution validates`, and a line with the rate and the time.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::runner::Failure;

/// The speed of a kernel whose result is right.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The rate.
    pub rate: f64,
    /// The unit, such as `MB/s`.
    pub unit: String,
    /// Time for one iteration, in seconds.
    pub seconds: f64,
}

/// Why there is no outcome.
#[derive(Debug, Error)]
pub enum KernelError {
    /// Our own program does not exist.
    #[error("there is no {}; build it with: cargo build --release -p coarray-bench", .0.display())]
    Missing(PathBuf),
    /// This program does not know where it is.
    #[error("cannot find the kernels: {0}")]
    Lost(#[from] io::Error),
    /// It cannot be run, fails, or takes too long.
    #[error("{program} failed: {failure}{}", quoted(.said))]
    Failed {
        /// The command.
        program: String,
        /// How.
        failure: Failure,
        /// Its line that begins with `ERROR`.
        said: String,
    },
    /// It reports that its result is wrong, or does not report that it is right.
    #[error("the result of {program} is not valid{}", quoted(.said))]
    Invalid {
        /// The command.
        program: String,
        /// Its line that begins with `ERROR`.
        said: String,
    },
    /// It does not print its speed.
    #[error("{program} prints no rate and time")]
    NoRate {
        /// The command.
        program: String,
    },
}

fn quoted(words: &str) -> String {
    match words.trim() {
        "" => String::new(),
        words => format!(": {words}"),
    }
}

/// Runs a kernel by `run`, which hands over every line that it prints, and understands what it says.
///
/// # Errors
/// If it cannot be run, fails, or does not report a right result and its speed.
pub fn measure(
    program: String,
    run: impl FnOnce(&mut dyn FnMut(&str)) -> Result<Duration, Failure>,
) -> Result<Outcome, KernelError> {
    let mut printed = String::new();
    let mut add = |line: &str| {
        printed += line;
        printed.push('\n');
    };
    match run(&mut add) {
        Ok(_) => understand(&printed, program),
        Err(failure) => Err(KernelError::Failed {
            program,
            failure,
            said: error_line(&printed).to_owned(),
        }),
    }
}

fn error_line(printed: &str) -> &str {
    let mut lines = printed.lines().map(str::trim);
    lines
        .find(|line| line.starts_with("ERROR"))
        .unwrap_or_default()
}

fn understand(printed: &str, program: String) -> Result<Outcome, KernelError> {
    let mut lines = printed.lines().map(str::trim);
    let error = error_line(printed);
    if !error.is_empty() || !lines.any(|line| line == "Solution validates") {
        return Err(KernelError::Invalid {
            program,
            said: error.to_owned(),
        });
    }
    // The line follows the verdict.
    lines
        .find_map(rate_line)
        .ok_or(KernelError::NoRate { program })
}

/// Reads `Rate (UNIT): NUMBER Avg time (s): NUMBER`.
fn rate_line(line: &str) -> Option<Outcome> {
    let (unit, rest) = line.strip_prefix("Rate (")?.split_once("):")?;
    let (rate, seconds) = rest.split_once("Avg time (s):")?;
    let number = |text: &str| {
        let number = text.trim().parse().ok();
        number.filter(|number: &f64| number.is_finite() && *number > 0.0)
    };
    Some(Outcome {
        rate: number(rate)?,
        unit: unit.to_owned(),
        seconds: number(seconds)?,
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::runner::watch;

    const GOOD: &str =
        "Some kernel\nN = 3\nSolution validates\nRate (MB/s): 20.5 Avg time (s): 0.25\n";

    fn understand(printed: &str) -> Result<Outcome, String> {
        super::understand(printed, "prk-x 3".into()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_valid_result_is_understood() {
        let expected = Outcome {
            rate: 20.5,
            unit: "MB/s".into(),
            seconds: 0.25,
        };
        assert_eq!(understand(GOOD), Ok(expected));
    }

    #[test]
    fn what_is_not_valid_is_refused() {
        let without = GOOD.replace("Solution validates\n", "");
        assert_eq!(
            understand(&without).unwrap_err(),
            "the result of prk-x 3 is not valid"
        );
        let contradiction = format!("{GOOD}ERROR: sum is 3\n");
        assert!(
            understand(&contradiction)
                .unwrap_err()
                .ends_with("ERROR: sum is 3")
        );
        for wrong in ["nan", "0.0", "-0.25", "inf", ""] {
            let printed = GOOD.replace("0.25", wrong);
            assert_eq!(
                understand(&printed).unwrap_err(),
                "prk-x 3 prints no rate and time"
            );
        }
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let script = "echo ERROR: sum is 3; echo oh >&2; exit 1";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stderr(Stdio::piped());
        let limit = Duration::from_secs(60);
        let outcome = measure("prk-x 3".into(), |each| watch(&mut shell, limit, each));
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "prk-x 3 failed: exit status: 1: oh: ERROR: sum is 3"
        );
    }
}
