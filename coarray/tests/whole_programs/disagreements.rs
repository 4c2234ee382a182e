//! Collective operations that go wrong in programs whose images are processes, by every algorithm.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::collectives::{Algorithm, Collective, Kind};
use coarray::prelude::*;

use crate::job::{Check, on_threads, plain, run};
use crate::programs::is_last;

const ALGORITHM: &str = "ALGORITHM_OF_ALL";

/// The variable that says what the last image does differently.
const CASE: &str = "CASE_OF_THE_LAST_IMAGE";

pub fn trials() -> Vec<Check> {
    vec![
        (
            "broadcasts_that_disagree_are_both_named_by_every_algorithm",
            broadcasts,
        ),
        (
            "reductions_that_disagree_are_both_named_by_every_algorithm",
            reductions,
        ),
        (
            "a_function_that_panics_ends_every_algorithm",
            panicking_function,
        ),
        (
            "after_a_caught_panic_there_is_a_report_or_a_right_sum",
            caught_panic,
        ),
    ]
}

fn settings() -> (Collective, String) {
    let name = std::env::var(ALGORITHM).unwrap();
    let algorithm = Algorithm::from_name(&name).unwrap();
    let how = Collective::new().algorithm(algorithm);
    (how, std::env::var(CASE).unwrap())
}

pub fn broadcast() {
    let (how, case) = settings();
    match (is_last(), case.as_str()) {
        (true, "length") => how.co_broadcast(&mut [1u32; 6], 1),
        (true, "type") => how.co_broadcast(&mut [1i32; 5], 1),
        (true, "root") => how.co_broadcast(&mut [1u32; 5], 0),
        (true, "no root") => how.co_broadcast(&mut [1u32; 5], 77),
        (true, "barrier") => sync_all(),
        (true, "algorithm") => co_broadcast(&mut [1u32; 5], 1),
        (_, "no root anywhere") => how.co_broadcast(&mut [1u32; 5], 77),
        _ => how.co_broadcast(&mut [1u32; 5], 1),
    }
}

pub fn reduction() {
    let (how, case) = settings();
    let join = |one: u64, other: u64| {
        assert!(case != "panic" || this_image() > 0, "the moon is missing");
        one + other
    };
    match (is_last(), case.as_str()) {
        (true, "length") => how.co_reduce(&mut [1u64; 70_000], join),
        (true, "type") => how.co_reduce(&mut [1i64; 5], |one, other| one + other),
        (true, "operation") => how.co_sum(&mut [1u64; 5]),
        (true, "barrier") => sync_all(),
        (true, "end") => {}
        _ => how.co_reduce(&mut [1u64; 5], join),
    }
}

/// Image 0 catches the panic of its function; then all go on.
pub fn reduction_once_more() {
    let (how, _) = settings();
    let attempt = || {
        how.co_reduce(&mut [1u64; 500], |one, other| {
            assert!(this_image() > 0, "the moon is missing");
            one + other
        });
    };
    // Images whose partner is lost may end here.
    let attempt = catch_unwind(AssertUnwindSafe(attempt));
    let mut sum = 1;
    co_sum(&mut sum);
    assert_eq!(sum, num_images(), "a wrong sum");
    drop(attempt);
}

/// Runs a program on 4 images, as processes and as threads, and returns the reports.
fn reports(program: &str, algorithm: Algorithm, case: &str, code: i32) -> Vec<String> {
    [plain(4, program), on_threads(4, program)]
        .into_iter()
        .map(|mut command| {
            command.env(ALGORITHM, algorithm.name()).env(CASE, case);
            let end = run(command);
            assert!(end.seconds < 5.0, "{end:#?}");
            end.failure(code)
        })
        .collect()
}

/// Checks that a program ends with a report about the last image and another one, in these words.
#[track_caller]
fn both_named(program: &str, algorithm: Algorithm, case: &str, words: [&str; 2]) {
    for report in reports(program, algorithm, case, 1) {
        let told = |image: usize, words: &str| {
            let start = format!("  image {image}: {words}");
            let line = report.lines().find(|line| line.starts_with(&start));
            line.is_some_and(|line| {
                line.contains("disagreements.rs:") || line.ends_with("of the program")
            })
        };
        assert!(
            report.contains("in different collective operations"),
            "{case}: {report}"
        );
        assert!(told(3, words[1]), "{case}: {report}");
        assert!(
            (0..3).any(|image| told(image, words[0])),
            "{case}: {report}"
        );
    }
}

fn broadcasts() {
    for &algorithm in Kind::Broadcast.algorithms() {
        let all = format!("co_broadcast of 5 x u32 from image 1 by {algorithm} at ");
        let cases = [
            (
                "length",
                format!("co_broadcast of 6 x u32 from image 1 by {algorithm} at "),
            ),
            (
                "type",
                format!("co_broadcast of 5 x i32 from image 1 by {algorithm} at "),
            ),
            (
                "root",
                format!("co_broadcast of 5 x u32 from image 0 by {algorithm} at "),
            ),
            (
                "no root",
                format!("co_broadcast of 5 x u32 from image 77 by {algorithm} at "),
            ),
            ("barrier", "sync_all at ".into()),
            (
                "algorithm",
                "co_broadcast of 5 x u32 from image 1 at ".into(),
            ),
        ];
        for (case, last) in cases {
            both_named("disagreeing_broadcast", algorithm, case, [&all, &last]);
        }
        for report in reports("disagreeing_broadcast", algorithm, "no root anywhere", 101) {
            let expected = "co_broadcast with image 77 as root, but there are 4 images";
            assert!(report.contains(expected), "{report}");
            assert!(report.contains("disagreements.rs:"), "{report}");
        }
    }
}

fn reductions() {
    for &algorithm in Kind::Reduce.algorithms() {
        let all = format!("co_reduce of 5 x u64 by {algorithm} at ");
        let cases = [
            (
                "length",
                format!("co_reduce of 70000 x u64 by {algorithm} at "),
            ),
            ("type", format!("co_reduce of 5 x i64 by {algorithm} at ")),
            ("operation", format!("co_sum of 5 x u64 by {algorithm} at ")),
            ("barrier", "sync_all at ".into()),
            ("end", "the end of the program".into()),
        ];
        for (case, last) in cases {
            both_named("disagreeing_reduction", algorithm, case, [&all, &last]);
        }
    }
}

fn panicking_function() {
    for &algorithm in Kind::Reduce.algorithms() {
        for report in reports("disagreeing_reduction", algorithm, "panic", 101) {
            assert!(
                report.starts_with("coarray: image 0 panicked at "),
                "{report}"
            );
            assert!(report.contains("disagreements.rs:"), "{report}");
            assert!(
                report.trim_end().ends_with(": the moon is missing"),
                "{report}"
            );
            assert_eq!(report.lines().count(), 1, "{report}");
        }
    }
}

fn caught_panic() {
    for &algorithm in Kind::Reduce.algorithms() {
        for mut command in [
            plain(4, "reduction_once_more"),
            on_threads(4, "reduction_once_more"),
        ] {
            command.env(ALGORITHM, algorithm.name()).env(CASE, "");
            let end = run(command);
            assert!(end.seconds < 5.0, "{end:#?}");
            let in_progress = "a collective was called while another one was in progress";
            let elsewhere = "in different collective operations";
            let is_told = end.stderr.contains(in_progress) || end.stderr.contains(elsewhere);
            assert!(end.code == Some(0) || is_told, "{algorithm}: {end:#?}");
            assert!(!end.stderr.contains("a wrong sum"), "{algorithm}: {end:#?}");
        }
    }
}
