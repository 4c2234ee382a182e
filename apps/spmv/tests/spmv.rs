//! The program `spmv` as its users start it, against products computed here, and against known eigenvalues.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use program::random;
use testing::programs::*;

/// Options for a short run.
const SHORT: [&str; 2] = ["--laplacian", "5x5"];

/// Entries by row and column from 0, as the program must understand the file.
type Entries = Vec<(usize, usize, f64)>;

const FIELDS: [&str; 3] = ["real", "integer", "pattern"];

/// Random numbers.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut number = 0;
    move |below| {
        number += 1;
        (random::bits(seed, number) % below as u64) as usize
    }
}

/// Writes a random matrix in which two rows of three, and the last, are empty or nearly so, and one is full.
fn write_matrix(path: &Path, field: &str, symmetric: bool, rows: usize) -> Entries {
    let mut random = numbers(rows as u64 + symmetric as u64);
    let mut lines = String::new();
    let (mut entries, mut count) = (Entries::new(), 0);
    for row in 0..rows - 1 {
        let length = match row % 3 {
            0 => 1 + random(6),
            _ if row == rows / 2 => rows,
            _ => 0,
        };
        let mut columns: Vec<usize> = (0..length).map(|_| random(rows)).collect();
        columns.sort_unstable();
        columns.dedup();
        // Out of order, as in a file.
        columns.reverse();
        for column in columns
            .into_iter()
            .filter(|&column| !symmetric || column <= row)
        {
            let value = match field {
                "real" => random(2000) as f64 / 7.0 - 100.0,
                "integer" => random(200) as f64 - 100.0,
                _ => 1.0,
            };
            count += 1;
            write!(lines, "{} {}", row + 1, column + 1).unwrap();
            match field {
                "pattern" => lines.push('\n'),
                _ => writeln!(lines, " {value:?}").unwrap(),
            }
            entries.push((row, column, value));
            if symmetric && row != column {
                entries.push((column, row, value));
            }
        }
    }
    if field == "integer" {
        lines = lines.replace(".0", "");
    }
    let symmetry = if symmetric { "symmetric" } else { "general" };
    let head = format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n% a comment\n\n");
    std::fs::write(path, format!("{head}{rows} {rows} {count}\n{lines}")).unwrap();
    entries
}

fn read_vector(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("%%MatrixMarket matrix array real general")
    );
    let size = lines.next().unwrap();
    let values: Vec<f64> = lines.map(|line| line.parse().unwrap()).collect();
    assert_eq!(size, format!("{} 1", values.len()));
    values
}

#[test]
fn products_are_those_of_a_serial_loop_on_any_number_of_images() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| -> PathBuf { directory.path().join(name) };
    for (field, symmetric) in FIELDS.map(|field| [(field, false), (field, true)]).concat() {
        let rows = 97;
        let matrix = file("matrix.mtx");
        let entries = write_matrix(&matrix, field, symmetric, rows);
        let mut expected = vec![0.0; rows];
        let mut magnitude = vec![0.0; rows];
        for &(row, column, value) in &entries {
            let term = value * (column % 10 + 1) as f64;
            expected[row] += term;
            magnitude[row] += f64::abs(term);
        }
        for images in IMAGES {
            let output = file("product.mtx");
            let arguments = [
                matrix.to_str().unwrap(),
                "--compute",
                "product",
                "--iterations",
                "50",
                "--check",
                "--output",
                output.to_str().unwrap(),
            ];
            let fabric = if images % 2 == 0 {
                "processes"
            } else {
                "threads"
            };
            let text = printed_on(fabric, images, "spmv", &arguments);
            assert!(
                text.starts_with(&format!(
                    "matrix: {rows} rows, {} nonzeros\n",
                    entries.len()
                )),
                "{text}"
            );
            for (row, y) in read_vector(&output).into_iter().enumerate() {
                let error = (y - expected[row]).abs();
                // Sums of integers are exact, in whatever order.
                let tolerance = if field == "real" {
                    1e-14 * magnitude[row]
                } else {
                    0.0
                };
                assert!(
                    error <= tolerance,
                    "{field}, {images} images, row {row}: {error}"
                );
            }
        }
    }
}

#[test]
fn largest_eigenvalues_are_the_known_ones() {
    let petersen = format!("{}/petersen.mtx", env!("CARGO_MANIFEST_DIR"));
    for images in IMAGES {
        for fabric in ["processes", "threads"] {
            let arguments = [&petersen, "--compute", "eigenvalue", "--tolerance", "1e-9"];
            let eigenvalue = number(
                &printed_on(fabric, images, "spmv", &arguments),
                "eigenvalue",
            );
            assert!((eigenvalue - 3.0).abs() < 1e-11, "{eigenvalue}");
        }
        let arguments = ["--laplacian", "3x4x5", "--compute", "eigenvalue"];
        let text = printed(images, "spmv", &arguments);
        let known: f64 = [3.0, 4.0, 5.0]
            .map(|n: f64| 4.0 * (n * std::f64::consts::FRAC_PI_2 / (n + 1.0)).sin().powi(2))
            .iter()
            .sum();
        assert!((number(&text, "known eigenvalue") - known).abs() < 1e-11);
        assert!(
            (number(&text, "eigenvalue") - known).abs() < 1e-11,
            "{text}"
        );
    }
}

