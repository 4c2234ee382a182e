//! Whether a thread of this process is parked until another thread wakes it.
//!
//! An executor parks its thread when none of its tasks can go on. The kernel shows it: the thread waits on a private futex without a time limit. If all
//! other threads of the process belong to the job, only these can wake it: no timer, file or thread of somebody else.
//!
//! Where the kernel does not show it, a thread does not count as parked.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::thread::gettid;

/// The number of a thread in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadId(i32);

impl ThreadId {
    /// The number of the calling thread.
    pub fn current() -> Self {
        Self(gettid().as_raw_nonzero().get())
    }
}

/// The threads of this process that belong to the job: images, their helpers, and threads that wait for the job's end.
#[derive(Debug, Default)]
pub struct Threads {
    all: Mutex<BTreeSet<ThreadId>>,
    looking: Mutex<()>,
}

impl Threads {
    /// Adds the calling thread.
    pub fn enter(&self) -> ThreadId {
        let thread = ThreadId::current();
        self.with(|threads| threads.insert(thread));
        thread
    }

    /// Removes the calling thread.
    pub fn leave(&self) {
        self.with(|threads| threads.remove(&ThreadId::current()));
    }

    /// Locks the list for an inspection.
    pub fn look(&self) -> Look<'_> {
        Look {
            threads: self,
            _alone: self.looking.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn with<R>(&self, operate: impl FnOnce(&mut BTreeSet<ThreadId>) -> R) -> R {
        operate(&mut self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// An inspection of the threads of the process.
#[derive(Debug)]
pub struct Look<'a> {
    threads: &'a Threads,
    _alone: MutexGuard<'a, ()>,
}

impl Look<'_> {
    /// How many threads the job has in this process.
    pub fn threads(&self) -> usize {
        self.threads.with(|threads| threads.len())
    }

    /// Whether the process has no other threads; false if unknown.
    #[must_use]
    pub fn are_all(&self) -> bool {
        let Ok(entries) = fs::read_dir("/proc/self/task") else {
            return false;
        };
        self.threads.with(|threads| {
            let mut entries = entries.into_iter();
            entries.all(|entry| {
                let name = entry
                    .ok()
                    .and_then(|entry| entry.file_name().into_string().ok());
                let thread = name.and_then(|name| name.parse().ok()).map(ThreadId);
                thread.is_some_and(|thread| threads.contains(&thread))
            })
        })
    }

    /// If `thread` is parked and only threads of the job can wake it: its number of voluntary context switches. As long as the number is the same,
    /// the thread has not run.
    pub fn sleeps_of(&self, thread: ThreadId) -> Option<u64> {
        // A foreign thread may have woken this one and ended since: the next inspection sees another number.
        self.are_all().then_some(())?;
        let ThreadId(thread) = thread;
        let read = |what: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{what}")).ok();
        is_parked(&read("syscall")?).then(|| switches(&read("status")?))?
    }
}

/// The number of voluntary context switches.
fn switches(status: &str) -> Option<u64> {
    let count = |line: &str| {
        line.strip_prefix("voluntary_ctxt_switches:")?
            .trim()
            .parse()
            .ok()
    };
    status.lines().find_map(count)
}

/// Whether the system call of a thread is a wait on a private futex without a time limit.
fn is_parked(call: &str) -> bool {
    let mut words = call.split_ascii_whitespace();
    let number = words.next().and_then(|word| word.parse().ok());
    let argument = |word: &str| i64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let arguments: Vec<_> = words.map_while(argument).collect();
    let [_, operation, _, limit, ..] = arguments[..] else {
        return false;
    };
    let operation = operation as i32;
    let wait = operation & libc::FUTEX_CMD_MASK;
    number == Some(libc::SYS_futex)
        && (wait == libc::FUTEX_WAIT || wait == libc::FUTEX_WAIT_BITSET)
        && operation & libc::FUTEX_PRIVATE_FLAG != 0
        && limit == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    /// What the kernel says of a thread that does `wait`, once it says that it sleeps.
    fn call_in(wait: impl FnOnce(&mpsc::Receiver<()>) + Send) -> String {
        let (told, tell) = mpsc::channel();
        let (wake, awoken) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                told.send(ThreadId::current()).unwrap();
                wait(&awoken);
            });
            let ThreadId(thread) = tell.recv().unwrap();
            let read = |what: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{what}"));
            let futex = libc::SYS_futex.to_string();
            let call = loop {
                let call = read("syscall").unwrap_or_default();
                if call.starts_with(&futex) && read("status").is_ok_and(|it| it.contains("S (sl")) {
                    break call;
                }
                thread::yield_now();
            };
            wake.send(()).unwrap();
            call
        })
    }

    #[test]
    fn a_wait_without_a_limit_is_one_and_a_wait_with_one_is_not() {
        let parked = call_in(|awoken| awoken.recv().unwrap());
        assert!(is_parked(&parked), "{parked}");
        let limited = call_in(|awoken| {
            awoken.recv_timeout(Duration::from_secs(3600)).unwrap();
        });
        assert!(!is_parked(&limited), "{limited}");
    }

    #[test]
    fn what_others_share_or_run_is_none() {
        let call = |operation: i32| {
            let number = libc::SYS_futex;
            format!("{number} 0x7f01 {operation:#x} 0x0 0x0 0x0 0xffffffff 0x7ffc 0x7f02\n")
        };
        let private = libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG;
        assert!(is_parked(&call(private)));
        assert!(!is_parked(&call(libc::FUTEX_WAIT_BITSET)));
        assert!(!is_parked(&call(
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG
        )));
        assert!(!is_parked("running\n") && !is_parked("") && !is_parked("-1 0x7ffc 0x7f02"));
    }

    #[test]
    fn a_thread_that_slept_again_has_another_number_of_sleeps() {
        let status =
            "State:\tS (sleeping)\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(switches(status), Some(17));
        assert_eq!(switches("nonvoluntary_ctxt_switches:\t3\n"), None);
    }
}
