//! The SPMD programs under test, each an ordinary coarray program.

use std::fmt::Debug;
use std::io::Read;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use coarray::prelude::*;
use coarray::{error_stop_quiet, error_stop_with};

use crate::{coordination, delays, failing, sharing};

/// All programs that must work, in one job.
fn everything() {
    all_to_all();
    allocation();
    coatomics();
    crate::asynchronous::cofutures();
    crate::asynchronous::collectives();
    collectives();
    coordination::teams();
    coordination::events();
    sync_all();
    if this_image() == 0 {
        println!("everything works");
    }
}

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
    match name {
        "nothing" => coarray::launch(|| {}),
        "race_edges" => coarray::launch(crate::races::edges),
        "race_turns" => coarray::launch(crate::races::turns),
        "race_halo" => coarray::launch(crate::races::halo),
        "race_many" => coarray::launch(crate::races::many),
        "race_panic" => coarray::launch(crate::races::panicking),
        "come_late" => coarray::launch(crate::profile::come_late),
        "come_late_in_turn" => coarray::launch(crate::profile::come_late_in_turn),
        "come_late_with_a_number" => coarray::launch(crate::profile::come_late_with_a_number),
        "come_late_with_three" => coarray::launch(crate::profile::come_late_with_three),
        "come_late_with_values" => coarray::launch(crate::profile::come_late_with_values),
        "wait_for_others" => coarray::launch(crate::profile::wait_for_others),
        "count_ring" => coarray::launch(crate::counts::ring),
        "count_halo" => coarray::launch(crate::counts::halo),
        "count_transpose" => coarray::launch(crate::counts::transpose),
        "count_gather" => coarray::launch(crate::counts::gather),
        "count_histogram" => coarray::launch(crate::counts::histogram),
        "count_at_lines" => coarray::launch(crate::counts::at_lines),
        "count_and_die" => coarray::launch(crate::counts::die),
        "advice_imbalance" => coarray::launch(crate::advice::imbalance),
        "advice_lock" => coarray::launch(crate::advice::lock),
        "advice_small_sums" => coarray::launch(crate::advice::small_sums),
        "advice_short_phases" => coarray::launch(crate::advice::short_phases),
        "advice_no_overlap" => coarray::launch(crate::advice::no_overlap),
        "advice_fine_puts" => coarray::launch(crate::advice::fine_puts),
        "advice_fine_column" => coarray::launch(crate::advice::fine_column),
        "advice_hot_word" => coarray::launch(crate::advice::hot_word),
        "advice_own_part" => coarray::launch(crate::advice::own_part),
        "advice_read_and_print" => coarray::launch(crate::advice::read_and_print),
        "check_lines" => coarray::launch(crate::check::lines),
        "check_barriers" => coarray::launch(crate::check::barriers),
        "check_race" => coarray::launch(crate::check::race),
        "check_fail_without" => coarray::launch(crate::check::fail_without),
        "check_no_lines" => coarray::launch(crate::check::no_lines),
        "check_stay_without" => coarray::launch(crate::check::stay_without),
        "check_turns" => coarray::launch(crate::check::turns),
        "check_ring" => coarray::launch(crate::check::ring),
        "check_neighbours" => coarray::launch(crate::check::neighbours),
        "check_two_phases" => coarray::launch(crate::check::two_phases),
        "traced" => coarray::launch(crate::timeline::traced),
        "traced_to_the_end" => coarray::launch(crate::timeline::traced_to_the_end),
        "traced_until_killed" => coarray::launch(crate::timeline::traced_until_killed),
        "odd_regions" => coarray::launch(crate::timeline::odd_regions),
        "many_steps" => coarray::launch(crate::timeline::many_steps),
        "hello" => coarray::launch(hello),
        "all_to_all" => coarray::launch(all_to_all),
        "allocation" => coarray::launch(allocation),
        "coatomics" => coarray::launch(coatomics),
        "everything" => coarray::launch(everything),
        "ring_of_pairs" => coarray::launch(coordination::ring_of_pairs),
        "cofutures" => coarray::launch(crate::asynchronous::cofutures),
        "senders" => coarray::launch(crate::choices::senders),
        "deadlock" => coarray::launch(crate::deadlocks::program),
        "patient_executors" => coarray::launch(crate::deadlocks::patient_executors),
        "own_choice" => coarray::launch(crate::choices::own_choice),
        "disagreeing_broadcast" => coarray::launch(crate::disagreements::broadcast),
        "disagreeing_reduction" => coarray::launch(crate::disagreements::reduction),
        "reduction_once_more" => coarray::launch(crate::disagreements::reduction_once_more),
        "remove_table" => coarray::launch(crate::choices::remove_table),
        "asynchronous_collectives" => coarray::launch(crate::asynchronous::collectives),
        "asynchronous_mismatch" => coarray::launch(crate::asynchronous::mismatch),
        "collectives" => coarray::launch(collectives),
        "teams" => coarray::launch(coordination::teams),
        "events" => coarray::launch(coordination::events),
        "exhaustion" => coarray::launch(failing::exhaustion),
        "unhandled_exhaustion" => coarray::launch(failing::unhandled_exhaustion),
        "panic" => coarray::launch(failing::panic_on_last),
        "busy_panic" => coarray::launch(failing::busy_panic),
        "caught_panic" => coarray::launch(failing::caught_panic),
        "stop" => coarray::launch(stop_early),
        "stop_with_code" => coarray::launch(|| {
            if is_last() {
                coarray::stop(9)
            } else {
                sync_all()
            }
        }),
        "error_stop" => coarray::launch(|| if is_last() { error_stop(7) } else { sync_all() }),
        "error_stop_with" => coarray::launch(|| error_stop_with(3, "no such file: moon.rle")),
        "error_stop_quiet" => coarray::launch(|| {
            if is_last() {
                error_stop_quiet(3)
            } else {
                sync_all()
            }
        }),
        "failure" => coarray::launch(failing::failure),
        "told_failure" => failing::told::main(),
        "exit_code" => coarray::launch(|| ExitCode::from(if is_last() { 9 } else { 0 })),
        "exit" => coarray::launch(|| {
            if is_last() {
                std::process::exit(0)
            } else {
                sync_all()
            }
        }),
        "kill_one" => coarray::launch(failing::kill_one),
        "terminate_one" => coarray::launch(failing::terminate_one),
        "bad_image" => coarray::launch(failing::bad_image),
        "bad_index" => coarray::launch(failing::bad_index),
        "mismatch" => coarray::launch(failing::mismatch),
        "early_end" => coarray::launch(|| {
            if !is_last() {
                sync_all()
            }
        }),
        "echo" => coarray::launch(echo),
        "lines" => coarray::launch(lines),
        "leave_a_process" => coarray::launch(crate::wrappers::leave_a_process),
        "nest" => coarray::launch(crate::wrappers::nest),
        "flood" => coarray::launch(crate::readers::flood),
        "collective_while_unwinding" => coarray::launch(failing::collective_while_unwinding),
        "unwinding_together" => coarray::launch(failing::unwinding_together),
        "guard_in_thread_local" => coarray::launch(failing::guard_in_thread_local),
        "escapes" => coarray::launch(|| panic!("\u{1b}[31mred\u{7}\ta\nb")),
        "warned" => coarray::launch(warned),
        "long_lines" => coarray::launch(|| {
            for _ in 0..5 {
                println!("{}", this_image().to_string().repeat(300_000));
            }
        }),
        "pids" => coarray::launch(pids),
        "wait_for_one" => coarray::launch(wait_for_one),
        "fork" => coarray::launch(crate::limits::fork),
        "write_much" => coarray::launch(crate::limits::write_much),
        "affinity" => coarray::launch(affinity),
        "shared_core" => coarray::launch(sharing::shared_core),
        "pair" => coarray::launch(failing::pair),
        "lose_last" => coarray::launch(failing::lose_last),
        "use_again" => coarray::launch(failing::use_again),
        "lose_all" => coarray::launch(failing::lose_all),
        "never_came" => failing::never_came(),
        "random_steps" => coarray::launch(delays::random_steps),
        "timeouts" => coarray::launch(delays::timeouts),
        "helper_thread" => coarray::launch(delays::helper_thread),
        "changing_thread" => coarray::launch(delays::changing_thread),
        "much_output" => coarray::launch(delays::much_output),
        "until_the_input_ends" => coarray::launch(delays::until_the_input_ends),
        "busy_error_stop" => coarray::launch(failing::busy_error_stop),
        _ => panic!("there is no program {name}"),
    }
}

