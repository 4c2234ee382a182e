//! Programs with one mistake each, of which the report says at which line it is, and nothing else; and what is said once it is repaired: nothing.

pub mod mistakes;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use serde_json::Value;

use crate::job::{Check, End, bare_coarun, coarun, end_of, on_threads, plain, run};
use crate::profile::reported;

pub fn trials() -> Vec<Check> {
    vec![
        ("what_takes_time_is_advised_on", advice_on_waits),
        ("what_is_moved_in_vain_is_advised_on", advice_on_data),
        ("two_runs_are_one_report", two_runs),
        ("a_first_run_that_fails_is_the_only_one", failed_run),
        ("a_second_run_that_fails_is_a_line", failed_second_run),
        ("profiles_are_written_to_files", files),
        (
            "files_that_cannot_be_written_change_nothing_else",
            unwritable_files,
        ),
    ]
}

/// Set for the repaired program.
const REPAIRED: &str = "COARRAY_TEST_CASE";

/// The advice in a report.
fn advice(end: &End) -> Vec<&str> {
    let mut lines = end.stderr.lines();
    lines.find(|line| *line == "advice");
    let advice = lines.map_while(|line| line.strip_prefix("  "));
    // Of a machine with one core that is right, and of others it is not said.
    let has_cores = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    let is_of_program = |line: &&str| has_cores || !line.contains("images share 1 cores");
    advice.filter(is_of_program).collect()
}

/// Runs a program that is profiled so. Returns how it ended, and what is known of it.
fn report(program: &str, profile: &str, is_repaired: bool) -> (End, Value) {
    let mut command = plain(2, program);
    command.env("COARRAY_PROFILE", profile);
    if is_repaired {
        command.env(REPAIRED, "1");
    }
    reported(command)
}

/// Runs a program with a mistake, and repaired. Returns what both reports say.
fn judge(profile: &str, program: &str, text: &str) -> [Value; 2] {
    let (end, mistaken) = report(program, profile, false);
    let line = end.stdout.trim();
    let expected = format!("tests/whole_programs/advice/mistakes.rs:{line}: ");
    let advice_given = advice(&end);
    let [one] = advice_given[..] else {
        panic!("{program}: {advice_given:?} {end:#?}")
    };
    assert!(
        one.contains(&expected) && one.contains(text),
        "{program}: {end:#?}"
    );
    let (end, repaired) = report(program, profile, true);
    assert_eq!(
        (end.code, advice(&end)),
        (Some(0), Vec::new()),
        "{program}: {end:#?}"
    );
    [mistaken, repaired]
}

/// Whether a repair gains what was said within a factor of two; or `more`, where what is saved costs more than was said.
fn assert_gain(program: &str, gained: f64, said: f64, more: bool) {
    assert!(
        gained >= said / 2.0 && (more || gained <= said * 2.0),
        "{program}: gained {gained}, where the advice is about {said}"
    );
}

fn advice_on_waits() {
    for (program, text) in [
        ("advice_imbalance", "image 1 works "),
        ("advice_lock", "wait for the lock"),
        ("advice_small_sums", "30000 calls of co_sum"),
        ("advice_short_phases", "20000 barriers for phases"),
        (
            "advice_no_overlap",
            "an asynchronous collective is waited for after ",
        ),
    ] {
        let [mistaken, repaired] = judge("waits", program, text);
        let time = |report: &Value| report["waits"]["time_ns"].as_f64().unwrap();
        let said = mistaken["advice"][0]["share"].as_f64().unwrap() * time(&mistaken);
        // Calls cost more than the waits in them, in a program that is not optimised.
        let are_calls = text.contains("000 ");
        assert_gain(program, time(&mistaken) - time(&repaired), said, are_calls);
    }
}

fn advice_on_data() {
    for (program, text, operations) in [
        (
            "advice_fine_puts",
            "400 operations side by side each time, 8000 messages on a cluster",
            8000.0,
        ),
        (
            "advice_fine_column",
            "operations 64 bytes apart, 4000 messages on a cluster",
            4000.0,
        ),
        (
            "advice_hot_word",
            "atomic operations on one word of image 0, 3000 messages on a cluster",
            3000.0,
        ),
        (
            "advice_own_part",
            "4.0e6 operations are on the image's own part",
            4.0e6,
        ),
    ] {
        let [mistaken, repaired] = judge("puts", program, text).map(|report| {
            let rows = report["data"]["matrix"]["operations"].as_array().unwrap();
            let all = rows.iter().flat_map(|row| row.as_array().unwrap());
            all.map(|count| count.as_f64().unwrap()).sum::<f64>()
        });
        assert_gain(program, mistaken - repaired, operations, false);
    }
}

