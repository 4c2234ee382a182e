//! Running programs, which may fail or hang.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use thiserror::Error;

use super::process_tree::ProcessTree;

/// Why a program did not succeed.
#[derive(Debug, Error)]
pub enum Failure {
    /// It cannot be started or read.
    #[error("cannot run {program}: {source}")]
    Run {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// It failed.
    #[error("{status}{complaint}")]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// Its message after a colon and a space; or nothing.
        complaint: String,
    },
    /// It took too long, and was ended.
    #[error("it did not end within {} s{complaint}", limit.as_secs())]
    Late {
        /// Its time limit.
        limit: Duration,
        /// Its message after a colon and a space; or nothing.
        complaint: String,
    },
}

/// Runs a program to its end, or to its time limit; `each` gets every line that it prints. Returns how long it took.
///
/// If `command` pipes the error output, the failure quotes it; otherwise the user sees it as it comes.
///
/// # Errors
/// If it cannot be run, fails, or does not end within `limit`; then neither it nor any of its descendants is left.
pub fn watch(
    command: &mut Command,
    limit: Duration,
    mut each: impl FnMut(&str),
) -> Result<Duration, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let run = |source| Failure::Run {
        program: program.clone(),
        source,
    };
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(run)?;
    let watchdog = Watchdog::new(&child, limit);
    // Read at the same time, because a program with a long error output would block otherwise.
    let errors = child.stderr.take();
    let errors = thread::spawn(move || errors.map_or(String::new(), complaint));
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while output
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            each(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
    }
    // While it is a zombie, its number is not reused, which the watchdog may be using.
    let ended = waitid(
        WaitId::Pid(pid(&child)),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    );
    let taken = start.elapsed();
    let late = watchdog.stop();
    let status = child.wait().map_err(run)?;
    ended.map_err(|error| run(error.into()))?;
    let complaint = errors.join().unwrap_or_default();
    match status.success() {
        _ if late => Err(Failure::Late { limit, complaint }),
        true => Ok(taken),
        false => Err(Failure::Failed { status, complaint }),
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// The first meaningful line, after a colon; launchers print lines of dashes and asterisks.
fn complaint(errors: impl Read) -> String {
    let mut first = String::new();
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    while errors
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line);
        if first.is_empty() && text.contains(char::is_alphabetic) && !text.contains("***") {
            first = format!(": {}", text.trim());
        }
        line.clear();
    }
    first
}

/// Ends a child and its descendants at the time limit.
struct Watchdog {
    stop: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    /// How long a launcher may take to end what it has launched.
    const GRACE: Duration = Duration::from_secs(3);

    fn new(child: &Child, limit: Duration) -> Self {
        let (stop, stopped) = mpsc::channel();
        let child = pid(child);
        let thread = thread::spawn(move || {
            let is_late = stopped.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if is_late {
                let before = ProcessTree::of(child);
                before.ask_to_end();
                // A launcher knows best how to end its processes.
                let _ = stopped.recv_timeout(Self::GRACE);
                ProcessTree::of(child).end();
                before.end();
            }
            is_late
        });
        Self { stop, thread }
    }

    /// Whether it ended the child.
    fn stop(self) -> bool {
        drop(self.stop);
        self.thread.join().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stderr(Stdio::piped());
        command
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn lines_arrive_whatever_they_are_made_of() {
        let mut lines = Vec::new();
        let program = &mut shell(r"printf 'one\n\377\nthree'");
        watch(program, LONG, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["one", "\u{fffd}", "three"]);
    }

    #[test]
    fn a_failure_tells_what_the_program_said_first() {
        let program = &mut shell("echo ------ >&2; echo no such thing >&2; echo more >&2; exit 3");
        let failure = watch(program, LONG, |_| ()).unwrap_err();
        assert_eq!(failure.to_string(), "exit status: 3: no such thing");
    }

    #[test]
    fn nothing_is_left_of_what_takes_too_long() {
        // The grandchild ignores SIGTERM, and keeps the pipe open.
        let script = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait";
        let mut grandchild = String::new();
        let limit = Duration::from_millis(500);
        let failure = watch(&mut shell(script), limit, |line| {
            line.clone_into(&mut grandchild)
        });
        assert!(matches!(failure, Err(Failure::Late { .. })), "{failure:?}");
        let state = std::fs::read_to_string(format!("/proc/{grandchild}/stat"));
        // The process that inherits it may not have waited for it yet.
        assert!(
            state.as_ref().is_err() || state.as_ref().is_ok_and(|state| state.contains(") Z ")),
            "{grandchild}: {state:?}"
        );
    }
}
