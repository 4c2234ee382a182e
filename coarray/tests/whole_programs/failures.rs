//! Programs that fail: the report, the exit code, and the time to the end of the job.

use crate::failing::{OPERATIONS, PAIR};
use crate::job::{COUNTS, Check, End, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("a_panic_ends_the_job_and_says_where", panic_ends_the_job),
        (
            "a_panic_ends_images_that_only_compute",
            busy_images_are_ended,
        ),
        ("error_stop_ends_the_job_with_its_code", error_stop),
        ("a_message_of_the_program_is_printed_once", own_words),
        ("a_quiet_end_is_an_exit_code_and_no_report", without_words),
        (
            "a_failure_returned_from_main_is_one_of_the_job",
            failure_from_main,
        ),
        (
            "an_error_returned_from_main_is_told_in_one_line",
            error_from_main_in_its_own_words,
        ),
        (
            "an_exit_code_returned_from_main_is_that_of_the_job",
            exit_code_from_main,
        ),
        ("an_image_that_exits_alone_is_reported", exit_alone),
        ("a_killed_image_ends_the_job", killed_image),
        ("a_bad_image_number_is_named", bad_image),
        ("a_bad_index_is_named", bad_index),
        ("a_collective_mismatch_names_both_sides", mismatch),
        (
            "a_mismatch_of_asynchronous_collectives_names_both_sides",
            asynchronous_mismatch,
        ),
        (
            "every_pair_of_operations_is_a_mismatch",
            every_pair_of_operations,
        ),
        ("an_image_that_ends_early_is_a_mismatch", early_end),
        (
            "a_backtrace_shows_the_program_between_the_reasons",
            backtrace,
        ),
        (
            "the_panic_is_the_reason_if_a_destructor_calls_a_collective",
            collective_while_unwinding,
        ),
        (
            "images_that_all_unwind_may_call_a_collective",
            unwinding_together,
        ),
        (
            "a_guard_in_a_thread_local_variable_is_reported",
            guard_in_thread_local,
        ),
        ("a_panic_has_no_power_over_the_terminal", escapes),
        (
            "a_heap_that_nobody_expected_to_be_full_ends_the_job",
            unhandled_exhaustion,
        ),
    ]
}

/// From the failure to the end of the job there must be less than a second; starting takes some too.
#[track_caller]
fn soon(end: End) -> End {
    assert!(end.seconds < 3.0, "{end:#?}");
    end
}

fn panic_ends_the_job() {
    for images in COUNTS {
        for command in [plain(images, "panic"), on_threads(images, "panic")] {
            let report = soon(run(command)).failure(101);
            let expected = format!("coarray: image {} panicked at ", images - 1);
            assert!(
                report.starts_with(&expected) && report.contains("failing.rs:"),
                "{report}"
            );
            assert!(
                report.trim_end().ends_with(": the moon is missing"),
                "{report}"
            );
            assert_eq!(report.lines().count(), 1, "{report}");
        }
    }
}

fn backtrace() {
    for mut command in [plain(4, "panic"), on_threads(4, "panic")] {
        command.env("RUST_BACKTRACE", "1");
        let report = run(command).failure(101);
        let mut lines = report.lines();
        let reason = lines.next().unwrap();
        assert!(reason.starts_with("image 3 panicked at "), "{report}");
        assert_eq!(lines.next(), Some("backtrace of image 3:"), "{report}");
        assert_eq!(
            lines.next_back(),
            Some(&*format!("coarray: {reason}")),
            "{report}"
        );
        assert!(report.contains("panic_on_last"), "{report}");
        for needless in ["catch_unwind", "run_image", "capture", "lang_start"] {
            assert!(!report.contains(needless), "{report}");
        }
    }
}

fn collective_while_unwinding() {
    for images in [2, 3] {
        for command in [
            plain(images, "collective_while_unwinding"),
            on_threads(images, "collective_while_unwinding"),
        ] {
            let report = soon(run(command)).failure(101);
            let start = format!("coarray: image {} panicked at ", images - 1);
            let first = report.lines().next().unwrap();
            assert!(
                first.starts_with(&start) && first.ends_with(": the moon is missing"),
                "{report}"
            );
            assert!(
                report.contains("different collective operations")
                    && report.contains(": co_sum of i32 at "),
                "{report}"
            );
        }
    }
}

