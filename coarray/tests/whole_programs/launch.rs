//! The supervisor: output, input, signals, settings, and `coarun`.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::job::{
    Check, bare_coarun, coarun, end_of, eventually, is_alive, on_threads, plain, run,
    run_with_input, signal,
};

pub fn trials() -> Vec<Check> {
    vec![
        ("lines_of_output_stay_whole", lines_stay_whole),
        ("labels_name_the_image", labels),
        ("only_image_0_reads_the_input", input),
        ("an_interrupt_ends_the_job", || interrupted("INT", 130)),
        ("a_termination_ends_the_job", || interrupted("TERM", 143)),
        ("a_signal_to_quit_ends_the_job", || interrupted("QUIT", 131)),
        ("a_limit_of_time_ends_the_job", || interrupted("XCPU", 152)),
        ("a_warning_is_passed_on_to_the_images", warnings),
        ("long_lines_stay_whole", long_lines),
        ("what_cannot_start_has_the_code_of_wrong_use", cannot_start),
        ("no_image_survives_a_killed_supervisor", killed_supervisor),
        ("images_can_be_bound_to_cores", binding),
        ("coarun_runs_programs_on_threads", threads),
        ("coarun_runs_any_program", any_program),
        ("coarun_explains_itself", help),
        ("bad_settings_are_refused", bad_settings),
        ("an_answer_is_no_launcher", answer_as_launcher),
        ("unknown_settings_are_told_once", unknown_settings),
        ("a_missing_program_is_reported", missing_program),
        ("a_hundred_images_start_and_end", hundred_images),
    ]
}

fn lines_stay_whole() {
    let output = run(plain(8, "lines")).success();
    let mut counts = [0; 8];
    for line in output.lines() {
        let (image, number) = line.split_once(' ').unwrap();
        let digit = image.as_bytes()[0];
        assert!(
            image.len() == 20 && image.bytes().all(|byte| byte == digit),
            "{line}"
        );
        let seen = &mut counts[usize::from(digit - b'0')];
        assert_eq!(number, seen.to_string(), "lines of one image stay in order");
        *seen += 1;
    }
    assert_eq!(counts, [500; 8]);
}

fn labels() {
    let mut lines: Vec<String> = run(coarun(&["-n", "3", "--label"], "hello"))
        .success()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    assert_eq!(
        lines,
        [0, 1, 2].map(|image| format!("[{image}] hello from image {image} of 3"))
    );
    let report = run(coarun(&["-n3", "--label"], "panic")).failure(101);
    assert!(report.starts_with("coarray: image 2 panicked"), "{report}");
}

fn input() {
    for images in [1, 3] {
        let output = run_with_input(plain(images, "echo"), "two\nlines\n").success();
        assert!(
            output.contains("image 0 read \"two\\nlines\\n\""),
            "{output}"
        );
        for image in 1..images {
            assert!(
                output.contains(&format!("image {image} read \"\"")),
                "{output}"
            );
        }
    }
}

/// Makes a command end by the signals that a user sends, without core dumps.
pub fn end_by_signals(command: &mut Command) {
    // Background processes of a shell ignore SIGINT and SIGQUIT, and processes of `nohup` ignore SIGHUP. The program
    // would inherit that if the tests are started so.
    // SAFETY: between fork and exec, `signal` and `setrlimit` may be called, and nothing else is.
    unsafe {
        command.pre_exec(|| {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
                libc::signal(signal, libc::SIG_DFL);
            }
            // Some signals would write core dumps with the memory of all images.
            let none = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            Ok(())
        });
    }
}

/// Starts the program `pids` and returns its supervisor and its images once all of them run.
pub fn start_pids(mut pids: Command, images: usize) -> (Child, Vec<u32>) {
    end_by_signals(&mut pids);
    let mut supervisor = pids
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(supervisor.stdout.as_mut().unwrap()).lines();
    let pids: Vec<u32> = lines
        .take(images)
        .map(|line| line.unwrap().parse().unwrap())
        .collect();
    assert!(pids.iter().all(|&pid| is_alive(pid)));
    (supervisor, pids)
}

