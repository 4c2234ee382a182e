//! Programs built with `panic = "abort"`: nothing can be unwound, and the reports and exit codes are still there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testing::launcher;

/// With optimisation, the library takes four times as long to compile.
const UNOPTIMISED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/unoptimised.toml");

/// The fabrics, and the launchers of those that have one.
fn fabrics() -> Vec<(&'static str, Option<&'static str>)> {
    let mut fabrics = vec![("processes", None), ("threads", None)];
    if cfg!(feature = "mpi") {
        fabrics.push(("mpi", Some("mpirun")));
    }
    if cfg!(feature = "shmem") {
        fabrics.push(("shmem", Some("shmemrun")));
    }
    fabrics
}

/// The name of this system, as rustc says it.
fn system() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let name = text.lines().find_map(|line| line.strip_prefix("host: "));
    name.unwrap().to_owned()
}

/// Builds the mistakes of the book so that panics abort. For a named system: that has a folder of its own, and what runs in the
/// compiler only is taken from the folder of the tests, where it is already.
fn build() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let system = system();
    let clusters = fabrics()
        .into_iter()
        .filter(|(_, launcher)| launcher.is_some());
    let features: Vec<&str> = clusters.map(|(fabric, _)| fabric).collect();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "-p", "coarray-book"])
        .args(["--example", "mistakes", "--features", &features.join(",")])
        .args(["--config", "profile.dev.panic=\"abort\""])
        .args(["--config", UNOPTIMISED])
        .args(["--target", &system, "--target-dir"])
        .arg(folder)
        .status()
        .unwrap();
    assert!(built.success());
    folder.join(system).join("debug/examples/mistakes")
}

/// Runs a mistake. A core dump would be large, and nobody wants it.
fn run(
    program: &PathBuf,
    (fabric, launcher): (&str, Option<&str>),
    name: &str,
) -> (Option<i32>, String) {
    const IMAGES: usize = 4;
    let mut command = match launcher {
        None => Command::new("sh"),
        Some(launcher) => launcher::command(launcher, IMAGES, "sh"),
    };
    let Output { status, stderr, .. } = command
        .args(["-c", "ulimit -c 0; \"$0\" \"$1\"; exit $?"])
        .arg(program)
        .arg(name)
        .env("COARRAY_FABRIC", fabric)
        .env("COARRAY_IMAGES", IMAGES.to_string())
        .env("COARRAY_HEAP", "64M")
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn reports_and_exit_codes_are_kept() {
    let program = build();
    for fabric in fabrics() {
        for (name, code, report) in [
            ("stop", 7, "coarray: image 3 called error_stop(7) at "),
            ("panic", 134, "coarray: image 3 panicked at "),
            ("in_a_branch", 1, "are in different collective operations"),
            ("missed_post", 1, "coarray: deadlock: no image can go on"),
        ] {
            let (found, words) = run(&program, fabric, name);
            assert_eq!(found, Some(code), "{fabric:?}, {name}: {words}");
            let told = words.matches(report).count();
            assert_eq!(told, 1, "{fabric:?}, {name}: {words}");
        }
    }
    let (code, words) = run(&program, ("processes", None), "failure");
    assert_eq!(code, Some(1), "{words}");
    let report = "coarray: image 2 returned a failure from its main function";
    assert!(words.contains(report), "{words}");
}
