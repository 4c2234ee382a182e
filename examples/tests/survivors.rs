//! The examples that survive the death of images, as their users start them.

use std::fs::{read, read_to_string};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// An example, on `images` images.
fn example(name: &str, images: usize) -> Command {
    testing::programs::program(images, name)
}

/// The job ended well; the lines of stdout and of stderr.
#[track_caller]
fn success(mut command: Command) -> (Vec<String>, Vec<String>) {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    (lines(&output.stdout), lines(&output.stderr))
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// The exit code and stderr.
fn failure(mut command: Command) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_survivor_ends_well_without_an_image_that_is_killed() {
    for images in [2, 3, 4, 7, 8] {
        let (out, err) = success(example("survivor", images));
        let last = images - 1;
        let news = format!(
            "step 650: image {last} died; go on from the checkpoint of step 600, 50 steps again: "
        );
        assert!(out[1].starts_with(&news), "{out:?}");
        assert_eq!(out[3], "the plate matches the undisturbed result");
        assert_eq!(out.len(), 4);
        assert!(err[0].contains("was killed by signal 9 (SIGKILL); the other images go on"));
    }
}

#[test]
fn the_survivor_is_left_alone_if_it_is_the_only_image_or_is_told_so() {
    let alone = example("survivor", 1);
    let mut undisturbed = example("survivor", 3);
    undisturbed.args(["--kill", "none"]);
    for command in [alone, undisturbed] {
        let (out, err) = success(command);
        assert_eq!(out[2], "the plate matches the undisturbed result");
        assert_eq!((out.len(), err.len()), (3, 0));
    }
}

#[test]
fn the_survivor_survives_many_deaths() {
    let deaths: [&[&str]; 5] = [
        &["0@310", "3@610"],
        &["0@200", "1@200"],
        &["1@0", "2@1"],
        &["0@550", "2@550", "3@1199"],
        &["3@100", "2@100", "1@100"],
    ];
    for deaths in deaths {
        let mut command = example("survivor", 4);
        command.args(deaths.iter().flat_map(|death| ["--kill", death]));
        let (out, err) = success(command);
        let last = out.last().unwrap();
        assert_eq!(last, "the plate matches the undisturbed result", "{out:?}");
        assert_eq!(err.len(), deaths.len(), "{err:?}");
    }
}

#[test]
fn the_survivor_survives_on_threads() {
    let mut command = example("survivor", 3);
    command.env("COARRAY_FABRIC", "threads");
    let (out, _) = success(command);
    assert_eq!(out[3], "the plate matches the undisturbed result");
}

#[test]
fn the_environment_forbids_the_survivor_to_keep_going() {
    let mut command = example("survivor", 2);
    command.env("COARRAY_FAULT_TOLERANT", "0");
    let (code, err) = failure(command);
    assert_eq!(code, Some(128 + 9), "{err}");
    assert!(
        err.starts_with("coarray: image 1 (process ") && !err.contains("go on"),
        "{err}"
    );
}

#[test]
fn the_survivor_helps_and_refuses() {
    let mut help = example("survivor", 2);
    help.arg("--help");
    let (out, _) = success(help);
    assert!(out.iter().any(|line| line.starts_with("usage: survivor ")));
    let refusals: [(&[&str], &str); 6] = [
        (
            &["--kill", "2@10"],
            "--kill 2@10: expected none, or IMAGE@STEP with an image below 2",
        ),
        (
            &["--kill", "1@1200"],
            "--kill 1@1200: expected a step below 1200",
        ),
        (&["--kill", "1"], "--kill 1: expected none, or IMAGE@STEP"),
        (&["--steps", "0"], "--steps 0: expected a positive number"),
        (&["--every"], "option --every needs a value"),
        (&["--die"], "unknown option '--die'"),
    ];
    for (arguments, expected) in refusals {
        let mut command = example("survivor", 2);
        command.args(arguments);
        let (code, err) = failure(command);
        assert_eq!(code, Some(2), "{err}");
        assert!(
            err.starts_with(&format!("survivor: {expected}")) && err.lines().count() == 1,
            "{err}"
        );
    }
}

#[test]
fn a_recovery_team_counts_all_primes() {
    for images in [1, 2, 3, 7] {
        let (out, _) = success(example("recovery_team", images));
        let (count, news) = out.split_last().unwrap();
        assert_eq!(count, "17984 primes below 200000");
        if images > 1 {
            let last = images - 1;
            assert_eq!(
                news,
                [format!("failed: [{last}]; images that go on: {last}")]
            );
        }
    }
}

#[test]
fn one_of_two_redundant_halves_is_enough() {
    for images in [1, 2, 3, 6, 7] {
        let (out, _) = success(example("redundant_halves", images));
        // Each image has its own path to the terminal: lines of different images come in any order.
        let (results, news): (Vec<_>, Vec<_>) =
            out.iter().partition(|line| line.starts_with("half"));
        assert_eq!(results, ["half 2: pi = 3.141592654"]);
        assert_eq!(news.len(), images / 2);
        let expected = "period 5: the partner in the other half has failed";
        assert!(news.iter().all(|line| *line == expected), "{news:?}");
    }
}

#[test]
fn any_image_of_a_half_may_be_the_one_that_is_killed() {
    for doomed in ["0", "2", "3", "5", "none"] {
        let mut command = example("redundant_halves", 6);
        command.args(["--kill", doomed]);
        let (out, _) = success(command);
        let results: Vec<&str> = out.iter().filter_map(|line| line.get(..6)).collect();
        let halves = |half| results.contains(&half);
        assert_eq!(halves("half 1"), !["0", "2"].contains(&doomed), "{out:?}");
        assert_eq!(halves("half 2"), !["3", "5"].contains(&doomed), "{out:?}");
    }
}

/// The processes of these images of a job, if they already run.
fn processes(job: &Child, images: &[usize]) -> Vec<String> {
    let job = job.id();
    let children = read_to_string(format!("/proc/{job}/task/{job}/children")).unwrap_or_default();
    let is_one_of_them = |process: &String| {
        let environment = read(format!("/proc/{process}/environ")).unwrap_or_default();
        images.iter().any(|image| {
            let name = format!("COARRAY_IMAGE={image}").into_bytes();
            environment
                .split(|&byte| byte == 0)
                .any(|word| word == name)
        })
    };
    let children = children.split_whitespace().map(str::to_owned);
    children.filter(is_one_of_them).collect()
}

#[test]
fn one_half_may_be_lost_at_any_moment() {
    const ROUNDS: u32 = 48;
    let start = |stdout: Stdio| {
        let mut command = example("redundant_halves", 6);
        command.args(["--kill", "none"]);
        let command = command.stdout(stdout).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let began = Instant::now();
    start(Stdio::null()).wait().unwrap();
    let undisturbed = began.elapsed().max(Duration::from_millis(1));
    let mut killed = 0;
    for round in 0..ROUNDS {
        let first = if round % 2 == 0 { 0 } else { 3 };
        let victims = [&[first][..], &[first + 1], &[first, first + 2]];
        let victims = victims[round as usize % 3];
        let mut job = start(Stdio::piped());
        let mut victims_run = Vec::new();
        while victims_run.len() < victims.len() && job.try_wait().unwrap().is_none() {
            victims_run = processes(&job, victims);
        }
        // The sleep chooses the moment of the death, and orders nothing.
        std::thread::sleep(undisturbed * (round / 6) / (ROUNDS / 3));
        let mut kill = Command::new("kill");
        let kill = kill.arg("-KILL").args(&victims_run).stderr(Stdio::null());
        killed += u32::from(kill.status().unwrap().success());
        let output = job.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("pi = 3.141592654"),
            "round {round}, images {victims:?}: {output:?}"
        );
    }
    assert!(killed > 0, "no image was killed in {ROUNDS} rounds");
}

#[test]
fn command_lines_are_understood_before_anybody_is_killed() {
    for name in ["recovery_team", "redundant_halves"] {
        let mut help = example(name, 3);
        help.arg("--help");
        let (out, err) = success(help);
        let usage = format!("usage: {name}");
        assert!(out.iter().any(|line| line.starts_with(&usage)) && err.is_empty());
        let mut misspelt = example(name, 3);
        misspelt.arg("--kil");
        let expected = format!("{name}: unknown option '--kil'; {name} --help lists them all\n");
        assert_eq!(failure(misspelt), (Some(2), expected));
    }
    let mut fourth = example("redundant_halves", 3);
    fourth.args(["--kill", "3"]);
    let expected = "redundant_halves: --kill 3: expected none, or an image below 3\n";
    assert_eq!(failure(fourth), (Some(2), expected.into()));
}