/// Whether this is the image with the highest number.
pub fn is_last() -> bool {
    this_image() + 1 == num_images()
}

fn hello() {
    println!("hello from image {} of {}", this_image(), num_images());
}

/// Every image puts a value made from both images' numbers into its own place on every image, in coarrays
/// of several types and shapes, and gets it back from everywhere.
fn all_to_all() {
    exchange(|from, to| (100 * from + to) as u8);
    exchange(|from, to| (100 * from + to) as i16);
    exchange(|from, to| (100 * from + to) as u32);
    exchange(|from, to| -((100 * from + to) as i64));
    exchange(|from, to| (100 * from + to) as u128 * 0x1_0000_0000_0000_0001);
    exchange(|from, to| from as f32 / (to + 1) as f32);
    exchange(|from, to| from as f64 / (to + 1) as f64);
    exchange(|from, to| (from + to) % 2 == 1);
    exchange(|from, to| char::from_u32((0x3b1 + 9 * from + to) as u32).unwrap());
    exchange(|from, to| [from as f64, to as f64, 0.5]);
    exchange(|from, to| [[from as u16; 3], [to as u16; 3]]);
    exchange(|from, to| Particle {
        position: [from as f64, to as f64],
        charge: Charge::of(from + to),
        mass: 7,
    });
    members();
}

#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 2],
    charge: Charge,
    mass: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(u32)]
enum Charge {
    Positive = 1,
    Negative = 5,
}

impl Charge {
    fn of(number: usize) -> Self {
        if number.is_multiple_of(2) {
            Self::Positive
        } else {
            Self::Negative
        }
    }
}

