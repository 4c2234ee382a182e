//! The programs `conform` and `conformance` as they are used.

use std::path::PathBuf;
use std::process::{Command, Output};

use coarray_conformance::clauses;
use testing::unread;

const CONFORM: &str = env!("CARGO_BIN_EXE_conform");
const CONFORMANCE: &str = env!("CARGO_BIN_EXE_conformance");

fn conform(arguments: &[&str]) -> Output {
    Command::new(CONFORM).args(arguments).output().unwrap()
}

/// What it printed, if it ended with this exit code.
#[track_caller]
fn text(output: Output, code: i32) -> String {
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    stdout + &stderr
}

#[test]
fn all_clauses_hold_on_threads() {
    let table = text(conform(&["--fabrics", "threads", "--images", "2"]), 0);
    assert!(table.contains("all is as promised"), "{table}");
    for clause in clauses::all() {
        assert!(table.contains(&format!(" {} ", clause.id)), "{table}");
    }
}

#[test]
fn all_clauses_hold_on_processes() {
    let table = text(conform(&["--fabrics", "processes", "--images", "3"]), 0);
    assert!(table.contains("all is as promised"), "{table}");
}

#[test]
#[cfg(feature = "simulated")]
fn networks_that_are_broken_are_noticed_by_the_right_clauses() {
    let told = text(conform(&["--broken", "--only", "3,5,6.6,6.7"]), 0);
    assert_eq!(
        told.lines().filter(|line| line.starts_with("ok ")).count(),
        5,
        "{told}"
    );
}

#[test]
fn ids_are_in_order_and_promises_are_sentences() {
    for section in clauses::SECTIONS {
        for (number, clause) in (1..).zip(section.clauses) {
            assert_eq!(clause.id, format!("{}.{number}", section.number));
            let promise = clause.promise;
            assert!(promise.len() > 20 && !promise.ends_with('.'), "{promise}");
        }
    }
}

#[test]
fn a_fabric_that_is_not_there_has_a_reason_below_the_table() {
    let mut command = Command::new(CONFORM);
    command.args(["--fabrics", "threads,mpi", "--images", "1", "--only", "1.1"]);
    command.env("CONFORMANCE_MPIRUN", "no-such-launcher");
    let table = text(command.output().unwrap(), 0);
    let row = table.lines().find(|line| line.contains(" 1.1 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().rev().take(2).collect();
    assert_eq!(cells, ["-", "ok"], "{table}");
    assert!(table.contains("- mpi: "), "{table}");

    command.args(["--require", "mpi"]);
    let table = text(command.output().unwrap(), 1);
    assert!(table.contains("mpi is required"), "{table}");
}

#[test]
fn it_ends_without_a_word_when_nobody_reads_it_any_more() {
    let mut command = Command::new(CONFORM);
    let output = command.arg("--help").stdout(unread()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(!output.status.success());
}

#[test]
fn bad_command_lines_are_told_what_is_wrong() {
    for (arguments, words) in [
        (
            ["--fabrics", "smoke"],
            "there is no fabric smoke; there are threads",
        ),
        (["--images", "0"], "--images 0: expected a number"),
        (["--limit", "long"], "--limit long: expected a number"),
        (
            ["--broken", "--only"],
            "missing argument for option '--only'",
        ),
        (["--only", "99"], "there is no clause or section 99"),
        (["--faster", "1"], "invalid option '--faster'"),
    ] {
        let told = text(conform(&arguments), 2);
        assert!(told.contains(words), "{told}");
    }
    let mut command = Command::new(CONFORMANCE);
    command.args(["--only", "99"]).env("COARRAY_IMAGES", "2");
    let told = text(command.output().unwrap(), 2);
    assert!(told.contains("there is no clause or section 99"), "{told}");
}

/// A program in the place of `conformance`.
fn script(name: &str, lines: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    testing::script(&path, lines);
    path
}

/// The end of a table of section 1 on threads, of that program.
#[track_caller]
fn table_of(program: PathBuf, only: &str) -> String {
    let mut command = Command::new(CONFORM);
    command.args(["--fabrics", "threads", "--images", "2", "--limit", "1"]);
    command.args(["--only", only, "--conformance"]).arg(program);
    text(command.output().unwrap(), 1)
}

#[test]
fn a_clause_that_fails_is_in_the_table_with_what_was_seen() {
    let program = script(
        "fails",
        "echo 1.1 ok; echo '1.2 FAILED image 1: too few'; echo 1.3 ok",
    );
    let table = table_of(program, "1.1,1.2,1.3");
    let cell = |id: &str| {
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!(" {id} ")));
        row.unwrap().split_whitespace().last().unwrap().to_string()
    };
    assert_eq!(
        [cell("1.1"), cell("1.2"), cell("1.3")],
        ["ok", "FAIL", "ok"],
        "{table}"
    );
    let why = "1.2 on threads with 2 images: image 1: too few";
    assert!(table.contains(why), "{table}");
}

#[test]
fn a_clause_that_ends_the_job_does_not_stop_the_others() {
    // Told to try 1.1 and others it dies in the second; told of the rest only it goes on.
    let program = script(
        "dies",
        "case \"$4\" in 1.1*) echo 1.1 ok; echo broken >&2; exit 5;; *) echo 1.3 ok;; esac",
    );
    let table = table_of(program, "1.1,1.2,1.3");
    let why = "1.2 on threads with 2 images: ended the job with exit code 5; it said: broken";
    assert!(table.contains(why), "{table}");
    assert_eq!(
        table.matches(" on threads with 2 images: ").count(),
        1,
        "{table}"
    );
}

#[test]
fn a_job_that_hangs_is_ended() {
    let table = table_of(script("hangs", "sleep 1000 & wait"), "1.1,1.5");
    let why = " on threads with 2 images: had not ended after 1 s";
    assert_eq!(table.matches(why).count(), 2, "{table}");
}
