//! How an image ended that should not have.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Resource, getrlimit};

use crate::job::control::{Failure, Stage};

/// Added to the number of a signal, this is the exit code that shells report.
pub const SIGNAL_CODE: i32 = 128;

/// The wrong ways in which an image ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// Killed by this signal.
    Signal(i32),
    /// Exited with this code, not 0.
    Code(i32),
    /// Exited with code 0 in the middle of the program.
    Deserted,
    /// Exited with code 0 without becoming an image, while others did.
    NeverCame,
    /// Ended in the middle of the program. Its parent, another process, saw the status and does not report it.
    Unseen,
}

impl Death {
    /// What is wrong with an image that ended like this at `stage`, if anything.
    ///
    /// An exit with code 0 at `Absent` is right for a program that does not use coarrays. If the image `is_wrapped`,
    /// the status may be that of the process which started it.
    pub fn of(status: ExitStatus, stage: Stage, is_wrapped: bool) -> Option<Self> {
        match (status.code(), stage) {
            (Some(0), Stage::Running | Stage::Stopped) if is_wrapped => Some(Self::Unseen),
            (Some(0), Stage::Running | Stage::Stopped) => Some(Self::Deserted),
            (Some(0), Stage::Absent | Stage::Finished | Stage::Failed) => None,
            (Some(code), _) => Some(Self::Code(code)),
            (None, _) => Some(Self::Signal(status.signal().unwrap_or_default())),
        }
    }

    /// The text about the image, with its last words if it left any.
    pub fn failure(self, image: usize, process: u32, last_words: String) -> Failure {
        let text = match self {
            _ if !last_words.is_empty() => last_words,
            Self::Signal(_) | Self::Unseen => format!("(process {process}) {self}"),
            _ => self.to_string(),
        };
        Failure {
            image,
            code: self.exit_code(),
            text,
        }
    }

    /// A line that explains a frequent cause.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Signal(libc::SIGKILL | libc::SIGXCPU)
                if getrlimit(Resource::Cpu).maximum.is_some() =>
            {
                "\nif nobody sent this signal, the image has used more processor time than it may (`ulimit -t`), or memory ran out"
            }
            Self::Signal(libc::SIGKILL) => {
                "\nif nobody sent this signal, the system did when memory ran out: use fewer images, a smaller problem, \
                 or a machine with more memory"
            }
            _ => "",
        }
    }

    /// The exit code that a shell would report.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Signal(number) => (SIGNAL_CODE + number) as u8,
            Self::Code(code) => code as u8,
            Self::Deserted | Self::NeverCame | Self::Unseen => 1,
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(number) => {
                write!(formatter, "was killed by signal {number}")?;
                signal_name(*number).map_or(Ok(()), |name| write!(formatter, " ({name})"))
            }
            Self::Code(code) => write!(formatter, "exited with code {code}"),
            Self::Deserted => formatter.write_str(
                "called std::process::exit(0) while other images were still running; \
                 return from main instead",
            ),
            Self::Unseen => {
                formatter.write_str("ended before its time; what had started it does not say how")
            }
            Self::NeverCame => {
                formatter.write_str("exited before it reached #[coarray::main] or coarray::launch")
            }
        }
    }
}

/// The name of a signal; real-time signals have numbers only.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    const NAMES: [(i32, &str); 28] = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGSTOP, "SIGSTOP"),
        (libc::SIGTSTP, "SIGTSTP"),
        (libc::SIGTTIN, "SIGTTIN"),
        (libc::SIGTTOU, "SIGTTOU"),
        (libc::SIGURG, "SIGURG"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGVTALRM, "SIGVTALRM"),
        (libc::SIGPROF, "SIGPROF"),
        (libc::SIGWINCH, "SIGWINCH"),
        (libc::SIGIO, "SIGIO"),
        (libc::SIGPWR, "SIGPWR"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    NAMES
        .into_iter()
        .find_map(|(number, name)| (number == signal).then_some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_judged_by_code_and_stage() {
        let code = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Death::of(code(0), Stage::Finished, false), None);
        assert_eq!(Death::of(code(0), Stage::Absent, false), None);
        assert_eq!(
            Death::of(code(0), Stage::Running, false),
            Some(Death::Deserted)
        );
        assert_eq!(
            Death::of(code(0), Stage::Stopped, false),
            Some(Death::Deserted)
        );
        assert_eq!(
            Death::of(code(0), Stage::Running, true),
            Some(Death::Unseen)
        );
        assert_eq!(Death::of(code(0), Stage::Finished, true), None);
        assert_eq!(
            Death::of(code(5), Stage::Stopped, false),
            Some(Death::Code(5))
        );
        assert_eq!(
            Death::of(code(5), Stage::Absent, false),
            Some(Death::Code(5))
        );
        assert_eq!(
            Death::of(code(5), Stage::Finished, false),
            Some(Death::Code(5))
        );
        assert_eq!(
            Death::of(ExitStatus::from_raw(9), Stage::Running, false),
            Some(Death::Signal(9))
        );
    }

    #[test]
    fn last_words_say_more_than_how_a_process_ended() {
        let failure = |death: Death, words: &str| death.failure(3, 1234, words.into());
        let words = failure(Death::Code(101), "panicked at x.rs:1: no");
        assert_eq!(words.text, "panicked at x.rs:1: no");
        assert_eq!((words.image, words.code), (3, 101));
        let silent = failure(Death::Signal(9), "");
        assert_eq!(
            silent.text,
            "(process 1234) was killed by signal 9 (SIGKILL)"
        );
        assert_eq!((silent.image, silent.code), (3, 137));
    }

    #[test]
    fn signals_have_names() {
        assert_eq!(signal_name(9), Some("SIGKILL"));
        assert_eq!(signal_name(libc::SIGRTMIN() + 1), None);
    }
}
