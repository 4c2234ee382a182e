//! Programs built with `panic = "abort"`: nothing can be unwound, and the reports and exit codes are still there.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Builds the mistakes of the book so that panics abort.
fn build() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("abort");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "-p", "coarray-book"])
        .args(["--example", "mistakes"])
        .args(["--config", "profile.dev.panic=\"abort\""])
        .arg("--target-dir")
        .arg(&folder)
        .status()
        .unwrap();
    assert!(built.success());
    folder.join("debug/examples/mistakes")
}

#[test]
fn reports_and_exit_codes_are_kept() {
    let program = build();
    let run = |fabric: &str, name: &str| -> (Option<i32>, String) {
        // A core dump would be large, and nobody wants it.
        let Output { status, stderr, .. } = Command::new("sh")
            .args(["-c", "ulimit -c 0; \"$0\" \"$1\"; exit $?"])
            .arg(&program)
            .arg(name)
            .env("COARRAY_FABRIC", fabric)
            .env("COARRAY_IMAGES", "4")
            .env("COARRAY_HEAP", "64M")
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap();
        (status.code(), String::from_utf8(stderr).unwrap())
    };
    for fabric in ["processes", "threads"] {
        for (name, code, report) in [
            ("stop", 7, "coarray: image 3 called error_stop(7) at "),
            ("panic", 134, "coarray: image 3 panicked at "),
            ("in_a_branch", 1, "are in different collective operations"),
            ("missed_post", 1, "coarray: deadlock: no image can go on"),
        ] {
            let (found, words) = run(fabric, name);
            assert_eq!(found, Some(code), "{fabric}, {name}: {words}");
            let told = words.matches(report).count();
            assert_eq!(told, 1, "{fabric}, {name}: {words}");
        }
    }
    let (code, words) = run("processes", "failure");
    assert_eq!(code, Some(1), "{words}");
    let report = "coarray: image 2 returned a failure from its main function";
    assert!(words.contains(report), "{words}");
}
