//! Jobs that are checked for races: how they are asked for, what they print, and how they end.

use coarray::check::racy;
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;

use crate::job::{Check, bare_coarun, coarun, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        ("a_race_is_told_with_both_lines_however_asked", both_lines),
        ("a_program_without_races_ends_as_it_does_unchecked", clean),
        ("a_checked_job_has_threads_and_says_so", threads),
        ("the_first_race_may_end_the_job", stop),
        ("a_line_may_be_taken_to_order_nothing", without),
        (
            "a_halo_exchange_without_one_of_its_events_races",
            halo_without_event,
        ),
        ("a_panic_is_told_after_races", panic_too),
        ("races_beyond_twenty_pairs_are_counted", many_pairs),
        ("what_cannot_be_checked_is_refused", refused),
    ]
}

/// The line at which this file says `what` in a comment.
fn line(what: &str) -> usize {
    let found = include_str!("races.rs")
        .lines()
        .position(|line| line.ends_with(&format!("// {what}")));
    1 + found.unwrap_or_else(|| panic!("no line is marked `{what}`"))
}

const FILE: &str = file!();

/// The right edge is put to the next image, which gets it at once.
pub fn edges() {
    let mut edges = Coarray::<[[f64; 4]; 2]>::zeroed(); // creation
    let edges = edges.open();
    let right = (this_image() + 1) % num_images();
    edges.at(right)[0].put([1.5; 4]); // edge put
    let _ = edges.here()[0][2].get(); // edge got
    sync_all();
}

/// In order, but for what is between its two barriers.
pub fn turns() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at((this_image() + 1) % num_images()).put(1);
    sync_all(); // needed
    assert_eq!(x.here().get(), 1);
    sync_all(); // superfluous
}

/// Steps of a stencil, of rows, columns and corners.
pub fn halo() {
    let grid = ImageGrid::<2>::balanced().with_periodic([true; 2]);
    let blocks = Blocks::new([12, 12], grid).unwrap();
    let mut u = HaloArray::filled(&blocks, 1, 1.0).unwrap();
    for _ in 0..5 {
        u.exchange(); // exchange
        let sum = u.local().sum();
        u.interior_mut().fill(sum);
    }
}

/// Each of five puts races with each of five gets, which come later by an order that promises nothing.
pub fn many() {
    let is_put = Coarray::new(Coatomic::new(false));
    let mut x = Coarray::<[u64; 5]>::zeroed();
    let x = x.open();
    let place = |index: usize| &x.at(0)[index];
    if this_image() == 0 {
        place(0).put(1);
        place(1).put(1);
        place(2).put(1);
        place(3).put(1);
        place(4).put(1);
        is_put.at(1).store(true);
    } else {
        is_put.wait_until(|is_put| is_put);
        for index in 0..5 {
            let _ = place(index).get();
            let _ = place(index).get();
            let _ = place(index).get();
            let _ = place(index).get();
            let _ = place(index).get();
        }
    }
}

/// Some race, which the program says, and then image 0 panics.
pub fn panicking() {
    let mut x = Coarray::<[u64; 2]>::zeroed();
    let x = x.open();
    racy("nobody cares", || x.at(0)[0].put(this_image() as u64));
    x.at(0)[1].put(this_image() as u64);
    sync_all();
    assert!(this_image() > 0, "the moon is missing");
}

/// Whether a race on the edge of one of two images is told.
fn is_told(stderr: &str) -> bool {
    let place = format!(
        " in the coarray of [[f64; 4]; 2] created at {FILE}:{}\n",
        line("creation")
    );
    [0, 1]
        .iter()
        .any(|image| stderr.contains(&format!(" race on [0][2] of image {image}{place}")))
}

fn both_lines() {
    let mut by_variable = plain(2, "race_edges");
    by_variable.env("COARRAY_CHECK", "races");
    let mut by_threads = on_threads(2, "race_edges");
    by_threads.env("COARRAY_CHECK", "races");
    for command in [
        by_variable,
        by_threads,
        coarun(&["-n", "2", "--check"], "race_edges"),
    ] {
        let end = run(command);
        assert_eq!(end.code, Some(66), "{end:#?}");
        assert!(is_told(&end.stderr), "{end:#?}");
        for (access, mark) in [
            ("put of 32 bytes", "edge put"),
            ("get of 8 bytes", "edge got"),
        ] {
            let told = format!(": {access} at {FILE}:{}\n", line(mark));
            assert!(end.stderr.contains(&told), "{told}: {end:#?}");
        }
        let last = end.stderr.lines().last().unwrap();
        assert!(
            last.starts_with("coarray: images raced at one pair of lines"),
            "{end:#?}"
        );
    }
}

fn clean() {
    for images in [1, 2, 3, 8] {
        let mut command = on_threads(images, "everything");
        let unchecked = run(on_threads(images, "everything"));
        command.env("COARRAY_CHECK", "races");
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        assert_eq!(
            (end.stdout, end.stderr),
            (unchecked.stdout, unchecked.stderr)
        );
    }
    let mut off = plain(2, "race_edges");
    off.env("COARRAY_CHECK", "off");
    assert_eq!(run(off).code, Some(0));
}

