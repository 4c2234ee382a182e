//! The kernels, and `cobench kernels`, as their users start them. Nothing is said about how fast anything is.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use testing::script;

/// The kernels, each with parameters that images do not divide evenly. Where updates may be lost, tables are so large that
/// few are.
const KERNELS: [(&str, &[&str]); 9] = [
    (
        env!("CARGO_BIN_EXE_prk-stencil"),
        &["1 8", "3 37", "10 100"],
    ),
    (
        env!("CARGO_BIN_EXE_prk-p2p"),
        &["1 5 2", "3 37 11", "4 11 37"],
    ),
    (
        env!("CARGO_BIN_EXE_prk-transpose"),
        &["1 4", "3 37", "2 101 7", "2 33 1000"],
    ),
    (
        env!("CARGO_BIN_EXE_prk-nstream"),
        &["1 4", "3 1001", "5 1000 33"],
    ),
    (
        env!("CARGO_BIN_EXE_prk-random"),
        &["18 8 64", "13 3 4 1", "2 64 8 1"],
    ),
    (env!("CARGO_BIN_EXE_hpcc-randomaccess"), &["2", "11", "18"]),
    (
        env!("CARGO_BIN_EXE_life-torus"),
        &["1 9 8", "3 37 11", "7 20 300"],
    ),
    (
        env!("CARGO_BIN_EXE_bale-histogram"),
        &["101 1", "1001 7", "100000 1000"],
    ),
    (
        env!("CARGO_BIN_EXE_bale-gather"),
        &["101 1", "1001 7", "100000 1000"],
    ),
];

fn run(program: &str, line: &str, images: usize, fabric: &str) -> Output {
    Command::new(program)
        .args(line.split_whitespace())
        .env("COARRAY_IMAGES", images.to_string())
        .env("COARRAY_FABRIC", fabric)
        .env("COARRAY_HEAP", "256M")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The number after `before` in a line.
fn number_after(line: &str, before: &str) -> f64 {
    let (_, rest) = line.split_once(before).unwrap_or_else(|| panic!("{line}"));
    let number = rest.split_whitespace().next().unwrap().parse().unwrap();
    assert!(f64::is_finite(number) && number > 0.0, "{line}");
    number
}

fn all_validate(images: usize, fabric: &str) {
    for (program, lines) in KERNELS {
        for line in lines {
            let output = run(program, line, images, fabric);
            let (printed, errors) = (text(&output.stdout), text(&output.stderr));
            let what = format!("{program} {line} on {images} images as {fabric}");
            assert!(output.status.success(), "{what}: {errors}{printed}");
            assert!(printed.contains(&format!("images = {images}\n")), "{what}");
            let verdicts = printed.lines().filter(|line| *line == "Solution validates");
            assert_eq!(verdicts.count(), 1, "{what}: {printed}");
            let last = printed.lines().last().unwrap();
            number_after(last, "/s): ");
            number_after(last, "Avg time (s): ");
        }
    }
}

#[test]
fn kernels_are_right_on_processes() {
    (1..=4).for_each(|images| all_validate(images, "processes"));
}

#[test]
fn kernels_are_right_on_threads() {
    (1..=4).for_each(|images| all_validate(images, "threads"));
}

#[test]
fn kernels_are_right_where_memory_is_not_mapped() {
    // Nothing can be read in place then.
    for (program, lines) in KERNELS {
        let output = Command::new(program)
            .args(lines[1].split_whitespace())
            .env("COARRAY_IMAGES", "3")
            .env("COARRAY_SHARED_MEMORY", "0")
            .output()
            .unwrap();
        assert!(output.status.success(), "{program}: {output:?}");
    }
}

#[test]
fn rates_are_work_per_time() {
    let work = |program: usize, line: &str| {
        let output = run(KERNELS[program].0, line, 2, "processes");
        let printed = text(&output.stdout);
        let last = printed.lines().last().unwrap();
        number_after(last, "/s): ") * number_after(last, "Avg time (s): ")
    };
    let near = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    };
    near(work(0, "5 104"), 19.0 * 100.0 * 100.0 / 1e6);
    near(work(1, "5 101 201"), 2.0 * 100.0 * 200.0 / 1e6);
    near(work(2, "5 100"), 16.0 * 100.0 * 100.0 / 1e6);
    near(work(3, "5 100000"), 32.0 * 100_000.0 / 1e6);
    near(work(4, "17 8 64"), 8.0 * 131_072.0 / 1e9);
    near(work(5, "17"), 4.0 * 131_072.0 / 1e9);
    near(work(6, "5 100 300"), 30_000.0 / 1e6);
    near(work(7, "100000 100"), 0.1);
    near(work(8, "100000 100"), 0.1);
}

#[test]
fn what_cannot_be_computed_is_refused() {
    for (kernel, line, words) in [
        (0, "", "ITERATIONS is missing"),
        (0, "5", "N is missing"),
        (0, "5 x", "N 'x': expected a number from 5 to"),
        (0, "0 20", "ITERATIONS '0'"),
        (0, "5 5", "at most 2 images"),
        (1, "5 3 20", "3 images cannot share 3 columns"),
        (2, "5 20 0", "TILE '0'"),
        (2, "5 20 4 4", "one argument too many, '4'"),
        (3, "5 2", "3 images cannot share 2 numbers"),
        (4, "10 8 2", "3 images cannot share 2 sequences"),
        (4, "4 1 9", "a VECTOR_LENGTH that is a power of 2"),
        (5, "99", "LOG2SIZE '99'"),
        (6, "5 2 9", "COLUMNS '2'"),
    ] {
        let (program, _) = KERNELS[kernel];
        for fabric in ["processes", "threads"] {
            let output = run(program, line, 3, fabric);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{program} {line}: {errors}");
            assert!(errors.contains(words), "{program} {line}: {errors}");
            assert!(errors.lines().count() <= 2, "{errors}");
        }
    }
}

