//! Programs that fail, or lose images.

use std::cell::RefCell;
use std::process::{Command, ExitCode};

use coarray::OwnedOpen;
use coarray::failure::fail_image;
use coarray::prelude::*;

use crate::programs::is_last;

/// An allocation that does not fit is an error on all images, and everything else stays as it was.
pub fn exhaustion() {
    let kept = Coarray::<[u64]>::from_fn(100_000, |i| i as u64);
    let small: Vec<_> = (0..3)
        .map(|_| Coarray::new([this_image() as u16; 1000]))
        .collect();
    let error = Coarray::<[f64]>::try_zeroed(1 << 30).map(drop).unwrap_err();
    if this_image() == 0 {
        println!("{error}");
    }
    assert!(kept.iter().enumerate().all(|(i, &value)| value == i as u64));
    assert!(
        small
            .iter()
            .all(|coarray| **coarray == [this_image() as u16; 1000])
    );
    let more = Coarray::<[u8]>::zeroed(100_000);
    assert!(more.iter().all(|&byte| byte == 0));
}

pub fn unhandled_exhaustion() {
    let _kept = Coarray::<[u64]>::zeroed(100_000);
    let _too_much = Coarray::<[f64]>::zeroed(1 << 30);
}

pub fn panic_on_last() {
    if is_last() {
        panic!("the moon is missing");
    }
    sync_all();
}

/// Calls a collective operation when it is dropped.
struct Summing;

impl Drop for Summing {
    fn drop(&mut self) {
        co_sum(&mut 1);
    }
}

pub fn collective_while_unwinding() {
    let _summing = is_last().then(|| Summing);
    panic_on_last();
}

/// All images do the same, so that nothing is wrong until the end.
pub fn unwinding_together() {
    for _ in 0..2 {
        let caught = std::panic::catch_unwind(|| {
            let _summing = Summing;
            panic!("the moon is missing");
        });
        assert!(caught.is_err());
    }
    sync_all();
    error_stop(7);
}

/// One image keeps its guard longer than the job lasts.
pub fn guard_in_thread_local() {
    thread_local! {
        static GUARD: RefCell<Option<OwnedOpen<Coarray<i32>>>> = const { RefCell::new(None) };
    }
    let guard = Coarray::new(0).into_open();
    if is_last() {
        GUARD.set(Some(guard));
    }
}

/// The other images never check whether the job has ended.
pub fn busy_panic() {
    sync_all();
    if is_last() {
        panic!("the moon is missing");
    }
    loop {
        std::hint::spin_loop();
    }
}

pub fn caught_panic() {
    let caught = std::panic::catch_unwind(|| panic!("a private matter"));
    assert!(caught.is_err());
    sync_all();
}

pub fn failure() -> Result<(), String> {
    sync_all();
    if is_last() {
        Err("the moon is missing".into())
    } else {
        Ok(())
    }
}

pub mod told {
    #[coarray::main]
    pub fn main() -> Result<(), String> {
        super::failure()
    }
}

pub fn kill_one() {
    sync_all();
    if is_last() {
        kill_me();
    }
    sync_all();
}

pub fn terminate_one() {
    sync_all();
    if is_last() {
        // SAFETY: a signal to this thread, for which no handler of the program exists.
        unsafe { libc::raise(libc::SIGTERM) };
        println!("image {} has survived", this_image());
    }
    sync_all();
}

pub fn kill_me() {
    let me = std::process::id();
    Command::new("sh")
        .args(["-c", &format!("kill -KILL {me}")])
        .status()
        .unwrap();
}

pub fn bad_image() {
    let mut x = Coarray::new(0);
    let x = x.open();
    x.at(num_images()).put(1);
}

pub fn bad_index() {
    let mut x = Coarray::<[i32]>::zeroed(10);
    let x = x.open();
    let index = 10 + this_image();
    x.at(num_images() - 1)[index].put(1);
}

pub fn mismatch() {
    let mut x = 1.5;
    if is_last() {
        co_sum(&mut x);
    } else {
        sync_all();
    }
}

/// The collective operations of the program `pair`, in the words that a report has for them.
pub const OPERATIONS: [&str; 12] = [
    "creation of a coarray of i32",
    "open of the coarray of u8",
    "the end of the open phase of the coarray of u16",
    "publish of the coarray of u8",
    "the end of the read-only phase of the coarray of u32",
    "sync_all",
    "co_broadcast of i32 from image 0",
    "co_sum of i32",
    "co_min of i32",
    "co_max of i32",
    "co_reduce of i32",
    "the end of the program",
];

