//! What users see.

mod command;

use std::fs;

#[test]
fn a_report_names_the_call_the_condition_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("sum.rs"),
        "use coarray::prelude::*;\n\nfn main() {\n    let me = this_image();\n    let mut sum = me;\n    if me == 0 {\n        co_sum(&mut sum);\n    }\n}\n",
    )
    .unwrap();
    let run = command::run(["check", "sum.rs"], folder.path());
    let expected = "\
error: not all images call co_sum here
 --> sum.rs:7:9
  |
4 |     let me = this_image();
  |              ---------- since it depends on this
...
6 |     if me == 0 {
  |        -- this differs among images
7 |         co_sum(&mut sum);
  |         ^^^^^^ only some images come here
  |
   = help: let all images make the call, or decide together: co_any, co_all and co_broadcast give all images the same

cargo coarray check: 1 function in 1 file, and 1 collective call in which images differ
";
    assert_eq!(
        (run.text.as_str(), run.code),
        (expected, Some(1)),
        "{}",
        run.errors
    );
}

#[test]
fn a_result_that_is_lost_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("lost.rs"),
        "use coarray::prelude::*;\n\nfn main() {\n    co_sum(&mut count());\n    let mut kept = 1;\n    co_sum(&mut kept);\n    co_gather(&kept, &mut [], 0);\n}\n",
    )
    .unwrap();
    let run = command::run(["check", "lost.rs"], folder.path());
    let expected = "\
warning: the result of co_sum is lost
 --> lost.rs:4:17
  |
4 |     co_sum(&mut count());
  |                 ^^^^^ this is gone when the call is over
  |
   = help: keep the value in a variable, or take what co_sum_of returns

cargo coarray check: 1 function in 1 file, and no collective call in which images differ, as far as can be seen, and 1 call whose result is lost
";
    assert_eq!((run.text.as_str(), run.code), (expected, Some(0)));
}

#[test]
fn a_program_without_a_mistake_is_said_to_be_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("all.rs"),
        "fn main() { coarray::sync_all() }",
    )
    .unwrap();
    let run = command::run(["check", "all.rs"], folder.path());
    let expected = "cargo coarray check: 1 function in 1 file, and no collective call in which images differ, as far as can be seen\n";
    assert_eq!((run.text.as_str(), run.code), (expected, Some(0)));
}

#[test]
fn one_package_is_looked_at_with_its_modules_and_targets() {
    let run = command::check(["--package", "coarray-examples"]);
    assert_eq!(command::calls(&run.text).len(), 2, "{}", run.text);
    assert!(
        run.text
            .ends_with("and 2 collective calls in which images differ\n"),
        "{}",
        run.text
    );
}

#[test]
fn the_book_shows_what_is_printed() {
    let run = command::check(["-p", "coarray-book"]);
    let first = run.text.split("\n\n").next().unwrap();
    let chapter = fs::read_to_string(command::workspace().join("book/src/debugging.md")).unwrap();
    assert!(
        chapter.contains(&format!("```text\n{first}\n```")),
        "{first}"
    );
}

#[test]
fn help_says_how_to_silence_it_and_what_it_exits_with() {
    for arguments in [
        &["coarray", "--help"][..],
        &["coarray", "check", "-h"],
        &["coarray"],
    ] {
        let run = command::run(arguments, command::workspace());
        assert_eq!(run.code, Some(0));
        for text in [
            "Usage: cargo coarray check",
            "coarray-check: allow",
            "Exit codes: 0",
            "--workspace",
        ] {
            assert!(run.text.contains(text), "{text}");
        }
    }
}

#[test]
fn bad_input_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("torn.rs"),
        "fn main() {\n    let x = ;\n}\n",
    )
    .unwrap();
    let cases: [(&[&str], &str); 8] = [
        (
            &["coarray", "chekc"],
            "cargo coarray: there is no command chekc: there is check; see cargo coarray --help\n",
        ),
        (
            &["check", "--verbose"],
            "cargo coarray: invalid option '--verbose'; see cargo coarray --help\n",
        ),
        (
            &["check", "-p"],
            "cargo coarray: missing argument for option '-p'; see cargo coarray --help\n",
        ),
        (
            &["check", "--workspace", "torn.rs"],
            "cargo coarray: files are looked at by themselves: without --package, --workspace and --manifest-path; see cargo coarray --help\n",
        ),
        (
            &["check", "none.rs"],
            "cargo coarray: cannot read none.rs: No such file or directory (os error 2)\n",
        ),
        (
            &["check", "torn.rs"],
            "cargo coarray: torn.rs:2:13: expected an expression\n",
        ),
        (
            &["check", "--manifest-path", "none.toml"],
            "cargo coarray: error: ",
        ),
        (
            &["check"],
            "cargo coarray: error: could not find `Cargo.toml`",
        ),
    ];
    for (arguments, expected) in cases {
        let run = command::run(arguments, folder.path());
        assert!(
            run.errors.starts_with(expected),
            "{arguments:?}: {}",
            run.errors
        );
        assert_eq!((run.code, run.text.as_str()), (Some(2), ""));
    }
    let run = command::check(["-p", "none"]);
    assert_eq!(
        run.errors,
        "cargo coarray: there is no package none in this workspace\n"
    );
    assert_eq!(run.code, Some(2));
}

#[test]
fn it_says_no_more_when_nobody_reads_it_any_more() {
    let (_, unread) = std::io::pipe().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-coarray"));
    let output = command.arg("--help").stdout(unread).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}
