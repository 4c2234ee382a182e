//! The compiler's messages about mistakes.
//!
//! Each program in `compile_fail/` is a mistake that a newcomer makes. Its first lines say what was tried and what
//! the message should tell; the `.stderr` file beside it records the message. If you change a message, judge the
//! new record as that newcomer: it must say what to do.
//!
//! The records are of Rust 1.95: other versions of the compiler word their own parts differently, so with
//! them the mistakes are skipped. After a change of the library or of this version, make the records anew and
//! look at the differences:
//!
//! ```text
//! TRYBUILD=overwrite cargo test -p coarray --test compile_fail
//! ```

use std::process::Command;

/// The version whose messages are recorded.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn messages_say_what_to_do() {
    let programs = trybuild::TestCases::new();
    let compiler = Command::new("rustc").arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&compiler.stdout).into_owned();
    if version.starts_with(RECORDED) {
        programs.compile_fail("tests/compile_fail/*.rs");
    } else {
        println!("skipped: the messages are recorded for {RECORDED}x, this is {version}");
    }
    // If one program must pass, `trybuild` builds all of them instead of only checking them. Otherwise the
    // constants in functions, which refuse shapes that do not fit, would not be evaluated.
    programs.pass("tests/compile_fail/advice/*.rs");
}
