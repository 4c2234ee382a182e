//! The whole programs of the book, as their readers start them.

use std::process::Command;

/// What every form of the automaton prints, on any number of images.
const CHANGED: &str = "generation 200: 52925 of 57600 cells changed";

/// On how many images the correct forms are tried.
const IMAGES: [usize; 5] = [1, 2, 3, 4, 7];

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
        .env_remove("COARRAY_FAULT_TOLERANT")
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

#[test]
fn every_image_says_hello_once() {
    let mut lines = printed(program("hello_images", 7));
    lines.sort();
    let expected = (0..7).map(|me| {
        let rows = me * 240 / 7..(me + 1) * 240 / 7;
        format!("image {me} of 7: rows {rows:?}")
    });
    assert!(lines.into_iter().eq(expected));
}

#[test]
fn labels_say_who_printed_a_line() {
    let mut command = program("hello_images", 12);
    command.env("COARRAY_LABEL", "1");
    let lines = printed(command);
    assert_eq!(lines.len(), 12);
    for line in lines {
        let (label, rest) = line.split_once("] image ").unwrap();
        let (image, _) = rest.split_once(" of 12").unwrap();
        assert_eq!(label, format!("[{image:>2}"));
    }
}

#[test]
fn bands_without_halos_are_wrong_as_the_book_says() {
    let table = [(1, 52925), (2, 52742), (3, 52090), (4, 51347), (7, 51366)];
    for (images, changed) in table {
        let lines = printed(program("cyclic_bands", images));
        let expected = format!("generation 200: {changed} of 57600 cells changed");
        assert_eq!(lines, [expected], "{images} images");
    }
}

#[test]
fn halos_make_bands_right() {
    for images in IMAGES {
        let lines = printed(program("cyclic_halos", images));
        assert_eq!(lines, [CHANGED], "{images} images");
    }
}

#[test]
fn neighbours_that_wait_for_each_other_only_get_it_right() {
    for images in IMAGES {
        let lines = printed(program("cyclic_events", images));
        assert_eq!(lines, [CHANGED], "{images} images");
    }
}

#[test]
fn images_that_draw_rows_count_all_cells_whoever_draws_which() {
    let alone = printed(program("cyclic_states", 1));
    assert_eq!(alone.first().unwrap(), "state  0: 4644 cells");
    assert_eq!(alone.last().unwrap(), "all: 57600 cells");
    for images in IMAGES {
        let lines = printed(program("cyclic_states", images));
        assert_eq!(lines, alone, "{images} images");
    }
}

#[test]
fn the_picture_that_is_gathered_is_that_of_the_serial_program() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |name: &str, images: usize| {
        let path = folder.path().join(format!("{name}{images}.png"));
        let mut command = program(name, images);
        command.arg(&path);
        assert_eq!(printed(command), [CHANGED], "{name} on {images} images");
        std::fs::read(path).unwrap()
    };
    let serial = drawn("cyclic_serial", 1);
    for images in IMAGES {
        assert!(
            drawn("cyclic_collective", images) == serial,
            "{images} images"
        );
    }
}

#[test]
fn translations_print_what_the_book_says() {
    for images in [1, 2, 3, 4, 8] {
        let lines = printed(program("rule30_from_fortran", images));
        assert_eq!(
            lines,
            ["generation 100: 103 cells are 1"],
            "{images} images"
        );
    }
    for images in IMAGES {
        let lines = printed(program("histogram_from_mpi", images));
        let expected = ["60000 numbers, 238 in the fullest of 1000 bins"];
        assert_eq!(lines, expected, "{images} images");
    }
}

#[test]
fn two_teams_find_the_numbers_of_two_seeds() {
    assert_eq!(printed(program("cyclic_teams", 1)), [CHANGED]);
    for images in [2, 3, 4, 7] {
        let lines = printed(program("cyclic_teams", images));
        let expected = [CHANGED, "with seed 2: 54899 of 57600 cells changed"];
        assert_eq!(lines, expected, "{images} images");
    }
}

#[test]
fn overlap_grids_and_files_change_nothing() {
    for name in ["cyclic_overlap", "cyclic_grid", "cyclic"] {
        for images in IMAGES {
            let lines = printed(program(name, images));
            assert_eq!(lines, [CHANGED], "{name} on {images} images");
        }
    }
}

#[test]
fn the_picture_from_a_grid_is_that_of_the_serial_program() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = [("cyclic_serial", 1), ("cyclic_grid", 6)].map(|(name, images)| {
        let path = folder.path().join(name);
        let mut command = program(name, images);
        command.arg(&path);
        printed(command);
        std::fs::read(path).unwrap()
    });
    assert!(pictures[0] == pictures[1]);
}

#[test]
fn survivors_go_on_from_the_checkpoint() {
    for images in IMAGES {
        let folder = tempfile::tempdir().unwrap();
        let mut command = program("cyclic_survivor", images);
        let output = command.current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let news = format!("generation 100: {} of {images} images go on", images - 1);
        let out = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        let err = String::from_utf8(output.stderr).unwrap();
        if images == 1 {
            assert_eq!((lines, err.as_str()), (vec![CHANGED], ""));
        } else {
            assert_eq!(lines, [news.as_str(), CHANGED]);
            assert!(
                err.contains("was killed by signal 9 (SIGKILL); the other images go on"),
                "{err}"
            );
        }
        assert_eq!(
            std::fs::read_dir(&folder).unwrap().count(),
            0,
            "checkpoints are left"
        );
    }
}
