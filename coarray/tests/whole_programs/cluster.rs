//! The same programs, started by the launcher of a fabric of clusters: with the features `mpi` or `shmem`.
//!
//! `COARRAY_LAUNCHER` names the launcher if it is not `mpirun` or `shmemrun`.

use std::process::Command;

use testing::launcher;

use crate::job::{COUNTS, Check, End, bare_coarun, plain, run};
use crate::{counts, profile, timeline};

pub fn trials() -> Vec<Check> {
    if fabrics().is_empty() {
        return Vec::new();
    }
    vec![
        ("clusters_run_every_program", every_program),
        ("clusters_report_a_panic", panic_ends_the_job),
        ("clusters_end_by_error_stop_with_its_code", error_stop),
        ("clusters_keep_the_exit_code_of_main", exit_code),
        ("clusters_end_when_an_image_is_killed", killed_image),
        ("clusters_end_when_an_image_is_terminated", terminated_image),
        (
            "clusters_say_that_a_number_of_images_is_ignored",
            ignored_number,
        ),
        ("clusters_name_both_sides_of_a_mismatch", mismatch),
        ("clusters_find_deadlocks", deadlock),
        ("clusters_say_that_they_cannot_keep_going", keep_going),
        ("clusters_wait_for_a_slow_launcher", slow_launcher),
        ("clusters_are_profiled", late_image),
        ("clusters_count_what_moves", kernels),
        ("clusters_count_by_line", lines),
        ("clusters_have_timelines", timelines),
        ("coarun_starts_clusters", coarun),
        ("clusters_start_plainly", plainly),
        ("clusters_refuse_another_launcher", another_launcher),
    ]
}

/// The fabrics that this binary has, and their launchers.
fn fabrics() -> Vec<(&'static str, String)> {
    let launcher = |usual: &str| std::env::var("COARRAY_LAUNCHER").unwrap_or(usual.into());
    let mut fabrics = Vec::new();
    if cfg!(feature = "mpi") {
        fabrics.push(("mpi", launcher("mpirun")));
    }
    if cfg!(feature = "shmem") {
        fabrics.push(("shmem", launcher("shmemrun")));
    }
    fabrics
}

/// What launchers want to be told where programs are tested, and memory for many images.
fn permitted(mut command: Command) -> Command {
    launcher::permit(&mut command);
    command
        .env("COARRAY_HEAP", "64M")
        .env_remove("RUST_BACKTRACE");
    command
}

/// A program of `programs.rs` on a fabric; `direct` is "1" or "0".
fn on_fabric(
    (fabric, launcher): &(&str, String),
    images: usize,
    direct: &str,
    program: &str,
) -> Command {
    let own = std::env::current_exe().unwrap();
    let mut command = launcher::command(launcher, images, own);
    command
        .args(["--program", program])
        .env("COARRAY_FABRIC", fabric)
        .env("COARRAY_SHARED_MEMORY", direct);
    permitted(command)
}

/// The ends of a program on every fabric, with and without direct access.
fn ends(images: usize, program: &str) -> impl Iterator<Item = End> {
    fabrics().into_iter().flat_map(move |fabric| {
        let ways: &[&str] = if spins_too_long(&fabric, images) {
            &["1"]
        } else {
            &["1", "0"]
        };
        let end = |direct: &&str| run(on_fabric(&fabric, images, direct, program));
        ways.iter().map(end).collect::<Vec<_>>()
    })
}

/// MPICH waits for what it is asked to complete without letting go of the core, which takes minutes where many images share
/// few.
fn spins_too_long((_, launcher): &(&str, String), images: usize) -> bool {
    launcher.contains("mpiexec") && images > 4
}

/// The lines of a report that are ours: launchers add their own.
#[track_caller]
fn report(end: &End) -> String {
    assert_ne!(end.code, Some(0), "{end:#?}");
    let ours = end
        .stderr
        .lines()
        .skip_while(|line| !line.starts_with("coarray: "));
    let text: Vec<&str> = ours.collect();
    assert!(!text.is_empty(), "{end:#?}");
    text.join("\n")
}

fn every_program() {
    for images in COUNTS {
        for end in ends(images, "everything") {
            assert_eq!(end.code, Some(0), "{images} images: {end:#?}");
            assert_eq!(end.stdout, "everything works\n", "{images} images");
        }
    }
}

fn panic_ends_the_job() {
    for end in ends(3, "panic") {
        let text = report(&end);
        assert!(
            text.starts_with("coarray: image 2 panicked at ") && text.contains("failing.rs:"),
            "{text}"
        );
        assert_eq!(text.matches("coarray: ").count(), 1, "{text}");
        assert_eq!(end.code, Some(101));
    }
}

fn error_stop() {
    for end in ends(3, "error_stop") {
        assert!(report(&end).contains("image 2 called error_stop(7) at "));
        assert_eq!(end.code, Some(7));
    }
}

fn late_image() {
    for fabric in fabrics() {
        for direct in ["1", "0"] {
            let command = on_fabric(&fabric, profile::IMAGES, direct, "come_late");
            let end = run(profile::profiled(command));
            profile::find_late_image(&end, direct == "1");
        }
    }
}

fn kernels() {
    for fabric in fabrics() {
        for kernel in counts::KERNELS {
            for direct in ["1", "0"] {
                let command = on_fabric(&fabric, 4, direct, kernel.0);
                counts::judge_kernel(&run(counts::counted(command)), 4, kernel);
            }
        }
    }
}

