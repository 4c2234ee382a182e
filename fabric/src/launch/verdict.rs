//! How a job ended: what to tell the person who started it, and with which exit code.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Resource, Signal, getrlimit};

use crate::control::{Failure, Stage};
use crate::launch::signals;

/// Added to the number of a signal, it makes the exit code that shells report.
const SIGNAL_CODE: i32 = 128;

/// Why a job ended before its time.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// An image said why.
    Failed(Failure),
    /// An image ended without a word.
    Died {
        image: usize,
        process: u32,
        death: Death,
    },
    /// A signal asked for it.
    Interrupted(Signal),
    /// It belonged to an image of another job, which has ended.
    Orphaned,
    /// Nobody reads our output any more.
    Unread,
    /// Our output cannot be written.
    Unwritable(io::Error),
}

/// The ways in which an image must not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Killed by this signal.
    Signal(i32),
    /// Exited with this code, not 0.
    Code(i32),
    /// Exited with code 0 in the middle of the program.
    Deserted,
    /// Exited with code 0 while others became images and it did not.
    NeverCame,
    /// Ended in the middle of the program, which only another process saw, which had started it and does not tell.
    Unseen,
}

impl Death {
    /// What is wrong with an image that ended like this at that stage, if anything is.
    ///
    /// An exit with code 0 at `Absent` is right for a program that has nothing to do with coarrays. The status may be that
    /// of what had started the image, which `is_wrapped` in that.
    pub(crate) fn of(status: ExitStatus, stage: Stage, is_wrapped: bool) -> Option<Self> {
        match (status.code(), stage) {
            (Some(0), Stage::Running | Stage::Stopped) if is_wrapped => Some(Self::Unseen),
            (Some(0), Stage::Running | Stage::Stopped) => Some(Self::Deserted),
            (Some(0), Stage::Absent | Stage::Finished | Stage::Failed) => None,
            (Some(code), _) => Some(Self::Code(code)),
            (None, _) => Some(Self::Signal(status.signal().unwrap_or_default())),
        }
    }

    /// What it says of the image, which may have left last words.
    pub(crate) fn failure(self, image: usize, process: u32, last_words: String) -> Failure {
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

    /// A line for who wonders why, where many do.
    fn advice(self) -> &'static str {
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

    fn exit_code(self) -> u8 {
        match self {
            Self::Signal(number) => (SIGNAL_CODE + number) as u8,
            Self::Code(code) => code as u8,
            Self::Deserted | Self::NeverCame | Self::Unseen => 1,
        }
    }
}

impl Verdict {
    /// What counts of what an image recorded and what the supervisor saw: the record, but with the exit
    /// code of the image itself, which may be one that only its `main` knew.
    pub(crate) fn of(told: Option<Failure>, seen: Option<Self>) -> Option<Self> {
        match (told, seen) {
            (
                Some(told),
                Some(Self::Died {
                    image,
                    death: Death::Code(code),
                    ..
                }),
            ) if image == told.image => Some(Self::Failed(Failure {
                code: code as u8,
                ..told
            })),
            (Some(told), _) => Some(Self::Failed(told)),
            (None, seen) => seen,
        }
    }

    /// The exit code of the whole job.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(failure) => failure.code,
            Self::Died { death, .. } => death.exit_code(),
            Self::Interrupted(signal) => (SIGNAL_CODE + signal.as_raw()) as u8,
            Self::Unread => (SIGNAL_CODE + Signal::PIPE.as_raw()) as u8,
            Self::Orphaned | Self::Unwritable(_) => 1,
        }
    }

    /// The report, in whole lines; nothing where a Unix tool would end without a word.
    pub(crate) fn report(&self) -> Option<String> {
        let text = match self {
            Self::Unread => return None,
            Self::Failed(failure) => failure.to_string(),
            Self::Died {
                image,
                process,
                death,
            } => {
                let failure = death.failure(*image, *process, String::new());
                format!("{failure}{}", death.advice())
            }
            Self::Interrupted(signal) => {
                let name = signals::name(signal.as_raw()).unwrap_or("a signal");
                format!("coarray: the job was interrupted by {name}")
            }
            Self::Orphaned => {
                "coarray: the job ended with the image of another job that had started it".into()
            }
            Self::Unwritable(error) => {
                format!("coarray: cannot write the output of the job: {error}")
            }
        };
        Some(if text.ends_with('\n') {
            text
        } else {
            text + "\n"
        })
    }
}

impl fmt::Display for Death {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(number) => {
                write!(formatter, "was killed by signal {number}")?;
                signals::name(*number).map_or(Ok(()), |name| write!(formatter, " ({name})"))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn died(death: Death) -> Verdict {
        Verdict::Died {
            image: 3,
            process: 1234,
            death,
        }
    }

    fn failed(text: &str) -> Verdict {
        Verdict::Failed(Failure {
            image: 2,
            code: 101,
            text: text.into(),
        })
    }

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
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(died(Death::Signal(9)).exit_code(), 137);
        assert_eq!(died(Death::Code(5)).exit_code(), 5);
        assert_eq!(died(Death::Deserted).exit_code(), 1);
        assert_eq!(Verdict::Interrupted(Signal::INT).exit_code(), 130);
        assert_eq!(Verdict::Unread.exit_code(), 141);
        assert_eq!(failed("").exit_code(), 101);
    }

    #[test]
    fn reports_are_whole_lines_that_name_the_image() {
        for (verdict, report) in [
            (
                died(Death::Signal(9)),
                "coarray: image 3 (process 1234) was killed by signal 9 (SIGKILL)\n\
                 if nobody sent this signal, the system did when memory ran out: use fewer images, a smaller problem, \
                 or a machine with more memory\n",
            ),
            (
                died(Death::Signal(40)),
                "coarray: image 3 (process 1234) was killed by signal 40\n",
            ),
            (
                died(Death::Code(5)),
                "coarray: image 3 exited with code 5\n",
            ),
            (
                Verdict::Interrupted(Signal::TERM),
                "coarray: the job was interrupted by SIGTERM\n",
            ),
            (
                failed("panicked at x.rs:1: no"),
                "coarray: image 2 panicked at x.rs:1: no\n",
            ),
            (
                failed("\u{1}Error: no such file\n"),
                "Error: no such file\n",
            ),
        ] {
            assert_eq!(verdict.report().unwrap(), report);
        }
        assert_eq!(Verdict::Unread.report(), None);
    }
}
