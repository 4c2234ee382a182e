//! Runs `cobench` as its users do.

use std::process::{Command, Output};

/// Runs it with the words of this line.
pub fn run(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cobench"))
        .args(line.split_whitespace())
        .output()
        .unwrap()
}

/// What a successful run prints.
pub fn printed(line: &str) -> String {
    let output = run(line);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cobench {line}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes sure that it refuses this line as one that it cannot follow, by one line with that word.
pub fn assert_refused(line: &str, word: &str) {
    let output = run(line);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}: {message}");
    assert!(
        message.contains(word) && message.lines().count() == 1,
        "{message}"
    );
    assert!(output.stdout.is_empty());
}
