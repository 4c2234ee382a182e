//! The scheduler of the system: clocks, involuntary context switches, time slices.

use std::mem;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

/// The time of a monotonic clock that all processes of a machine share.
pub fn now() -> Duration {
    read(ClockId::Monotonic)
}

/// The time of the last tick of that clock, which costs less.
pub fn tick() -> Duration {
    read(ClockId::MonotonicCoarse)
}

/// The time between two ticks: one to ten milliseconds on Linux. What else a system says that only imitates it, is taken for the next of these.
pub fn time_of_a_tick() -> Duration {
    let [least, most] = [1, 10].map(Duration::from_millis);
    duration(clock_getres(ClockId::MonotonicCoarse)).clamp(least, most)
}

fn read(clock: ClockId) -> Duration {
    duration(clock_gettime(clock))
}

fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The processor time that a process of this machine has used; none if there is no such process. Of each of its threads that runs, what the system
/// has noted last: up to [a tick](time_of_a_tick) may be missing.
pub fn time_of_process(process: u32) -> Option<Duration> {
    let mut clock = 0;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the calls write one clock and one time, for which there is room; the second is made if the first has written.
    let is_told = unsafe {
        libc::clock_getcpuclockid(process as libc::pid_t, &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    is_told.then(|| Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32))
}

/// Involuntary context switches of this thread, including yields that another thread took.
pub fn switches() -> u64 {
    // SAFETY: all-zero bytes are a `rusage`, which is made of integers.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the call writes one `rusage`, for which there is room.
    let outcome = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    // It cannot fail; if it did, the core would seem to be free.
    if outcome == 0 {
        usage.ru_nivcsw.unsigned_abs()
    } else {
        0
    }
}

/// What `sched_getattr` tells and `sched_setattr` wants, as of Linux 3.14 (`SCHED_ATTR_SIZE_VER0`).
#[derive(Debug, Default)]
#[repr(C)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// Of ordinary threads: the slice, in nanoseconds, from Linux 6.12 on; 0 before.
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// The shortest slice that can be asked for.
const SLICE: Duration = Duration::from_micros(100);

/// Asks for the shortest time slices for this thread. Its share of the core stays the same, but it gets that in more and
/// shorter pieces: when it is woken, it need not wait until another thread has had a whole slice. Systems that cannot do
/// that (before Linux 6.12), and threads that somebody has scheduled in another way, are left as they are.
pub fn shorten_slice() {
    let size = size_of::<Attributes>() as u32;
    let mut attributes = Attributes::default();
    // SAFETY: the call writes at most `size` bytes, which is the size of what is there, and all bytes are valid integers.
    let told = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    let wanted = SLICE.as_nanos() as u64;
    let is_ordinary = attributes.policy == libc::SCHED_OTHER as u32;
    if told != 0 || !is_ordinary || attributes.runtime <= wanted {
        return;
    }
    attributes.size = size;
    attributes.runtime = wanted;
    // The rest is as it was told. A system that refuses leaves everything as it is.
    // SAFETY: the call reads `attributes.size` bytes, which are there, and changes nothing but the scheduling of this thread.
    let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::*;

    fn attributes() -> Attributes {
        let mut attributes = Attributes::default();
        let size = size_of::<Attributes>() as u32;
        // SAFETY: as in `shorten_slice`.
        let told =
            unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        assert_eq!(told, 0);
        attributes
    }

    #[test]
    fn a_shorter_slice_is_all_that_changes() {
        let body = || {
            let before = attributes();
            shorten_slice();
            let after = attributes();
            let kept = |of: &Attributes| (of.policy, of.flags, of.nice, of.priority);
            assert_eq!(kept(&before), kept(&after));
            let can_be_asked_for = before.runtime > 0;
            let expected = if can_be_asked_for {
                before.runtime.min(SLICE.as_nanos() as u64)
            } else {
                0
            };
            assert_eq!(after.runtime, expected);
        };
        // On a thread of its own, so that others keep their slices.
        thread::spawn(body).join().unwrap();
    }

    #[test]
    fn the_time_of_a_process_is_that_of_its_threads() {
        let own = || time_of_process(std::process::id()).unwrap();
        let before = own();
        let body = move || {
            let start = now();
            while own() < before + Duration::from_millis(2) {
                assert!(now() < start + Duration::from_secs(100));
            }
        };
        thread::spawn(body).join().unwrap();
        assert!(own() >= before + Duration::from_millis(2));
        // More than the system gives.
        assert_eq!(time_of_process((1 << 22) + 1), None);
    }

    #[test]
    fn offers_that_another_thread_takes_are_counted() {
        let usable = sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU).find(|&core| usable.is_set(core));
        let stay = || {
            let mut one = CpuSet::new();
            one.set(first.unwrap());
            sched_setaffinity(None, &one).unwrap();
        };
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                stay();
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            scope.spawn(|| {
                stay();
                let before = switches();
                while switches() < before + 3 {
                    thread::yield_now();
                }
                is_over.store(true, Ordering::Relaxed);
            });
        });
    }
}