fn unwinding_together() {
    for command in [
        plain(3, "unwinding_together"),
        on_threads(3, "unwinding_together"),
    ] {
        let report = soon(run(command)).failure(7);
        let first = report.lines().next().unwrap();
        assert!(
            first.contains("called error_stop(7)") && !report.contains("moon"),
            "{report}"
        );
    }
}

fn guard_in_thread_local() {
    for command in [
        plain(3, "guard_in_thread_local"),
        on_threads(3, "guard_in_thread_local"),
    ] {
        let report = soon(run(command)).failure(1);
        assert!(
            report.starts_with("coarray: ") && !report.contains("abort"),
            "{report}"
        );
    }
}

fn escapes() {
    for command in [plain(1, "escapes"), on_threads(1, "escapes")] {
        let report = run(command).failure(101);
        assert!(
            report.ends_with(": \\u{1b}[31mred\\u{7}\ta\nb\n") && !report.contains('\u{1b}'),
            "{report}"
        );
    }
}

fn busy_images_are_ended() {
    for command in [plain(4, "busy_panic"), on_threads(4, "busy_panic")] {
        let report = soon(run(command)).failure(101);
        assert!(
            report.starts_with("coarray: image 3 panicked at "),
            "{report}"
        );
    }
}

fn error_stop() {
    for images in COUNTS {
        for command in [
            plain(images, "error_stop"),
            on_threads(images, "error_stop"),
        ] {
            let report = soon(run(command)).failure(7);
            let expected = format!("coarray: image {} called error_stop(7) at ", images - 1);
            assert!(
                report.starts_with(&expected) && report.contains("programs.rs:"),
                "{report}"
            );
        }
    }
}

fn own_words() {
    for images in [1, 4] {
        for command in [
            plain(images, "error_stop_with"),
            on_threads(images, "error_stop_with"),
        ] {
            assert_eq!(soon(run(command)).failure(3), "no such file: moon.rle\n");
        }
    }
}

fn without_words() {
    for images in COUNTS {
        for command in [
            plain(images, "error_stop_quiet"),
            on_threads(images, "error_stop_quiet"),
        ] {
            let end = soon(run(command));
            assert_eq!((end.code, end.stderr.as_str()), (Some(3), ""));
        }
    }
}

fn failure_from_main() {
    for command in [plain(3, "failure"), on_threads(3, "failure")] {
        let report = soon(run(command)).failure(1);
        assert!(report.contains("the moon is missing"), "{report}");
        assert!(
            report.contains("coarray: image 2 returned a failure from its main function"),
            "{report}"
        );
    }
}

fn error_from_main_in_its_own_words() {
    let report = "coarray: image 2 returned a failure from its main function: the moon is missing";
    for command in [plain(3, "told_failure"), on_threads(3, "told_failure")] {
        assert_eq!(soon(run(command)).failure(1), format!("{report}\n"));
    }
    for mut command in [plain(3, "told_failure"), on_threads(3, "told_failure")] {
        command.env("COARRAY_FAULT_TOLERANT", "1");
        let end = soon(run(command));
        assert_eq!(end.stderr, format!("{report}; the other images go on\n"));
        assert_eq!(end.code, Some(0));
    }
}

fn exit_code_from_main() {
    for images in COUNTS {
        let programs = ["exit_code", "stop_with_code"];
        for command in programs
            .map(|name| [plain(images, name), on_threads(images, name)])
            .into_iter()
            .flatten()
        {
            let report = soon(run(command)).failure(9);
            let image = images - 1;
            assert_eq!(
                report,
                format!("coarray: image {image} returned a failure from its main function\n")
            );
        }
    }
}

fn exit_alone() {
    for command in [plain(3, "exit"), on_threads(3, "exit")] {
        let report = soon(run(command)).failure(1);
        assert!(
            report.starts_with("coarray: image 2 called std::process::exit(0)"),
            "{report}"
        );
    }
}

