//! The whole programs of the book, as their readers start them.

use std::process::Command;

/// What every form of the automaton prints, on any number of images.
const CHANGED: &str = "generation 200: 52925 of 57600 cells changed";

/// A program of the book, which `cargo test` builds with the tests.
fn program(name: &str, images: usize) -> Command {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.ancestors().nth(2).unwrap().join("examples");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing: cargo build -p coarray-book --examples",
        program.display()
    );
    let mut command = Command::new(program);
    command
        .env("COARRAY_IMAGES", images.to_string())
        .env_remove("COARRAY_KEEP_GOING")
        .env_remove("COARRAY_FABRIC");
    command
}

/// The lines of stdout of a job that ends well. Lines of different images come in any order.
#[track_caller]
fn printed(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_serial_automaton_changes_as_many_cells_as_the_book_says() {
    assert_eq!(printed(program("cyclic_serial", 1)), [CHANGED]);
}
