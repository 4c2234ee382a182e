//! The program `heat` as its users start it, against a serial loop and the known decay of a sine wave.

use std::f64::consts::PI;
use std::io::BufReader;

use program::checksum;
use testing::programs::*;

/// Options for a short run.
const SHORT: [&str; 4] = ["--size", "20x20", "--steps", "3"];

/// What the program must print after `checksum: `, for a plate that starts as a sine.
fn serial_checksum([rows, columns]: [usize; 2], steps: usize, diffusion: f64) -> String {
    let wave = |index: usize, cells: usize| (PI * index as f64 / (cells + 1) as f64).sin();
    // With the edges around it, which stay at 0.
    let at = |row: usize, column: usize| row * (columns + 2) + column;
    let mut now = vec![0.0; (rows + 2) * (columns + 2)];
    for row in 1..=rows {
        for column in 1..=columns {
            now[at(row, column)] = wave(row, rows) * wave(column, columns);
        }
    }
    for _ in 0..steps {
        let mut next = now.clone();
        for row in 1..=rows {
            for column in 1..=columns {
                let vertical = now[at(row - 1, column)] + now[at(row + 1, column)];
                let horizontal = now[at(row, column - 1)] + now[at(row, column + 1)];
                let here = now[at(row, column)];
                let around = vertical + horizontal;
                next[at(row, column)] = here + diffusion * (around - 4.0 * here);
            }
        }
        now = next;
    }
    let value = |cell: usize| now[at(cell / columns + 1, cell % columns + 1)];
    let cells = (0..rows * columns).map(|cell| checksum::of_cell(cell, value(cell)));
    format!("{:016x}", cells.fold(0, u64::wrapping_add))
}

#[test]
fn every_bit_is_that_of_a_serial_loop_on_any_number_of_images() {
    for size in [[37, 29], [1, 50], [50, 1]] {
        let expected = serial_checksum(size, 60, 0.2);
        let text = format!("{}x{}", size[0], size[1]);
        for images in IMAGES {
            for (fabric, extra) in [("processes", &[][..]), ("threads", &["--no-overlap"])] {
                let arguments = [
                    &["--size", &text, "--steps", "60", "--start", "sine"],
                    extra,
                ];
                let printed = printed_on(fabric, images, "heat", &arguments.concat());
                assert_eq!(
                    line(&printed, "checksum"),
                    expected,
                    "{text}, {images} images, {fabric}"
                );
            }
        }
    }
}

#[test]
fn overlap_changes_nothing_but_the_time() {
    let arguments = ["--size", "61x40", "--steps", "200"];
    let expected = printed(1, "heat", &arguments);
    for images in IMAGES {
        for extra in [&[][..], &["--no-overlap"]] {
            let printed = printed(images, "heat", &[&arguments, extra].concat());
            assert_eq!(line(&printed, "checksum"), line(&expected, "checksum"));
            assert!(number(&printed, "rate") > 0.0);
            for share in ["communicating", "waiting"] {
                assert!(
                    (0.0..=100.0).contains(&number(&printed, share)),
                    "{printed}"
                );
            }
        }
    }
}

#[test]
fn a_sine_decays_as_it_must() {
    // The scheme is of second order: cells of half the size have a quarter of the error.
    let error = |cells: usize, steps: usize| {
        let size = format!("{cells}x{cells}");
        let steps = steps.to_string();
        let arguments = ["--size", &size, "--steps", &steps, "--start", "sine"];
        let printed = printed(4, "heat", &arguments);
        let (found, known) = (
            number(&printed, "amplitude"),
            number(&printed, "analytic amplitude"),
        );
        assert!(known < 0.6, "the wave has decayed: {printed}");
        (found - known).abs() / known
    };
    let (coarse, fine) = (error(31, 250), error(63, 1000));
    assert!(coarse < 1.2e-3 && fine < coarse / 3.5, "{coarse} {fine}");
}

#[test]
fn pictures_are_the_same_on_any_number_of_images() {
    let folder = tempfile::tempdir().unwrap();
    let picture = written(
        folder.path(),
        "heat",
        "--png",
        &["--size", "60x90", "--steps", "100"],
    );
    let decoder = png::Decoder::new(BufReader::new(std::io::Cursor::new(&picture)));
    let info = decoder.read_info().unwrap();
    assert!(info.info().width > 720 && info.info().height > 480);
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let cases: [(&[&str], &str); 9] = [
        (&["--size", "3"], "--size 3"),
        (&["--size", "0x5"], "--size 0x5"),
        (&["--size", "3x3x3"], "--size 3x3x3"),
        (&["--steps", "-1"], "--steps -1"),
        (&["--diffusion", "0.26"], "--diffusion 0.26"),
        (&["--diffusion", "nan"], "--diffusion nan"),
        (&["--start", "end"], "--start end"),
        (&["plate.png"], "plate.png"),
        (
            &["--png", "/nowhere/at/all/plate.png"],
            "/nowhere/at/all/plate.png",
        ),
    ];
    assert_refuses("heat", &cases);
    assert!(refusal(7, "heat", &["--size", "6x6"]).contains("7 images"));
}

#[test]
fn help_is_printed_once() {
    assert_prints_help_once("heat");
}

#[test]
fn it_writes_what_it_is_told_to_write_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    assert_leaves_no_file(folder.path(), "heat", &SHORT);
    assert_takes_any_file_name(folder.path(), "heat", &SHORT, None, "--png");
    assert_tells_of_a_full_disk("heat", &SHORT, "--png");
}

#[test]
fn what_it_cannot_do_is_refused() {
    assert_refuses_what_is_no_unicode("heat");
    assert_refuses_what_is_too_large("heat", &["--size", "1048576x1048576"]);
}
