//! Reports of a deadlock or disagreement for each kind of wait, with the program's own words and places.

use std::future::{Future, poll_fn};
use std::mem;
use std::pin::pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use coarray::asynchronous::{Cofuture, co_sum_async};
use coarray::prelude::*;

use crate::deadlock_cases::cases;
use crate::job::{Check, End, in_its_place, on_threads, plain, run};

/// The files of the programs begin with it, and end with [`END`].
const FILES: &str = "coarray/tests/whole_programs/deadlock_cases";
const END: &str = ".rs";

/// The variable that names the case.
const CASE: &str = "CASE_OF_DEADLOCK";

pub fn trials() -> Vec<Check> {
    vec![
        (
            "what_can_never_go_on_is_reported_in_its_own_words",
            all_cases,
        ),
        (
            "an_executor_with_something_else_to_wait_for_is_awake",
            patient_executors_end,
        ),
    ]
}

/// The program of the case that the environment names.
pub fn program() {
    let name = std::env::var(CASE).unwrap();
    let case = cases().find(|case| case.name == name);
    (case
        .unwrap_or_else(|| panic!("there is no case {name}"))
        .program)();
}

fn all_cases() {
    let mut wrong = String::new();
    for case in cases() {
        assert!(!case.says.is_empty(), "{}", case.name);
        for (fabric, mut command) in [
            ("processes", plain(case.images, "deadlock")),
            ("threads", on_threads(case.images, "deadlock")),
        ] {
            command.env(CASE, case.name);
            let report = with_places_hidden(&bounded(command).stderr);
            let is_said = |words: &&str| report.contains(*words);
            if !case.says.iter().all(is_said) || report.contains(".rs:") {
                wrong += &format!("\n{} on {fabric}:\n{report}", case.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs a job that may hang; `timeout` then ends it.
fn bounded(command: Command) -> End {
    let mut bounded = Command::new("timeout");
    bounded.arg("20").arg(command.get_program());
    run(in_its_place(bounded, &command))
}

/// The report with `HERE` for each place in these files.
fn with_places_hidden(report: &str) -> String {
    let mut pieces = report.split(FILES);
    let mut text = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let is_place = |letter: char| letter == ':' || letter.is_ascii_digit();
        text += "HERE";
        let (_, piece) = piece.split_once(END).unwrap();
        let rest = piece.trim_start_matches(is_place);
        // A colon that follows the place is not part of it.
        text += if piece[..piece.len() - rest.len()].ends_with(':') {
            ":"
        } else {
            ""
        };
        text += rest;
    }
    text
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future as executors do: parks the thread until the waker is called.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

pub fn is_first() -> bool {
    this_image() == 0
}

/// Longer than it takes to report a deadlock.
const LONG: Duration = Duration::from_secs(1);

/// Executors that go on by themselves, while the other image sleeps.
pub fn patient_executors() {
    let event = Coarray::new(Coevent::new());
    let post = || event.at(1).post();
    for way in [after_a_thread, after_some_time] {
        match is_first() {
            true => assert_eq!(way(co_sum_async(1), &post), 2),
            false => {
                event.wait();
                assert_eq!(co_sum_async(1).wait(), 2);
            }
        }
    }
    // An executor that waits only for the sum, and gets it.
    if !is_first() {
        thread::sleep(LONG);
    }
    assert_eq!(block_on(co_sum_async(1)), 2);
}

/// Awaits the sum and a thread; calls `then` after the thread's end.
fn after_a_thread(sum: Cofuture<'_, i32>, then: &dyn Fn()) -> i32 {
    let shared: Arc<Mutex<(Option<Waker>, bool)>> = Arc::default();
    let theirs = Arc::clone(&shared);
    let thread = thread::spawn(move || {
        thread::sleep(LONG);
        let (waker, is_over) = &mut *theirs.lock().unwrap();
        *is_over = true;
        waker.take().unwrap().wake();
    });
    let mut sum = pin!(sum);
    let mut has_called = false;
    let sum = block_on(poll_fn(|context| {
        let (waker, is_over) = &mut *shared.lock().unwrap();
        *waker = Some(context.waker().clone());
        if *is_over && !mem::replace(&mut has_called, true) {
            then();
        }
        sum.as_mut().poll(context)
    }));
    thread.join().unwrap();
    sum
}

/// Awaits the sum, and calls `then` after some time.
fn after_some_time(sum: Cofuture<'_, i32>, then: &dyn Fn()) -> i32 {
    let waker = Arc::new(Unpark(thread::current())).into();
    let (mut sum, time, mut is_over) = (pin!(sum), Instant::now() + LONG, false);
    loop {
        if let Poll::Ready(sum) = sum.as_mut().poll(&mut Context::from_waker(&waker)) {
            return sum;
        }
        thread::park_timeout(LONG);
        if !is_over && Instant::now() >= time {
            is_over = true;
            then();
        }
    }
}

fn patient_executors_end() {
    for command in [
        plain(2, "patient_executors"),
        on_threads(2, "patient_executors"),
    ] {
        bounded(command).success();
    }
}