fn killed_image() {
    for images in COUNTS {
        let report = soon(run(plain(images, "kill_one"))).failure(128 + 9);
        let expected = format!("coarray: image {} ", images - 1);
        assert!(
            report.starts_with(&expected) && report.contains("SIGKILL"),
            "{report}"
        );
    }
}

fn bad_image() {
    for images in [1, 4] {
        let report = soon(run(plain(images, "bad_image"))).failure(101);
        let expected = format!(
            "there is no image {images}: the images are numbered 0 to {}",
            images - 1
        );
        assert!(
            report.contains(&expected) && report.contains("failing.rs:"),
            "{report}"
        );
    }
}

fn bad_index() {
    let report = soon(run(plain(2, "bad_index"))).failure(101);
    let expected = "is out of bounds of a coref with extent 10 on image 1";
    assert!(
        report.contains(expected) && report.contains("failing.rs:"),
        "{report}"
    );
}

fn asynchronous_mismatch() {
    for images in [2, 3, 8] {
        for command in [
            plain(images, "asynchronous_mismatch"),
            on_threads(images, "asynchronous_mismatch"),
        ] {
            let report = soon(run(command)).failure(1);
            assert!(
                report.contains("different collective operations"),
                "{report}"
            );
            let says = |text: &str| {
                let said = |line: &str| line.contains(text) && line.contains("asynchronous.rs:");
                report.lines().any(said)
            };
            assert!(says(": co_sum_async of f64 at "), "{report}");
            let other = format!("image {}: co_max_async of f64 at ", images - 1);
            assert!(says(&other), "{report}");
        }
    }
}

fn mismatch() {
    for images in [2, 3, 4, 7, 8] {
        for command in [plain(images, "mismatch"), on_threads(images, "mismatch")] {
            let report = soon(run(command)).failure(1);
            assert!(
                report.contains("different collective operations"),
                "{report}"
            );
            let lines: Vec<&str> = report
                .lines()
                .filter(|line| line.contains("failing.rs:"))
                .collect();
            assert_eq!(lines.len(), 2, "{report}");
            assert!(
                lines.iter().any(|line| line.contains("sync_all at ")),
                "{report}"
            );
            let sum = format!("image {}: co_sum of f64 at ", images - 1);
            assert!(lines.iter().any(|line| line.contains(&sum)), "{report}");
        }
    }
}

fn every_pair_of_operations() {
    for images in [2, 3] {
        for (last, last_words) in OPERATIONS.iter().enumerate() {
            for (other, other_words) in OPERATIONS
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != last)
            {
                let mut command = plain(images, "pair");
                command.env(PAIR, format!("{last} {other}"));
                let report = soon(run(command)).failure(1);
                let told = |image: usize, words: &str| {
                    let start = format!("  image {image}: {words}");
                    let line = report.lines().find(|line| line.starts_with(&start));
                    line.is_some_and(|line| {
                        line.contains("failing.rs:") || line.ends_with("of the program")
                    })
                };
                let others = (0..images - 1).any(|image| told(image, other_words));
                assert!(
                    told(images - 1, last_words) && others,
                    "{last_words}, {other_words}: {report}"
                );
            }
        }
    }
}

fn early_end() {
    for command in [plain(3, "early_end"), on_threads(3, "early_end")] {
        let report = soon(run(command)).failure(1);
        assert!(
            report.contains("image 2: the end of the program"),
            "{report}"
        );
        assert!(report.contains("sync_all at "), "{report}");
    }
}

fn unhandled_exhaustion() {
    let mut command = plain(3, "unhandled_exhaustion");
    command.env("COARRAY_HEAP", "4M");
    let report = soon(run(command)).failure(101);
    assert!(
        report.contains("cannot allocate 8.0 GiB for [f64]"),
        "{report}"
    );
    assert_eq!(report.matches("cannot allocate").count(), 1, "{report}");
    assert!(
        report.lines().next().unwrap().contains("failing.rs:"),
        "{report}"
    );
}
