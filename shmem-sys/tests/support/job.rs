//! Tests that start themselves again, as jobs of several processes.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::any::type_name;
use std::env;
use std::ffi::{c_int, c_long};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Output;
use std::sync::{Mutex, PoisonError};

use shmem_sys::*;
use testing::launcher;

/// Says to a process of a job which test it is for.
const TEST: &str = "SHMEM_SYS_TEST";

/// Seconds that a job takes at most; those that hang are ended, and fail.
const PATIENCE: u32 = 120;

/// One process of a job.
#[derive(Clone, Copy, Debug)]
pub struct Pe {
    pub me: c_int,
    pub all: c_int,
}

/// Runs `body` on so many processes, and expects all of them to end well.
pub fn in_job<F: FnOnce(Pe)>(pes: usize, body: F) {
    in_job_by(&[], pes, body);
}

/// As [`in_job`], with these settings in the environment.
pub fn in_job_by<F: FnOnce(Pe)>(settings: &[(&str, &str)], pes: usize, body: F) {
    if let Some(output) = run(settings, pes, body) {
        assert!(output.status.success(), "{}", text(&output));
    }
}

/// Runs `body` on so many processes. In the process that starts the job, returns how it ended.
pub fn run<F: FnOnce(Pe)>(settings: &[(&str, &str)], pes: usize, body: F) -> Option<Output> {
    if env::var_os(TEST).is_some() {
        take_part(body);
        return None;
    }
    // The body's type is named after the test that it is in.
    let mut path = type_name::<F>().split("::").skip(1);
    let test = path.next().expect("a closure in a test");
    Some(start(settings, pes, test))
}

/// What a job wrote.
pub fn text(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{}\n{out}\n{error}", output.status)
}

fn start(settings: &[(&str, &str)], pes: usize, test: &str) -> Output {
    // One job at a time: each has as many processes as this machine may have cores.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let launcher = LAUNCHER.expect("shmemrun or oshrun beside the library's compiler");
    launcher::limited(PATIENCE, launcher, pes, env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(TEST, test)
        .envs(settings.iter().copied())
        .output()
        .unwrap()
}

fn take_part(body: impl FnOnce(Pe)) {
    // SAFETY: the test harness runs this one test, on one thread; the library is started before it is used.
    unsafe {
        work_around_known_crashes();
        let mut provided = -1;
        assert_eq!(shmem_init_thread(SHMEM_THREAD_SINGLE, &mut provided), 0);
        let pe = Pe {
            me: shmem_my_pe(),
            all: shmem_n_pes(),
        };
        if catch_unwind(AssertUnwindSafe(|| body(pe))).is_err() {
            // The others would wait for this process for ever.
            shmem_global_exit(101);
        }
        shmem_finalize();
    }
}

/// Symmetric memory of zero bytes. Collective.
pub fn zeroed<T>(count: usize) -> *mut T {
    // SAFETY: the library is started in every body.
    let memory = unsafe { shmem_calloc(count, size_of::<T>()) };
    // SAFETY: as above. Open MPI fills the memory when it has waited for the others, who might write already.
    unsafe { shmem_barrier_all() };
    assert!(!memory.is_null(), "the symmetric heap is full");
    memory.cast()
}

/// What a collective of so many elements of `pSync` needs. Collective.
pub fn synchronisation(elements: usize) -> *mut c_long {
    let sync = zeroed::<c_long>(elements);
    for place in 0..elements {
        // SAFETY: within what was allocated.
        unsafe { *sync.add(place) = SHMEM_SYNC_VALUE }
    }
    // SAFETY: the library is started in every body.
    unsafe { shmem_barrier_all() };
    sync
}
