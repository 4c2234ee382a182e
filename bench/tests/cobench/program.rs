//! Programs that a test makes in order to run them.
//!
//! Other processes write them. While a test has a file open to write it, a process that another test is starting has it
//! open, too, for a moment longer; and a file that is open to be written cannot be run ("Text file busy").

use std::path::Path;
use std::process::Command;

/// Makes a program of the lines of a script.
pub fn script(program: &Path, lines: &str) {
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#,
    ]);
    shell.arg("sh").arg(program).arg(lines);
    assert!(shell.status().unwrap().success());
}