fn interrupted(name: &str, code: i32) {
    for images in [1, 2, 3, 4, 7, 8] {
        let (supervisor, pids) = start_pids(plain(images, "pids"), images);
        let start = Instant::now();
        signal(name, supervisor.id());
        let end = end_of(supervisor, start);
        assert!(end.seconds < 1.0, "{end:?}");
        let report = end.failure(code);
        assert_eq!(
            report,
            format!("coarray: the job was interrupted by SIG{name}\n")
        );
        assert!(!pids.iter().any(|&pid| is_alive(pid)));
    }
}

/// A batch system sends such a signal a while before it ends the job, so that programs can save their work.
fn warnings() {
    for name in ["USR1", "USR2"] {
        for mut command in [plain(3, "warned"), coarun(&["-n3"], "warned")] {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let start = Instant::now();
            let mut supervisor = command.spawn().unwrap();
            let lines = BufReader::new(supervisor.stdout.as_mut().unwrap()).lines();
            assert_eq!(lines.take(3).filter(|line| line.is_ok()).count(), 3);
            signal(name, supervisor.id());
            end_of(supervisor, start).success();
        }
    }
}

fn long_lines() {
    let output = run(plain(4, "long_lines")).success();
    assert_eq!(output.lines().count(), 4 * 5);
    for line in output.lines() {
        let first = line.as_bytes()[0];
        assert!(line.bytes().all(|byte| byte == first), "a line is torn");
        assert_eq!(line.len(), 300_000);
    }
}

fn cannot_start() {
    for mut command in [plain(2, "hello"), on_threads(2, "hello")] {
        command.env("COARRAY_HEAP", "1000000G");
        let report = run(command).failure(2);
        assert!(report.contains("cannot reserve a heap"), "{report}");
    }
}

fn killed_supervisor() {
    let (mut supervisor, pids) = start_pids(plain(4, "pids"), 4);
    // The shared memory of the images has no name, so that nothing of it can be left behind.
    for pid in &pids {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let shared = maps.lines().filter(|line| line.contains("rw-s"));
        let nameless = |line: &str| line.contains("/memfd:coarray (deleted)");
        assert!(
            shared.clone().count() > 0 && shared.clone().all(nameless),
            "{maps}"
        );
    }
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    eventually(|| !pids.iter().any(|&pid| is_alive(pid)));
}

fn binding() {
    let cores = std::thread::available_parallelism().unwrap().get();
    for fabric in ["processes", "threads"] {
        let arguments = ["-n", "4", "--bind", "core", "--fabric", fabric];
        let output = run(coarun(&arguments, "affinity")).success();
        for line in output.lines() {
            let (image, core) = line.split_once(' ').unwrap();
            let (image, core): (usize, usize) =
                (image.parse().unwrap(), core.parse().expect("a single core"));
            assert!(
                cores > 4
                    || output
                        .lines()
                        .any(|other| other != line || image % cores == core % cores)
            );
        }
        assert_eq!(output.lines().count(), 4);
    }
}

fn threads() {
    let arguments = ["--images=4", "--fabric=threads"];
    assert_eq!(run(coarun(&arguments, "all_to_all")).success(), "");
    let report = run(coarun(&arguments, "error_stop")).failure(7);
    assert!(report.contains("image 3 called error_stop(7)"), "{report}");
    let output = run_with_input(coarun(&arguments, "echo"), "hello\n").success();
    assert!(output.contains("hello"), "{output}");
    let refused = run(coarun(&["-n2", "--label", "--fabric", "threads"], "hello")).failure(2);
    assert!(refused.contains("--label"), "{refused}");
}

