//! The whole programs of the book, as their readers start them.

use std::process::Command;

use testing::programs::program;

/// What every form of the automaton prints, on any number of images.
const CHANGED: &str = "generation 200: 52925 of 57600 cells changed";

/// On how many images the correct forms are tried.
const IMAGES: [usize; 5] = [1, 2, 3, 4, 7];

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
    assert_eq!(printed(program(1, "cyclic_serial")), [CHANGED]);
}

#[test]
fn every_image_says_hello_once() {
    let mut lines = printed(program(7, "hello_images"));
    lines.sort();
    let expected = (0..7).map(|me| {
        let rows = me * 240 / 7..(me + 1) * 240 / 7;
        format!("image {me} of 7: rows {rows:?}")
    });
    assert!(lines.into_iter().eq(expected));
}

#[test]
fn labels_say_who_printed_a_line() {
    let mut command = program(12, "hello_images");
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
fn pairs_are_as_many_however_much_is_repaired() {
    let pairs = |images, repaired: usize| {
        let mut command = program(images, "near_pairs");
        command.arg(repaired.to_string());
        printed(command)
    };
    let expected = ["11032 pairs were near each other in 20 steps"];
    for images in IMAGES {
        for repaired in 0..=3 {
            assert_eq!(
                pairs(images, repaired),
                expected,
                "{images} images, {repaired}"
            );
        }
    }
}

#[test]
fn edges_arrive_number_by_number_and_at_once() {
    for images in IMAGES {
        for way in ["numbers", "column"] {
            let mut command = program(images, "edges");
            command.arg(way);
            let mut lines = printed(command);
            lines.sort_unstable();
            let expected = (0..images).map(|image| format!("image {image}: the edge has come"));
            assert_eq!(lines, Vec::from_iter(expected), "{images} images, {way}");
        }
    }
}

#[test]
fn bands_without_halos_are_wrong_as_the_book_says() {
    let table = [(1, 52925), (2, 52742), (3, 52090), (4, 51347), (7, 51366)];
    for (images, changed) in table {
        let lines = printed(program(images, "cyclic_bands"));
        let expected = format!("generation 200: {changed} of 57600 cells changed");
        assert_eq!(lines, [expected], "{images} images");
    }
}

#[test]
fn halos_make_bands_right() {
    for images in IMAGES {
        let lines = printed(program(images, "cyclic_halos"));
        assert_eq!(lines, [CHANGED], "{images} images");
    }
}

#[test]
fn neighbours_that_wait_for_each_other_only_get_it_right() {
    for images in IMAGES {
        let lines = printed(program(images, "cyclic_events"));
        assert_eq!(lines, [CHANGED], "{images} images");
    }
}

#[test]
fn images_that_draw_rows_count_all_cells_whoever_draws_which() {
    let alone = printed(program(1, "cyclic_states"));
    assert_eq!(alone.first().unwrap(), "state  0: 4644 cells");
    assert_eq!(alone.last().unwrap(), "all: 57600 cells");
    for images in IMAGES {
        let lines = printed(program(images, "cyclic_states"));
        assert_eq!(lines, alone, "{images} images");
    }
}

#[test]
fn the_picture_that_is_gathered_is_that_of_the_serial_program() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |name: &str, images: usize| {
        let path = folder.path().join(format!("{name}{images}.png"));
        let mut command = program(images, name);
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
        let lines = printed(program(images, "rule30_from_fortran"));
        assert_eq!(
            lines,
            ["generation 100: 103 cells are 1"],
            "{images} images"
        );
    }
    for images in IMAGES {
        let lines = printed(program(images, "histogram_from_mpi"));
        let expected = ["60000 numbers, 238 in the fullest of 1000 bins"];
        assert_eq!(lines, expected, "{images} images");
    }
}

#[test]
fn two_teams_find_the_numbers_of_two_seeds() {
    assert_eq!(printed(program(1, "cyclic_teams")), [CHANGED]);
    for images in [2, 3, 4, 7] {
        let lines = printed(program(images, "cyclic_teams"));
        let expected = [CHANGED, "with seed 2: 54899 of 57600 cells changed"];
        assert_eq!(lines, expected, "{images} images");
    }
}

#[test]
fn overlap_grids_and_files_change_nothing() {
    for name in ["cyclic_overlap", "cyclic_grid", "cyclic"] {
        for images in IMAGES {
            let lines = printed(program(images, name));
            assert_eq!(lines, [CHANGED], "{name} on {images} images");
        }
    }
}

#[test]
fn the_picture_from_a_grid_is_that_of_the_serial_program() {
    let folder = tempfile::tempdir().unwrap();
    let pictures = [("cyclic_serial", 1), ("cyclic_grid", 6)].map(|(name, images)| {
        let path = folder.path().join(name);
        let mut command = program(images, name);
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
        let mut command = program(images, "cyclic_survivor");
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
