//! The deadlock gallery: each program gets the report in `reports.txt`, at once.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

/// The reports at the default number of images. Places in the source are given by the mark at the end of the line,
/// or by the whole line.
const REPORTS: &str = include_str!("../deadlock_gallery/reports.txt");

/// From the start of a program to its end.
const LIMIT: Duration = Duration::from_secs(2);

const THREADS: (&str, &str) = ("COARRAY_FABRIC", "threads");
const PROCESSES: (&str, &str) = ("COARRAY_FABRIC", "processes");

/// The program, which `cargo test` builds with the tests.
fn gallery(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    testing::programs::program(1, "deadlock_gallery")
        .args(arguments)
        .env_remove("COARRAY_IMAGES")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// The names of the programs, and their reports.
fn reports() -> Vec<(&'static str, &'static str)> {
    let sections = REPORTS.split("\n== ").skip(1);
    sections
        .map(|section| section.split_once('\n').unwrap())
        .collect()
}

/// The report of a program that must fail in time. A machine that is busy with other things gets more chances.
#[track_caller]
fn report(name: &str, variables: &[(&str, &str)]) -> String {
    let mut seconds = Vec::new();
    while seconds.len() < 3 {
        let start = Instant::now();
        let output = gallery(&[name], variables);
        seconds.push(start.elapsed());
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(output.stdout.is_empty(), "{name}: {output:?}");
        if seconds[seconds.len() - 1] < LIMIT {
            return String::from_utf8(output.stderr).unwrap();
        }
    }
    panic!("{name} took {seconds:?}")
}

/// Replaces each place in the source, such as `examples/deadlock_gallery/events.rs:71:11`.
fn with_marks(report: &str) -> String {
    const FOLDER: &str = "examples/deadlock_gallery/";
    let mut parts = report.split(FOLDER);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find([' ', ',', '\n']).unwrap_or(part.len());
        let (place, rest) = part.split_at(end);
        text.push_str(&source_line(place));
        text.push_str(rest);
    }
    text
}

fn source_line(place: &str) -> String {
    let [file, line, column] = place.split(':').collect::<Vec<_>>()[..] else {
        panic!("{place} is no place in a file")
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deadlock_gallery");
    let source = std::fs::read_to_string(folder.join(file)).unwrap();
    let line = source.lines().nth(line.parse::<usize>().unwrap() - 1);
    let line = line.unwrap_or_else(|| panic!("{place} is behind the end of the file"));
    assert!(column.parse::<usize>().unwrap() <= line.len(), "{place}");
    match line.split_once(" // [") {
        Some((_, mark)) => format!("[{mark}"),
        None => format!("`{}`", line.trim()),
    }
}

#[track_caller]
fn all_reports_are_as_written(fabric: (&str, &str)) {
    for (name, expected) in reports() {
        let report = with_marks(&report(name, &[fabric]));
        assert_eq!(report.trim_end(), expected.trim_end(), "{name}");
    }
}

#[test]
fn on_processes_every_report_is_as_written() {
    all_reports_are_as_written(PROCESSES);
}

#[test]
fn on_threads_every_report_is_as_written() {
    all_reports_are_as_written(THREADS);
}

#[test]
fn with_more_images_every_image_is_told_of() {
    for (name, _) in reports() {
        let report = with_marks(&report(name, &[THREADS, ("COARRAY_IMAGES", "9")]));
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines[0], "coarray: deadlock: no image can go on", "{name}");
        for (image, line) in lines[1..10].iter().enumerate() {
            let waits = line.contains(" at [") || line.contains("to the end of the program");
            let start = format!("  image {image} ");
            assert!(line.starts_with(&start) && waits, "{name}: {report}");
            assert!(line.contains(", waiting for "), "{name}: {report}");
        }
        assert!(lines[10].starts_with("the cycle: "), "{name}: {report}");
    }
}

#[test]
fn sixty_images_that_wait_alike_share_a_line() {
    let report = with_marks(&report(
        "event_and_sync_all",
        &[THREADS, ("COARRAY_IMAGES", "60")],
    ));
    let [_, first, others, cycle] = report.lines().collect::<Vec<_>>()[..] else {
        panic!("{report}")
    };
    assert!(
        first.starts_with("  image 0 waits at [event_and_sync_all.wait] "),
        "{report}"
    );
    assert_eq!(
        others,
        "  images 1 to 59: each is in sync_all at [event_and_sync_all.sync], waiting for image 0"
    );
    assert!(
        cycle.starts_with("the cycle: image 1 -> image 0 -> any image"),
        "{report}"
    );
}

#[test]
fn the_list_names_every_program_in_one_line() {
    for arguments in [&[][..], &["--list"], &["--help"]] {
        let output = gallery(arguments, &[]);
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        let list = String::from_utf8(output.stdout).unwrap();
        let listed = list
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
        let names: Vec<&str> = listed.map(|(name, _)| name).collect();
        let reported: Vec<&str> = reports().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, reported);
        assert!(names.len() >= 20);
    }
}

#[test]
fn what_cannot_be_run_is_refused_in_one_line() {
    for (arguments, variables, expected) in [
        (
            &["moon"][..],
            &[][..],
            "deadlock_gallery: there is no program 'moon'; --list names them all\n",
        ),
        (
            &["moon", "sun"],
            &[],
            "deadlock_gallery: one program at a time; --list names them all\n",
        ),
        (
            &["--lisst", "moon"],
            &[],
            "deadlock_gallery: unknown option '--lisst'; deadlock_gallery --help lists them all\n",
        ),
        (
            &["teams_crossing"],
            &[("COARRAY_IMAGES", "3")],
            "deadlock_gallery: teams_crossing needs at least 4 images, and there are 3\n",
        ),
    ] {
        let output = gallery(arguments, variables);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    }
}