fn any_program() {
    let mut command = bare_coarun();
    command.args(["-n", "3", "--", "echo", "hi"]);
    assert_eq!(run(command).success(), "hi\nhi\nhi\n");
}

fn help() {
    let mut command = bare_coarun();
    command.arg("--help");
    let help = run(command).success();
    for word in [
        "-n",
        "--label",
        "--keep-going",
        "--bind",
        "--fabric",
        "--heap",
        "COARRAY_IMAGES",
        "COARRAY_HEAP",
    ] {
        assert!(help.contains(word), "{help}");
    }
    let mut command = bare_coarun();
    command.arg("--version");
    assert_eq!(
        run(command).success(),
        format!("coarun {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// Some such words are commands, too, which would start nothing and say nothing.
fn answer_as_launcher() {
    let mut command = coarun(&["-n2", "--fabric", "mpi"], "hello");
    command.env("COARRAY_LAUNCHER", "false");
    let message = run(command).failure(2);
    assert!(
        message.starts_with("coarun: COARRAY_LAUNCHER=false: no launcher; "),
        "{message}"
    );
}

fn bad_settings() {
    for (variable, value) in [
        ("COARRAY_IMAGES", "0"),
        ("COARRAY_IMAGES", "many"),
        ("COARRAY_HEAP", "4X"),
        ("COARRAY_FABRIC", "pigeons"),
        ("COARRAY_BIND", "socket"),
        ("COARRAY_WAIT", "forever"),
        ("COARRAY_FAULT_TOLERANT", "maybe"),
    ] {
        let mut command = plain(2, "hello");
        command.env(variable, value);
        let message = run(command).failure(2);
        assert!(
            message.contains(&format!("{variable}={value}: ")),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    for arguments in [
        &["-n", "0"][..],
        &["-n"],
        &["--lable"],
        &["--bind", "socket"],
        &["--wait", "forever"],
        &["--heap", "huge"],
        &["-n", "2"],
    ] {
        let mut command = bare_coarun();
        command.args(arguments);
        let message = run(command).failure(2);
        assert!(
            message.starts_with("coarun: ") && message.contains("coarun --help"),
            "{message}"
        );
    }
}

fn unknown_settings() {
    for images in [1, 3] {
        let processes = ["-n".to_owned(), images.to_string()];
        let threads = [&processes[..], &["--fabric=threads".to_owned()]].concat();
        for mut command in [
            plain(images, "hello"),
            on_threads(images, "hello"),
            coarun(&processes, "hello"),
            coarun(&threads, "hello"),
        ] {
            command
                .env("COARRAY_IMAGE", "4")
                .env("COARRAY_THREADS", "4");
            let end = run(command);
            assert_eq!(end.stdout.lines().count(), images, "{end:#?}");
            let warnings = end.failure(0);
            let lines: Vec<&str> = warnings.lines().collect();
            let [misspelt, other] = lines[..] else {
                panic!("{warnings}");
            };
            assert_eq!(
                misspelt,
                "coarray: there is no setting COARRAY_IMAGE, so it is ignored; did you mean COARRAY_IMAGES?"
            );
            let start = "coarray: there is no setting COARRAY_THREADS, so it is ignored; there are COARRAY_IMAGES, ";
            assert!(other.starts_with(start), "{other}");
        }
    }
    // The variables that an image passes to a program that it starts are no mistake.
    let shell = ["-n1", "--", "sh", "-c", "\"$@\"; exec \"$@\"", "sh"];
    let notes = run(coarun(&shell, "hello")).failure(0);
    assert!(!notes.contains("no setting"), "{notes}");
}

fn missing_program() {
    let mut command = bare_coarun();
    command.args(["-n", "2", "./no-such-program"]);
    let message = run(command).failure(127);
    assert!(message.contains("./no-such-program"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

fn hundred_images() {
    assert_eq!(run(plain(100, "hello")).success().lines().count(), 100);
}
