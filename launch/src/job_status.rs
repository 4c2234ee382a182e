//! How a job ended: what to tell the person who started it, and with which exit code.

use std::io;

use rustix::process::Signal;

use coarray_runtime::{Death, Failure, SIGNAL_CODE, signal_name};

/// Why a job ended before its time.
#[derive(Debug)]
pub(crate) enum JobStatus {
    /// An image recorded a failure.
    Failed(Failure),
    /// An image ended without a record.
    Died {
        image: usize,
        process: u32,
        death: Death,
    },
    /// A signal requested it.
    Interrupted(Signal),
    /// The image of another job that started it has ended.
    Orphaned,
    /// Our output has no reader any more.
    Unread,
    /// Our output cannot be written.
    Unwritable(io::Error),
}

impl JobStatus {
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

    /// The report, in whole lines; nothing where a Unix tool would end without a word, or the program asks for that.
    pub(crate) fn report(&self) -> Option<String> {
        let text = match self {
            Self::Unread => return None,
            Self::Failed(failure) => Some(failure.to_string()).filter(|text| !text.is_empty())?,
            Self::Died {
                image,
                process,
                death,
            } => {
                let failure = death.failure(*image, *process, String::new());
                format!("{failure}{}", death.advice())
            }
            Self::Interrupted(signal) => {
                let name = signal_name(signal.as_raw()).unwrap_or("a signal");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn died(death: Death) -> JobStatus {
        JobStatus::Died {
            image: 3,
            process: 1234,
            death,
        }
    }

    fn failed(text: &str) -> JobStatus {
        JobStatus::Failed(Failure {
            image: 2,
            code: 101,
            text: text.into(),
        })
    }

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(died(Death::Signal(9)).exit_code(), 137);
        assert_eq!(died(Death::Code(5)).exit_code(), 5);
        assert_eq!(died(Death::Deserted).exit_code(), 1);
        assert_eq!(JobStatus::Interrupted(Signal::INT).exit_code(), 130);
        assert_eq!(JobStatus::Unread.exit_code(), 141);
        assert_eq!(failed("").exit_code(), 101);
    }

    #[test]
    fn reports_are_whole_lines_that_name_the_image() {
        for (status, report) in [
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
                JobStatus::Interrupted(Signal::TERM),
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
            assert_eq!(status.report().unwrap(), report);
        }
        assert_eq!(JobStatus::Unread.report(), None);
        assert_eq!(failed("\u{1}").report(), None);
    }
}