/// The variable with two numbers: the last image's operation, and all others'.
pub const PAIR: &str = "PAIR_OF_OPERATIONS";

pub fn pair() {
    let pair = std::env::var(PAIR).unwrap();
    let (last, others) = pair.split_once(' ').unwrap();
    let mut closed = Coarray::new(1u8);
    let (mut opened, mut published) = (Coarray::new(1u16), Coarray::new(1u32));
    let (open, read) = (opened.open(), published.publish());
    match if is_last() { last } else { others }.parse().unwrap() {
        0 => _ = Coarray::new(1i32),
        1 => _ = closed.open(),
        2 => drop(open),
        3 => _ = closed.publish(),
        4 => drop(read),
        5 => sync_all(),
        6 => co_broadcast(&mut 1, 0),
        7 => co_sum(&mut 1),
        8 => co_min(&mut 1),
        9 => co_max(&mut 1),
        10 => co_reduce(&mut 1, |a, b| a + b),
        _ => std::mem::forget((open, read)),
    }
}

/// The processes of all images. Nobody is in a collective operation any more when the last image returns.
pub fn processes() -> Vec<u32> {
    let processes = Coarray::new(Coatomic::new(std::process::id()));
    let read = Coarray::new(Coatomic::new(0));
    let last = num_images() - 1;
    let all = (0..num_images()).map(|image| processes.at(image).load());
    let all = all.collect();
    if is_last() {
        while read.load() < last {
            std::thread::yield_now();
        }
    } else {
        read.at(last).fetch_add(1);
    }
    all
}

/// Waits until nothing is left of a process. Returns at once for this process, where images are threads.
pub fn wait_for_end(process: u32) {
    let place = format!("/proc/{process}");
    while process != std::process::id() && std::fs::exists(&place).unwrap() {
        std::thread::yield_now();
    }
}

/// The variable that names the way in which the last image is lost.
pub const WAY: &str = "WAY_OF_THE_LAST_IMAGE";

/// The last image is lost; the others go on when nothing of it is left, without collective operations.
pub fn lose_last() -> ExitCode {
    let processes = processes();
    if is_last() {
        match std::env::var(WAY).unwrap().as_str() {
            "kill" => kill_me(),
            "kill in mid-line" => {
                eprint!("half a line");
                kill_me();
            }
            "panic" => panic!("the moon is missing"),
            "fail_image" => fail_image(),
            "exit" => std::process::exit(5),
            "desert" => std::process::exit(0),
            _ => {}
        }
        return ExitCode::from(9);
    }
    wait_for_end(processes[num_images() - 1]);
    println!("image {} goes on", this_image());
    ExitCode::SUCCESS
}

/// The last image is killed, and each other image panics when nothing is left of the next image.
pub fn lose_all() {
    let processes = processes();
    if is_last() {
        return kill_me();
    }
    wait_for_end(processes[this_image() + 1]);
    panic!("the moon is missing");
}

/// The last process ends with success before it becomes an image.
pub fn never_came() -> ExitCode {
    let images = std::env::var("COARRAY_IMAGES").unwrap();
    let last = images.parse::<usize>().unwrap() - 1;
    if std::env::var("COARRAY_IMAGE").is_ok_and(|image| image == last.to_string()) {
        return ExitCode::SUCCESS;
    }
    coarray::launch(|| println!("image {} goes on", this_image()))
}

/// The other images never check whether the job has ended.
pub fn busy_error_stop() {
    if is_last() {
        error_stop(7);
    }
    loop {
        std::hint::spin_loop();
    }
}

/// The last image is killed, so it never drops its parts. The others create and drop more than their heaps hold.
pub fn use_again() {
    let held = Coarray::<[Coatomic<u64>; 10_000]>::from_fn(|_| Coatomic::new(0));
    if is_last() {
        kill_me();
    }
    coarray::failure::try_sync_all().unwrap_err();
    drop(held);
    for _ in 0..50 {
        let team = Team::form_survivors(1);
        team.change(|| {
            let counters = Coarray::<[Coatomic<usize>; 10_000]>::from_fn(|_| Coatomic::new(0));
            counters.at(0)[9_999].add(1);
            sync_all();
            assert_eq!(counters.at(0)[9_999].load(), num_images());
        });
    }
    println!("done");
}