/// The end of a `coarun` that runs a program twice, which finds a line in its input.
fn run_twice(program: &str, is_repaired: bool) -> End {
    let folder = folder(program);
    let input = folder.join("input");
    fs::write(&input, "something\n").unwrap();
    let mut command = coarun(&["-n2", "--profile=both"], program);
    command.stdin(fs::File::open(&input).unwrap());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("TMPDIR", &folder);
    if is_repaired {
        command.env(REPAIRED, "1");
    }
    let end = end_of(command.spawn().unwrap(), Instant::now());
    fs::remove_file(input).unwrap();
    // Nothing else is left.
    fs::remove_dir(folder).unwrap();
    end
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("{name}-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    fs::create_dir(&folder).unwrap();
    folder
}

fn two_runs() {
    let end = run_twice("advice_read_and_print", false);
    assert_eq!(
        (end.code, &*end.stdout),
        (Some(0), "printed once\n"),
        "{end:#?}"
    );
    let mut lines = end.stderr.lines();
    assert_eq!(lines.next(), Some("said once"), "{end:#?}");
    let again = "coarun: runs the program again, to count what its images move";
    assert_eq!(lines.next(), Some(again), "{end:#?}");
    let reports = lines.filter(|line| line.starts_with("coarray: 2 images, "));
    assert_eq!(reports.count(), 2, "{end:#?}");
    assert!(
        end.stderr.contains("parallel efficiency") && end.stderr.contains("data by line"),
        "{end:#?}"
    );
}

fn failed_run() {
    let command = coarun(&["-n3", "--profile=both"], "error_stop");
    let end = run(command);
    assert_eq!(end.code, Some(7), "{end:#?}");
    assert!(
        end.stderr.contains("coarray: image 2 called error_stop(7)"),
        "{end:#?}"
    );
    assert!(
        end.stderr
            .contains("coarun: the program is not run again: only waits are known")
    );
    assert!(end.stderr.contains("coarray: 3 images"), "{end:#?}");
}

fn failed_second_run() {
    let end = run_twice("advice_read_and_print", true);
    assert_eq!(
        (end.code, &*end.stdout),
        (Some(0), "printed once\n"),
        "{end:#?}"
    );
    let said = "coarun: the second run failed with exit code 9: only waits are known";
    assert!(end.stderr.lines().any(|line| line == said), "{end:#?}");
    assert!(!end.stderr.contains("error_stop"), "{end:#?}");
    assert!(end.stderr.contains("parallel efficiency"), "{end:#?}");
}

fn files() {
    let folder = folder("files");
    let name = |name: &str| folder.join(name).into_os_string();
    let options = ["-n2", "--profile-json", "a.json", "--profile-svg=figures"];
    for mut command in [
        coarun(&options, "advice_imbalance"),
        on_threads(2, "advice_imbalance"),
        plain(2, "advice_imbalance"),
    ] {
        command.env("COARRAY_PROFILE_HTML", name("a.html"));
        command.env("COARRAY_PROFILE_JSON", name("b.json"));
        command.current_dir(&folder);
        let end = run(command);
        assert_eq!(end.code, Some(0), "{end:#?}");
        // Who wants a file wants a profile.
        assert!(end.stderr.contains("parallel efficiency"), "{end:#?}");
        assert!(
            fs::read_to_string(name("a.html"))
                .unwrap()
                .ends_with("</html>\n")
        );
        fs::remove_file(name("a.html")).unwrap();
    }
    for json in ["a.json", "b.json"] {
        let json = fs::read_to_string(name(json)).unwrap();
        assert!(json.starts_with("{\n  \"format\": \"coarray profile 1\",\n  \"images\": 2,"));
    }
    assert!(folder.join("figures/images.svg").exists());
    fs::remove_dir_all(folder).unwrap();
}

fn unwritable_files() {
    let write = |command: &mut Command| {
        command.env("COARRAY_PROFILE_JSON", "/dev/full");
        command.env("COARRAY_PROFILE_HTML", "/no/such/folder/a.html");
    };
    for (mut command, code) in [
        (plain(3, "hello"), 0),
        (on_threads(3, "hello"), 0),
        (plain(3, "error_stop"), 7),
        (on_threads(3, "error_stop"), 7),
    ] {
        write(&mut command);
        let end = run(command);
        assert_eq!(end.code, Some(code), "{end:#?}");
        let of_files = end.stderr.lines();
        let of_files =
            of_files.filter(|line| line.starts_with("coarray: cannot write the profile to "));
        let of_files: Vec<_> = of_files.collect();
        let [json, html] = of_files[..] else {
            panic!("{end:#?}")
        };
        assert!(
            json.contains("/dev/full: No space left on device"),
            "{end:#?}"
        );
        assert!(
            html.contains("/no/such/folder/a.html: No such file"),
            "{end:#?}"
        );
    }
    let mut command = bare_coarun();
    command.args(["--profile-json"]);
    let end = run(command);
    assert_eq!(end.code, Some(2), "{end:#?}");
    assert!(
        end.stderr
            .starts_with("coarun: --profile-json needs a value\n"),
        "{end:#?}"
    );
}
