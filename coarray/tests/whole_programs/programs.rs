//! The SPMD programs under test, each an ordinary coarray program.

use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use coarray::prelude::*;
use coarray::{error_stop_quiet, error_stop_with};

use crate::advice::mistakes as advice;
use crate::{coordination, cross_memory, delays, failing, sharing, working};

/// The first image ends the program within a function, and is reached by the others.
fn stop_early() {
    fn in_the_middle(depth: u32) -> u32 {
        match depth {
            0 => coarray::stop(0),
            _ => 1 + in_the_middle(depth - 1),
        }
    }
    let reached = Coarray::new(Coatomic::new(0));
    sync_all();
    if this_image() == 0 {
        unreachable!("it has come back from {}", in_the_middle(5));
    }
    reached.at(0).add(1);
    while reached.at(0).load() + 1 < num_images() {
        std::thread::yield_now();
    }
}

pub fn run(name: &str) -> ExitCode {
    let program: fn() = match name {
        "nothing" => || {},
        "race_edges" => crate::races::edges,
        "race_turns" => crate::races::turns,
        "race_halo" => crate::races::halo,
        "race_many" => crate::races::many,
        "race_panic" => crate::races::panicking,
        "come_late" => crate::profile::come_late,
        "come_late_in_turn" => crate::profile::come_late_in_turn,
        "come_late_with_a_number" => crate::profile::come_late_with_a_number,
        "come_late_with_three" => crate::profile::come_late_with_three,
        "come_late_with_values" => crate::profile::come_late_with_values,
        "wait_for_others" => crate::profile::wait_for_others,
        "count_ring" => crate::counts::ring,
        "count_halo" => crate::counts::halo,
        "count_transpose" => crate::counts::transpose,
        "count_gather" => crate::counts::gather,
        "count_histogram" => crate::counts::histogram,
        "count_at_lines" => crate::counts::at_lines,
        "count_and_die" => crate::counts::die,
        "advice_imbalance" => advice::imbalance,
        "advice_lock" => advice::lock,
        "advice_small_sums" => advice::small_sums,
        "advice_short_phases" => advice::short_phases,
        "advice_no_overlap" => advice::no_overlap,
        "advice_fine_puts" => advice::fine_puts,
        "advice_fine_column" => advice::fine_column,
        "advice_hot_word" => advice::hot_word,
        "advice_own_part" => advice::own_part,
        "advice_read_and_print" => advice::read_and_print,
        "check_lines" => crate::check::lines,
        "check_barriers" => crate::check::barriers,
        "check_race" => crate::check::race,
        "check_fail_without" => crate::check::fail_without,
        "check_no_lines" => crate::check::no_lines,
        "check_stay_without" => crate::check::stay_without,
        "check_turns" => crate::check::turns,
        "check_ring" => crate::check::ring,
        "check_neighbours" => crate::check::neighbours,
        "check_two_phases" => crate::check::two_phases,
        "traced" => crate::timeline::programs::traced,
        "traced_to_the_end" => crate::timeline::programs::traced_to_the_end,
        "traced_until_killed" => crate::timeline::programs::traced_until_killed,
        "odd_regions" => crate::timeline::programs::odd_regions,
        "many_steps" => crate::timeline::programs::many_steps,
        "hello" => hello,
        "all_to_all" => working::all_to_all,
        "allocation" => working::allocation,
        "coatomics" => working::coatomics,
        "everything" => working::everything,
        "ring_of_pairs" => coordination::ring_of_pairs,
        "cofutures" => crate::asynchronous::cofutures,
        "senders" => crate::choices::senders,
        "deadlock" => crate::deadlocks::program,
        "patient_executors" => crate::deadlocks::patient_executors,
        "own_choice" => crate::choices::own_choice,
        "disagreeing_broadcast" => crate::disagreements::broadcast,
        "disagreeing_reduction" => crate::disagreements::reduction,
        "reduction_once_more" => crate::disagreements::reduction_once_more,
        "remove_table" => crate::choices::remove_table,
        "asynchronous_collectives" => crate::asynchronous::collectives,
        "asynchronous_mismatch" => crate::asynchronous::mismatch,
        "collectives" => working::collectives,
        "teams" => coordination::teams,
        "events" => coordination::events,
        "exhaustion" => failing::exhaustion,
        "unhandled_exhaustion" => failing::unhandled_exhaustion,
        "panic" => failing::panic_on_last,
        "busy_panic" => failing::busy_panic,
        "caught_panic" => failing::caught_panic,
        "stop" => stop_early,
        "stop_with_code" => || {
            if is_last() {
                coarray::stop(9)
            } else {
                sync_all()
            }
        },
        "error_stop" => || if is_last() { error_stop(7) } else { sync_all() },
        "error_stop_with" => || error_stop_with(3, "no such file: moon.rle"),
        "error_stop_quiet" => || {
            if is_last() {
                error_stop_quiet(3)
            } else {
                sync_all()
            }
        },
        "failure" => return coarray::launch(failing::failure),
        "told_failure" => return failing::told::main(),
        "exit_code" => return coarray::launch(|| ExitCode::from(if is_last() { 9 } else { 0 })),
        "exit" => || {
            if is_last() {
                std::process::exit(0)
            } else {
                sync_all()
            }
        },
        "kill_one" => failing::kill_one,
        "terminate_one" => failing::terminate_one,
        "bad_image" => failing::bad_image,
        "bad_index" => failing::bad_index,
        "mismatch" => failing::mismatch,
        "early_end" => || {
            if !is_last() {
                sync_all()
            }
        },
        "echo" => echo,
        "lines" => lines,
        "leave_a_process" => crate::wrappers::leave_a_process,
        "nest" => crate::wrappers::nest,
        "flood" => crate::readers::flood,
        "collective_while_unwinding" => failing::collective_while_unwinding,
        "unwinding_together" => failing::unwinding_together,
        "guard_in_thread_local" => failing::guard_in_thread_local,
        "escapes" => || panic!("\u{1b}[31mred\u{7}\ta\nb"),
        "warned" => warned,
        "long_lines" => || {
            for _ in 0..5 {
                println!("{}", this_image().to_string().repeat(300_000));
            }
        },
        "pids" => pids,
        "wait_for_one" => wait_for_one,
        "fork" => crate::limits::fork,
        "write_much" => crate::limits::write_much,
        "affinity" => affinity,
        "exchange" => cross_memory::exchange,
        "shared_core" => sharing::shared_core,
        "pair" => failing::pair,
        "lose_last" => return coarray::launch(failing::lose_last),
        "use_again" => failing::use_again,
        "lose_all" => failing::lose_all,
        "never_came" => return failing::never_came(),
        "random_steps" => delays::random_steps,
        "timeouts" => delays::timeouts,
        "helper_thread" => delays::helper_thread,
        "changing_thread" => delays::changing_thread,
        "much_output" => delays::much_output,
        "until_the_input_ends" => delays::until_the_input_ends,
        "busy_error_stop" => failing::busy_error_stop,
        _ => panic!("there is no program {name}"),
    };
    coarray::launch(program)
}