fn exchange<T: Remote + PartialEq + Debug>(value: impl Fn(usize, usize) -> T) {
    let (me, images) = (this_image(), num_images());
    let mut inbox = Coarray::<[T]>::from_fn(2 * images, |_| value(0, 0));
    let open = inbox.open();
    for to in 0..images {
        open.at(to)[me].put(value(me, to));
        let row = vec![value(me, to); images - me];
        open.at(to)[images + me..]
            .section(..1, 1)
            .put_from(&row[..1]);
    }
    sync_all();
    for to in 0..images {
        let expected: Vec<T> = (0..images).map(|from| value(from, to)).collect();
        assert_eq!(open.at(to)[..images].to_vec(), expected);
        assert_eq!(open.at(to)[images..].to_vec(), expected);
        assert_eq!(open.at(to)[me].get(), value(me, to));
    }
    sync_all();
    drop(open);
    assert!((0..images).all(|from| inbox[from] == value(from, me)));
}

fn members() {
    let mut particles = Coarray::new(
        [Particle {
            position: [0.0; 2],
            charge: Charge::Positive,
            mass: 1,
        }; 3],
    );
    let open = particles.open();
    let right = (this_image() + 1) % num_images();
    field!(open.at(right)[2], mass).put(this_image() as u32);
    field!(open.at(right)[2], position)[1].put(0.25);
    field!(open.at(right)[2], charge).put(Charge::Negative);
    drop(open);
    let left = (this_image() + num_images() - 1) % num_images();
    let expected = Particle {
        position: [0.0, 0.25],
        charge: Charge::Negative,
        mass: left as u32,
    };
    assert_eq!(particles[2], expected);
}

/// All images count at once on image 0: in a word, in a float, in a struct that takes a lock, and in place.
fn coatomics() {
    const TURNS: u64 = 2000;
    let words = Coarray::new(Coatomic::new(0u16));
    let floats = Coarray::new(Coatomic::new(0.0));
    let structs = Coarray::new(Coatomic::new([0u64; 100]));
    let mut plain = Coarray::<[u32; 3]>::zeroed();
    let plain = plain.open();
    for _ in 0..TURNS {
        words.at(0).add(1);
        floats.at(0).add(0.5);
        plain.at(0)[1].as_atomic().add(1);
        let mut seen = structs.at(0).load();
        while let Err(other) = structs.at(0).compare_exchange(seen, [seen[0] + 1; 100]) {
            seen = other;
        }
        assert_eq!(seen, [seen[0]; 100], "half of each of two values");
    }
    sync_all();
    let total = TURNS * num_images() as u64;
    assert_eq!(u64::from(words.at(0).load()), total);
    assert_eq!(floats.at(0).load(), total as f64 / 2.0);
    assert_eq!(structs.at(0).load(), [total; 100]);
    assert_eq!(u64::from(plain.at(0)[1].get()), total);
}

/// Creates and drops coarrays and ragged runs in one random order on all images; each keeps its contents.
fn allocation() {
    let mut random = 12345u64;
    let mut next = move |below: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let me = this_image() as u64;
    let mut live: Vec<(u64, Coarray<[u64]>, Ragged<u32>)> = Vec::new();
    for step in 0..400 {
        let victim = next(live.len() + 3);
        if victim < live.len() {
            live.swap_remove(victim);
        } else {
            let length = next(20_000);
            let coarray = Coarray::<[u64]>::from_fn(length, |i| step ^ me ^ i as u64);
            let ragged = Ragged::from_fn(length / 100 * this_image(), |i| i as u32 + step as u32);
            live.push((step, coarray, ragged));
        }
        for (step, coarray, ragged) in &live {
            assert!(
                coarray
                    .iter()
                    .enumerate()
                    .step_by(97)
                    .all(|(i, &value)| value == step ^ me ^ i as u64)
            );
            assert!(
                ragged
                    .iter()
                    .enumerate()
                    .all(|(i, &value)| value == i as u32 + *step as u32)
            );
        }
    }
}

fn collectives() {
    let images = num_images() as u64;
    for length in [0, 1, 100, 20_000] {
        let mut values: Vec<u64> = (0..length).map(|i| this_image() as u64 * i).collect();
        co_sum(&mut values);
        assert!(
            (0..length)
                .zip(&values)
                .all(|(i, &sum)| sum == i * images * (images - 1) / 2)
        );
    }
    let mut coarray = Coarray::new([this_image() as i32, -(this_image() as i32)]);
    co_max(&mut coarray);
    assert_eq!(*coarray, [images as i32 - 1, 0]);
    let mut digits = 10 + this_image() as u64;
    co_reduce(&mut digits, |a, b| a.wrapping_mul(31).wrapping_add(b));
    assert_eq!(
        digits,
        (11..10 + images).fold(10, |a: u64, b| a.wrapping_mul(31).wrapping_add(b))
    );
    for root in 0..num_images() {
        let mut value = [this_image(); 7];
        co_broadcast(&mut value, root);
        assert_eq!(value, [root; 7]);
    }
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
