//! Starts the PEs of a job, as Lamellar's `lamellar_run.sh` does, and clears up behind them.

use std::env;
use std::fs;
use std::process::{self, Child, Command, ExitCode};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, set_parent_process_death_signal};

const PE: &str = "LAMELLAR_PE_ID";

/// Memory for each PE's regions and arrays.
const HEAP: usize = 1 << 30;

/// Whether this process is a PE of a job.
pub fn is_pe() -> bool {
    env::var_os(PE).is_some()
}

/// Runs this program as so many PEs.
pub fn start(pes: usize) -> ExitCode {
    match start_each(pes, process::id()).and_then(wait) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("coarray-peer-lamellar: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start_each(pes: usize, job: u32) -> Result<Vec<Child>, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut started = Vec::new();
    for pe in 0..pes {
        let child = Command::new(&program)
            .args(env::args_os().skip(1))
            .env("LAMELLAR_BACKEND", "shmem")
            .env("LAMELLAR_NUM_PES", pes.to_string())
            .env(PE, pe.to_string())
            .env("LAMELLAR_JOB_ID", job.to_string())
            // One thread does all; with workers, even one of these would share the core with it.
            .env("LAMELLAR_EXECUTOR", "single_thread")
            .env("LAMELLAR_THREADS", "1")
            .env("LAMELLAR_HEAP_SIZE", HEAP.to_string())
            .spawn();
        match child {
            Ok(child) => started.push(child),
            Err(error) => {
                end(&mut started);
                return Err(error.to_string());
            }
        }
    }
    Ok(started)
}

/// Waits for all; if one fails, the others would wait for it forever.
fn wait(mut running: Vec<Child>) -> Result<(), String> {
    while !running.is_empty() {
        let mut failure = None;
        running.retain_mut(|child| match child.try_wait() {
            Ok(Some(status)) if !status.success() => {
                failure = Some(format!("a PE ended with {status}"));
                false
            }
            Ok(Some(_)) => false,
            Ok(None) => true,
            Err(error) => {
                failure = Some(error.to_string());
                true
            }
        });
        if let Some(failure) = failure {
            end(&mut running);
            return Err(failure);
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn end(running: &mut [Child]) {
    for child in running {
        remove_shared_memory(&format!("/proc/{}/maps", child.id()));
        // One that has just ended by itself is as good.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A PE that does not end as it should leaves the files of its shared memory behind: removes what a process has mapped.
fn remove_shared_memory(maps: &str) {
    for line in fs::read_to_string(maps).unwrap_or_default().lines() {
        if let Some(start) = line.find("/dev/shm/lamellar_") {
            let _ = fs::remove_file(&line[start..]);
        }
    }
}

/// Ends this PE, as a failure; its launcher ends the others.
pub fn abandon() -> ! {
    remove_shared_memory("/proc/self/maps");
    process::exit(1);
}

/// In a PE: moves to a core of its own if there are enough, and ends with the process that started it.
pub fn settle(pes: usize) {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let pe = env::var(PE).ok().and_then(|pe| pe.parse::<usize>().ok());
    if let Some(&core) = pe
        .and_then(|pe| cores.get(pe))
        .filter(|_| pes <= cores.len())
    {
        // Without, a measurement is worse, but not wrong.
        core_affinity::set_for_current(core);
    }
    // Without, a PE would wait for ever if the other process were killed.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}
