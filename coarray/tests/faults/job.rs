//! A job some of whose images are killed.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::time::{ClockId, clock_gettime};

pub use testing::harness::Check;

/// A job that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(20);

/// What is done to a job.
#[derive(Clone, Debug)]
pub struct Plan {
    pub images: usize,
    pub victims: Vec<usize>,
    /// From the moment that all images run until the first is killed.
    pub delay: Duration,
    /// From one death to the next.
    pub gap: Duration,
}

/// What an image said when an operation told it of a failure.
#[derive(Clone, Debug)]
pub struct News {
    pub image: usize,
    pub nanos: u64,
    /// Which of its operations.
    pub turn: u64,
    pub failed: String,
}

/// How a job ended.
#[derive(Debug)]
pub struct End {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// When the first image was killed, if any was.
    pub killed: Option<u64>,
    /// When it was over.
    pub over: u64,
}

/// Time that is the same in all processes.
pub fn nanos() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A program of `programs.rs` with so many images, in a job that keeps going.
pub fn keeping_going(images: usize, program: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--program", program])
        .env("COARRAY_IMAGES", images.to_string())
        .env("COARRAY_FAULT_TOLERANT", "1")
        .env("COARRAY_HEAP", "16M")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a job to its end, killing images by plan.
pub fn run(mut command: Command, plan: &Plan) -> End {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let supervisor = Pid::from_child(&child);
    let (over, is_over) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if is_over.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout) {
                // The images end with it, and the test goes on to complain.
                let _ = kill_process(supervisor, Signal::KILL);
            }
        });
        let mut stdout = String::new();
        let killed = (!plan.victims.is_empty()).then(|| {
            let processes = start(&mut lines, plan.images, &mut stdout);
            strike(&processes, plan)
        });
        lines.read_to_string(&mut stdout).unwrap();
        let end = end_of(child, stdout, killed);
        drop(over);
        end
    })
}

/// Waits until all images run; returns their processes.
fn start(lines: &mut impl BufRead, images: usize, stdout: &mut String) -> Vec<Pid> {
    let mut processes = vec![None; images];
    while processes.contains(&None) {
        let mut line = String::new();
        let length = lines.read_line(&mut line).unwrap();
        assert!(length > 0, "the job ended before it began:\n{stdout}");
        stdout.push_str(&line);
        if let ["ready", image, process] = line.split_whitespace().collect::<Vec<_>>()[..] {
            processes[image.parse::<usize>().unwrap()] = Pid::from_raw(process.parse().unwrap());
        }
    }
    processes.into_iter().flatten().collect()
}

/// Kills the victims; returns when the first died.
fn strike(processes: &[Pid], plan: &Plan) -> u64 {
    // The wait is the random moment of the death, and orders nothing.
    std::thread::sleep(plan.delay);
    let first = nanos();
    for (number, &victim) in plan.victims.iter().enumerate() {
        if number > 0 && !plan.gap.is_zero() {
            std::thread::sleep(plan.gap);
        }
        // A late victim may have come to its end before.
        let _ = kill_process(processes[victim], Signal::KILL);
    }
    first
}

fn end_of(child: Child, stdout: String, killed: Option<u64>) -> End {
    let output = child.wait_with_output().unwrap();
    End {
        code: output.status.code(),
        stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        killed,
        over: nanos(),
    }
}

impl End {
    /// What the images learned of failures.
    pub fn news(&self) -> Vec<News> {
        let words = self
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("learned "));
        words
            .map(|words| {
                let mut words = words.splitn(4, ' ');
                let mut word = || words.next().unwrap();
                News {
                    image: word().parse().unwrap(),
                    nanos: word().parse().unwrap(),
                    turn: word().parse().unwrap(),
                    failed: word().to_owned(),
                }
            })
            .collect()
    }

    /// The images that came to the end.
    pub fn survivors(&self) -> Vec<usize> {
        let words = self
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("survived "));
        let mut survivors: Vec<usize> = words.map(|image| image.parse().unwrap()).collect();
        survivors.sort_unstable();
        survivors
    }
}