#[test]
fn solutions_are_found_with_and_without_overlap() {
    for images in IMAGES {
        for extra in [&[][..], &["--no-overlap"]] {
            let arguments = [
                &["--laplacian", "15x20", "--tolerance", "1e-10", "--check"],
                extra,
            ];
            let text = printed(images, "spmv", &arguments.concat());
            assert!(number(&text, "residual") < 1e-10, "{text}");
            assert!(number(&text, "error") < 1e-8, "{text}");
            assert!(line(&text, "rate").contains(" GFlop/s"), "{text}");
            for share in ["communicating", "waiting"] {
                let share = number(&text, share);
                assert!((0.0..=100.0).contains(&share), "{text}");
            }
        }
    }
}

#[test]
fn malformed_matrices_are_refused_with_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let cases = [
        (String::new(), ":0: the file is empty"),
        ("%%MatrixMarkt\n".into(), ":1: not a Matrix Market file"),
        (head.replace("coordinate", "array"), ":1: format 'array'"),
        (head.replace("real", "complex"), ":1: field 'complex'"),
        (
            head.replace("general", "hermitian"),
            ":1: symmetry 'hermitian'",
        ),
        (
            format!("{head}% only a comment\n"),
            ":2: the file ends before",
        ),
        (format!("{head}3 3\n"), ":2: '3 3': expected the size line"),
        (format!("{head}3 4 1\n1 1 1\n"), ":2: only square matrices"),
        (format!("{head}0 0 0\n"), ":2: the matrix has no rows"),
        (
            format!("{head}99999999999 99999999999 0\n"),
            ":2: 99999999999 rows",
        ),
        (
            format!("{head}3 3 2\n\n1 1 1\n"),
            ":4: the file ends after 1 of the 2",
        ),
        (
            format!("{head}3 3 1\n1 1 1\n2 2 2\n"),
            ":4: one more entry than the 1",
        ),
        (
            format!("{head}3 3 1\n4 1 1\n"),
            ":3: row 4 is not one of 1 to 3",
        ),
        (
            format!("{head}3 3 1\n1 0 1\n"),
            ":3: column 0 is not one of 1 to 3",
        ),
        (
            format!("{head}3 3 1\n1 1\n"),
            ":3: '1 1': expected an entry",
        ),
        (
            format!("{head}3 3 1\n1 1 nan\n"),
            ":3: value 'nan' is not a finite",
        ),
        (
            format!("{}3 3 1\n1 1 1.5\n", head.replace("real", "integer")),
            ":3: value '1.5' is not an integer",
        ),
        (
            format!("{}3 3 1\n1 2 1\n", head.replace("general", "symmetric")),
            ":3: entry (1, 2) is above the diagonal",
        ),
    ];
    for (index, (text, message)) in cases.iter().enumerate() {
        let path = directory.path().join("bad.mtx");
        std::fs::write(&path, text).unwrap();
        let told = refusal(1 + index % 3, "spmv", &[path.to_str().unwrap()]);
        assert!(
            told.contains(&format!("bad.mtx{message}")),
            "{message}: {told}"
        );
    }
}

#[test]
fn command_lines_that_cannot_be_followed_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let negative = directory.path().join("negative.mtx");
    let text = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 2\n2 2 -1\n";
    std::fs::write(&negative, text).unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["missing.mtx"], "missing.mtx: cannot read"),
        (&["--laplacian", "3x0"], "--laplacian 3x0"),
        (&["--laplacian", "99999x99999"], "--laplacian 99999x99999"),
        (&["--laplacian", "3", "a.mtx"], "'a.mtx'"),
        (&["--compute", "magic"], "--compute magic"),
        (&["--tolerance"], "--tolerance"),
        (&["--quiet=3"], "--quiet"),
        (
            &["--laplacian", "3", "--output", "/nowhere/at/all/x.mtx"],
            "/nowhere/at/all/x.mtx",
        ),
    ];
    for images in [1, 3] {
        for (arguments, message) in cases {
            let told = refusal(images, "spmv", arguments);
            assert!(told.contains(message), "{told}");
        }
        let told = told(2, "spmv", program(images, "spmv").arg(&negative));
        assert!(told.contains("not positive definite"), "{told}");
    }
}

#[test]
fn help_is_printed_once() {
    assert_prints_help_once("spmv");
}

#[test]
fn it_writes_what_it_is_told_to_write_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = concat!(env!("CARGO_MANIFEST_DIR"), "/petersen.mtx");
    let product = ["--compute", "product"];
    assert_leaves_no_file(folder.path(), "spmv", &SHORT);
    assert_takes_any_file_name(folder.path(), "spmv", &product, Some(matrix), "--output");
    assert_tells_of_a_full_disk("spmv", &SHORT, "--output");
}

#[test]
fn words_that_are_no_unicode_are_refused_as_others_are() {
    assert_refuses_what_is_no_unicode("spmv");
}

#[test]
fn matrices_beyond_the_memory_of_the_machine_are_refused_before_they_are_allocated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.mtx");
    let matrix = "%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 1\n1 1 1\n";
    std::fs::write(&path, matrix).unwrap();
    // Rows are numbered in 32 bits: some machines have room for all of them.
    if coarray::machine::available_memory().is_none_or(|bytes| bytes > 90 << 30) {
        return;
    }
    for images in [1, 3] {
        let told = refusal(images, "spmv", &[path.to_str().unwrap()]);
        assert!(told.contains("wide.mtx takes "), "{told}");
        let told = refusal(images, "spmv", &["--laplacian", "65535x65535"]);
        assert!(told.contains("--laplacian 65535x65535 takes "), "{told}");
    }
}