#[test]
fn help_is_printed_once() {
    for (program, _) in KERNELS {
        let output = run(program, "--help", 3, "processes");
        assert!(output.status.success());
        assert_eq!(text(&output.stdout).matches("usage: ").count(), 1);
    }
}

fn cobench(line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cobench"))
        .args(line.split_whitespace())
        .output()
        .unwrap()
}

#[test]
fn cobench_runs_all_kernels() {
    for (options, images) in [("--images 2", 2), ("--images 3 --fabric threads", 3)] {
        let output = cobench(&format!("kernels --quick --json {options}"));
        assert!(output.status.success(), "{output:?}");
        let lines = text(&output.stdout);
        let kernels = [
            ("stencil", "MFlops/s"),
            ("p2p", "MFlops/s"),
            ("transpose", "MB/s"),
            ("nstream", "MB/s"),
            ("random", "GUPS/s"),
            ("randomaccess", "GUPS/s"),
            ("life", "Mcells/s"),
            ("histogram", "Mupdates/s"),
            ("index_gather", "Mreads/s"),
        ];
        assert_eq!(lines.lines().count(), kernels.len());
        for (line, (kernel, unit)) in lines.lines().zip(kernels) {
            let start = format!(r#"{{"op":"{kernel}","images":{images},"parameters":""#);
            assert!(line.starts_with(&start), "{line}");
            assert!(line.contains(&format!(r#""unit":"{unit}""#)), "{line}");
            assert!(line.ends_with(r#","validated":true}"#), "{line}");
            let field =
                |name: &str| number_after(&line.replace(',', " "), &format!(r#""{name}":"#));
            assert!(field("min") <= field("ns") && field("rate") <= field("best"));
        }
    }
}

/// The objects that `cobench kernels` prints for numbers of images.
fn scaled(options: &str) -> Vec<Value> {
    let output = cobench(&format!("kernels --quick --json --images 1,2,3 {options}"));
    assert!(output.status.success(), "{output:?}");
    let lines = text(&output.stdout);
    let object =
        |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    lines.lines().map(object).collect()
}

#[test]
fn cobench_compares_numbers_of_images() {
    for (options, is_weak) in [("", false), ("--weak", true)] {
        let rows = scaled(options);
        assert_eq!(rows.len(), 3 * KERNELS.len());
        for rows in rows.chunks(3) {
            let images: Vec<_> = rows.iter().map(|row| row["images"].as_u64()).collect();
            assert_eq!(images, [Some(1), Some(2), Some(3)]);
            assert!(rows.iter().all(|row| row["op"] == rows[0]["op"]));
            assert_eq!(rows[0]["speedup"], 1.0, "{rows:?}");
            assert!(
                rows.iter()
                    .all(|row| row["speedup"].as_f64().unwrap() > 0.0)
            );
            let grows = rows[0]["parameters"] != rows[1]["parameters"];
            assert_eq!(grows, is_weak, "{rows:?}");
        }
    }
}

#[test]
fn cobench_draws_speedups() {
    let folder = tempfile::tempdir().unwrap();
    let plots = folder.path().join("plots");
    let line = "kernels --quick --images 1,2 --only life,nstream --weak --plot";
    let output = cobench(&format!("{line} {}", plots.display()));
    assert!(output.status.success(), "{output:?}");
    let svg = std::fs::read_to_string(plots.join("scale_weak_speedup.svg")).unwrap();
    assert!(svg.trim_end().ends_with("</svg>"));
    for name in ["life", "nstream", "ideal"] {
        assert!(svg.contains(name), "{name}");
    }
}

#[test]
fn cobench_prints_a_table_of_the_kernels_that_are_wanted() {
    let output = cobench("kernels --quick --images 2 --only p2p,nstream");
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(lines[0].contains("2 images as processes"), "{table}");
    assert!(lines[2].starts_with("p2p") && lines[3].starts_with("nstream"));
    let output = cobench("kernels --quick --images 2,4 --only life");
    let table = text(&output.stdout);
    assert!(
        table.lines().nth(1).unwrap().ends_with("efficiency"),
        "{table}"
    );
    assert!(table.lines().last().unwrap().ends_with('%'), "{table}");
}

/// A folder where `cobench` is without the kernels. A link, as a test that copies it cannot run it while others start
/// processes: see [`script`].
fn cobench_alone() -> (TempDir, PathBuf) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let alone = folder.path().join("cobench");
    std::fs::hard_link(env!("CARGO_BIN_EXE_cobench"), &alone).unwrap();
    (folder, alone)
}

#[test]
fn cobench_says_what_is_missing() {
    let (_folder, alone) = cobench_alone();
    let output = Command::new(alone)
        .args(["kernels", "--quick", "--only", "stencil"])
        .output()
        .unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("prk-stencil; build it with: cargo build --release -p coarray-bench"));
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn cobench_believes_no_wrong_result() {
    let (folder, alone) = cobench_alone();
    let kernel = folder.path().join("prk-stencil");
    for (lines, words) in [
        ("echo ERROR: the mean is 3; exit 1", "ERROR: the mean is 3"),
        ("echo 'Rate (MB/s): 1 Avg time (s): 1'", "is not valid"),
        ("echo Solution validates", "prints no rate"),
    ] {
        script(&kernel, lines);
        let output = Command::new(&alone)
            .args(["kernels", "--quick", "--json", "--only", "stencil"])
            .output()
            .unwrap();
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(words), "{errors}");
        assert!(output.stdout.is_empty());
    }
}
