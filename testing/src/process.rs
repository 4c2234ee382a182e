//! Starting a process and looking at its end.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// How a process ended.
#[derive(Debug)]
pub struct End {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it reported.
    pub stderr: String,
    /// How long it ran.
    pub seconds: f64,
}

/// Runs a process to its end, giving it `input`.
pub fn run_with_input(mut command: Command, input: &str) -> End {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may have ended without reading.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    end_of(child, start)
}

/// Runs a process to its end.
pub fn run(command: Command) -> End {
    run_with_input(command, "")
}

/// Waits for the end of a process that was started at `start`.
pub fn end_of(child: Child, start: Instant) -> End {
    let output = child.wait_with_output().unwrap();
    End {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        seconds: start.elapsed().as_secs_f64(),
    }
}

impl End {
    /// The process ended well and reported nothing; its output.
    #[track_caller]
    pub fn success(self) -> String {
        assert!(self.code == Some(0) && self.stderr.is_empty(), "{self:#?}");
        self.stdout
    }

    /// The process failed with this exit code; its report.
    #[track_caller]
    pub fn failure(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self.stderr
    }
}

/// Makes a program of the lines of a shell script.
///
/// Another process writes it: a process that another test starts would inherit a file which this one has open for
/// writing, and such a file cannot be run ("Text file busy").
pub fn script(program: &Path, lines: &str) {
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#,
    ]);
    shell.arg("sh").arg(program).arg(lines);
    assert!(shell.status().unwrap().success());
}

/// An output that nobody reads any more.
#[must_use]
pub fn unread() -> Stdio {
    let (_, output) = std::io::pipe().unwrap();
    output.into()
}