fn threads() {
    let told = "coarray: the job is checked for races, so its images are threads, not processes\n";
    for options in [
        &["-n", "2", "--check", "--fabric", "processes"][..],
        &["-n", "2", "--check"],
        &["-n", "2", "--check", "--fabric", "threads"],
    ] {
        let end = run(coarun(options, "race_turns"));
        assert_eq!(end.code, Some(0), "{end:#?}");
        let is_told = options.contains(&"processes");
        assert_eq!(end.stderr, if is_told { told } else { "" });
    }
}

fn stop() {
    let end = run(coarun(&["-n", "2", "--check=races,stop"], "race_edges"));
    assert_eq!(end.code, Some(66), "{end:#?}");
    assert!(is_told(&end.stderr), "{end:#?}");
    assert!(
        end.stderr.contains(" ends the job at the first race\n"),
        "{end:#?}"
    );
}

fn without() {
    for (mark, code) in [("needed", 66), ("superfluous", 0)] {
        let what = format!("--check=races,without=races.rs:{}", line(mark));
        let end = run(coarun(&["-n", "3", &what], "race_turns"));
        assert_eq!(end.code, Some(code), "{mark}: {end:#?}");
    }
}

fn halo_without_event() {
    let sending = include_str!("../../src/grid/sending.rs");
    let post = |event: &str| {
        let is_it = |line: &str| line.contains(event) && line.contains(".post()");
        let line = 1 + sending.lines().position(is_it).unwrap();
        format!(",without=grid/sending.rs:{line}")
    };
    // Each "free" has its doorbell, which orders the same.
    let free = post("events[free(") + &post("events[bell]");
    let filled = format!(",without=races.rs:{}", line("exchange"));
    for images in ["2", "4", "7"] {
        assert_eq!(
            run(coarun(&["-n", images, "--check"], "race_halo")).code,
            Some(0)
        );
        for ignored in [&free, &filled] {
            let what = format!("--check=races{ignored}");
            let end = run(coarun(&["-n", images, &what], "race_halo"));
            assert_eq!(end.code, Some(66), "{what}: {end:#?}");
            let access = format!("read of the halo of 8 bytes at {FILE}:{}", line("exchange"));
            let put = format!("put of 8 bytes at {FILE}:{}", line("exchange"));
            let are_told = end.stderr.contains(&access) && end.stderr.contains(&put);
            assert!(
                are_told || end.stderr.contains("HaloArray"),
                "{what}: {end:#?}"
            );
        }
    }
}

fn panic_too() {
    let end = run(coarun(&["-n", "2", "--check"], "race_panic"));
    assert_eq!(end.code, Some(101), "{end:#?}");
    let race = end.stderr.find("race on [1] of image 0");
    let panic = end.stderr.find("the moon is missing");
    assert!(race.is_some() && race < panic, "{end:#?}");
    assert!(!end.stderr.contains("[0] of image 0"), "{end:#?}");
}

fn many_pairs() {
    let end = run(coarun(&["-n", "2", "--check"], "race_many"));
    assert_eq!(end.code, Some(66), "{end:#?}");
    assert_eq!(end.stderr.matches(" race on ").count(), 20, "{end:#?}");
    let told =
        "coarray: images raced at 25 pairs of lines, 25 times\n5 pairs of lines are not told\n";
    assert!(end.stderr.ends_with(told), "{end:#?}");
}

fn refused() {
    let on_one_machine = "a job is checked for races on one machine, with threads as images: the rules are the same there, so run it \
         without a launcher and with COARRAY_FABRIC=threads, or unset COARRAY_CHECK\n";
    let mut many = plain(257, "nothing");
    many.env("COARRAY_CHECK", "races");
    let mut elsewhere = plain(2, "nothing");
    elsewhere.envs([("COARRAY_CHECK", "races"), ("COARRAY_FABRIC", "mpi")]);
    let mut unknown = plain(2, "nothing");
    unknown.env("COARRAY_CHECK", "races,slowly");
    let mut labelled = bare_coarun();
    labelled.args(["--check", "--label", "nothing"]);
    for (command, expected) in [
        (
            many,
            "coarray: a job that is checked for races has at most 256 images, not 257\n",
        ),
        (elsewhere, &format!("coarray: {on_one_machine}")),
        (
            unknown,
            "coarray: COARRAY_CHECK=races,slowly: `slowly` is nothing that it knows; expected `races` or `origins`, and perhaps `stop` and \
             `without=FILE:LINE`, with commas in between, such as `races,stop`\n",
        ),
        (
            labelled,
            "coarun: the output of threads cannot be told apart: no --label with --fabric threads or --check\n\
             Try 'coarun --help'.\n",
        ),
    ] {
        let end = run(command);
        assert_eq!(end.code, Some(2), "{end:#?}");
        assert_eq!(end.stderr, expected);
    }
}
