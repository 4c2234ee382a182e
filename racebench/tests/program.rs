//! The program `racebench` as it is used.

use std::process::Command;

/// What it prints, if it ends with this exit code.
#[track_caller]
fn text(arguments: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racebench"));
    let output = command.args(arguments).output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    stdout + &stderr
}

#[test]
fn the_table_has_the_groups_and_the_scores_of_others() {
    let told = text(
        &[
            "--case",
            "puts_of_two_images",
            "--runs",
            "3",
            "--images",
            "2,4",
        ],
        0,
    );
    let row = |name: &str| {
        let row = told.lines().find(|line| line.starts_with(name)).unwrap();
        row.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("conflict"), "0 1 6 0 0 0 1.00 1.00 1.00");
    assert_eq!(row("sync"), "0 0 0 0 0 0 - - -");
    assert_eq!(row("all"), row("conflict"));
    assert!(row("RMASanitizer, OpenSHMEM").ends_with("0.98 0.94 0.95"));
    assert!(told.contains("all is as marked") && told.contains("The programs are not the same."));
}

#[test]
fn the_list_has_both_lines_of_each_race() {
    let told = text(&["--list"], 0);
    let line = |name: &str| {
        let line = told.lines().find(|line| line.trim().starts_with(name));
        line.unwrap()
            .split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("gets_of_one_value "), "clean");
    let racy = line("put_and_put_by_the_owner ");
    assert!(
        racy.starts_with("put at ") && racy.ends_with(" in racebench/src/cases/conflict/words.rs")
    );
    assert_eq!(racy.matches("put at ").count(), 2, "{racy}");
    assert!(line("put_before_the_lock ").ends_with(", in some runs"));
}

#[test]
fn bad_command_lines_are_told_what_is_wrong() {
    for (arguments, words) in [
        (["--runs", "0"], "--runs 0: expected a number of at least 1"),
        (
            ["--images", "2,9"],
            "--images 9: expected numbers from 2 to 8",
        ),
        (["--case", "none"], "there is no case none"),
        (["--faster", "1"], "invalid option '--faster'"),
    ] {
        let told = text(&arguments, 2);
        assert!(told.contains(words), "{told}");
    }
    assert!(text(&["--help"], 0).contains("--without-check"));
}