fn lines() {
    for fabric in fabrics() {
        for direct in ["1", "0"] {
            let command = on_fabric(&fabric, 2, direct, "count_at_lines");
            counts::judge_lines(&run(counts::counted(command)), direct == "0");
        }
    }
}

fn timelines() {
    for fabric in fabrics() {
        for direct in ["1", "0"] {
            let command = on_fabric(&fabric, timeline::IMAGES, direct, "traced");
            let (end, trace) = timeline::trace(command, &format!("cluster{direct}"));
            assert_eq!(end.code, Some(0), "{end:#?}");
            timeline::check_traced(&trace, timeline::IMAGES);
            if direct == "1" {
                timeline::check_arrows(&trace);
            }
        }
        for (direct, nodes) in [("1", 1), ("0", timeline::IMAGES)] {
            let command = on_fabric(&fabric, timeline::IMAGES, direct, "traced_until_killed");
            timeline::check_killed_at_once(command, nodes);
        }
        let command = on_fabric(&fabric, timeline::IMAGES, "1", "error_stop");
        let (end, trace) = timeline::trace(command, "failed-cluster");
        assert_eq!(end.code, Some(7), "{end:#?}");
        assert_eq!(trace.images.len(), timeline::IMAGES);
    }
}

fn exit_code() {
    for end in ends(2, "exit_code") {
        assert!(report(&end).contains("image 1 returned a failure from its main function"));
        assert_eq!(end.code, Some(9));
    }
}

fn killed_image() {
    for end in ends(3, "kill_one") {
        // The launcher tells of it.
        assert!(!matches!(end.code, Some(0)), "{end:#?}");
        assert!(end.seconds < 20.0, "{end:#?}");
    }
}

/// Some fabrics catch the signal and do nothing.
fn terminated_image() {
    for end in ends(3, "terminate_one") {
        assert!(end.code != Some(0) && end.stdout.is_empty(), "{end:#?}");
    }
}

fn ignored_number() {
    let line = "coarray: COARRAY_IMAGES=7 is ignored: the launcher has started 2\n";
    for fabric in fabrics() {
        for (asked, lines) in [("7", 1), ("2", 0)] {
            let mut command = on_fabric(&fabric, 2, "1", "hello");
            command.env("COARRAY_IMAGES", asked);
            let end = run(command);
            assert_eq!(end.code, Some(0), "{end:#?}");
            assert_eq!(end.stderr.matches(line).count(), lines, "{end:#?}");
        }
    }
}

fn mismatch() {
    for end in ends(3, "mismatch") {
        let text = report(&end);
        assert!(
            text.contains("are in different collective operations")
                && text.matches("failing.rs:").count() == 2,
            "{text}"
        );
    }
}

fn deadlock() {
    for end in ends(4, "ring_of_pairs") {
        let text = report(&end);
        assert!(
            text.starts_with("coarray: deadlock: no image can go on"),
            "{text}"
        );
        assert!(
            text.contains("the cycle: image 0 -> image 1 -> image 2 -> image 3 -> image 0"),
            "{text}"
        );
    }
}

fn keep_going() {
    for fabric in fabrics() {
        let mut command = on_fabric(&fabric, 2, "1", "hello");
        command.env("COARRAY_FAULT_TOLERANT", "1");
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        assert!(end.stderr.contains("cannot go on without it"), "{end:#?}");
    }
}

/// That of Open MPI, which removes folders before it hears that an image has ended.
fn slow_launcher() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("slow_rmdir.so");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/whole_programs/slow_rmdir.c"
    );
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source);
    assert!(compiler.status().unwrap().success());
    let is_concerned = |(_, launcher): &(_, String)| !launcher.contains("mpiexec");
    for fabric in fabrics().into_iter().filter(is_concerned) {
        let mut command = on_fabric(&fabric, 3, "1", "hello");
        command.env("LD_PRELOAD", &library);
        let end = run(command);
        assert!(end.seconds > 2.5, "{end:#?}");
        says_hello(end);
    }
}

fn coarun() {
    for (fabric, _) in fabrics() {
        let mut command = bare_coarun();
        command
            .args(["--fabric", fabric, "-n", "3"])
            .arg(std::env::current_exe().unwrap())
            .args(["--program", "hello"]);
        says_hello(run(permitted(command)));
    }
}

fn plainly() {
    for (fabric, _) in fabrics() {
        let mut command = plain(3, "hello");
        command.env("COARRAY_FABRIC", fabric);
        says_hello(run(permitted(command)));
    }
}

#[track_caller]
fn says_hello(end: End) {
    assert_eq!(end.code, Some(0), "{end:#?}");
    let mut hellos: Vec<&str> = end.stdout.lines().collect();
    hellos.sort_unstable();
    let expected = [0, 1, 2].map(|image| format!("hello from image {image} of 3"));
    assert_eq!(hellos, expected);
}

/// A launcher of another library leaves its marks and nothing that this one knows.
fn another_launcher() {
    for (fabric, _) in fabrics() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--program", "hello"])
            .env("COARRAY_FABRIC", fabric)
            .env("OMPI_COMM_WORLD_SIZE", "3");
        let end = run(permitted(command));
        assert!(end.code.is_some_and(|code| code != 0), "{}", report(&end));
        assert!(
            end.stderr
                .contains("has started 3 processes (OMPI_COMM_WORLD_SIZE=3)"),
            "{}",
            report(&end)
        );
    }
}