/// Whether this is the image with the highest number.
pub fn is_last() -> bool {
    this_image() + 1 == num_images()
}

fn hello() {
    println!("hello from image {} of {}", this_image(), num_images());
}

fn echo() {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
    println!("image {} read {input:?}", this_image());
}

/// Long lines in many small writes.
fn lines() {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    for line in 0..500 {
        for _ in 0..20 {
            write!(out, "{}", this_image()).unwrap();
            out.flush().unwrap();
        }
        writeln!(out, " {line}").unwrap();
    }
}

/// Prints the process numbers of all images and waits for ever.
fn pids() {
    println!("{}", std::process::id());
    sync_all();
    if this_image() == 0 {
        loop {
            std::thread::park();
        }
    }
    sync_all();
}

/// Each image waits for a signal that would end it if it did not handle it.
fn warned() {
    static SIGNAL: AtomicBool = AtomicBool::new(false);
    extern "C" fn note(_: i32) {
        SIGNAL.store(true, Ordering::Relaxed);
    }
    for signal in [libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: the handler only stores to an atomic.
        unsafe { libc::signal(signal, note as extern "C" fn(i32) as libc::sighandler_t) };
    }
    println!("ready");
    while !SIGNAL.load(Ordering::Relaxed) {
        std::thread::yield_now();
    }
    println!("saved");
}

/// All wait for image 0, and print how much processor time that took.
fn wait_for_one() {
    sync_all();
    let before = processor_seconds();
    let start = Instant::now();
    while this_image() == 0 && start.elapsed() < Duration::from_millis(800) {
        std::thread::park_timeout(Duration::from_millis(100));
    }
    sync_all();
    println!("{}", processor_seconds() - before);
}

/// Processor time of this process so far; `/proc` counts in hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

fn affinity() {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    println!("{} {}", this_image(), allowed.trim());
}
