//! Running a job that may never end.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::end::End;

/// How often `wait` asks whether the job has ended.
const LOOK: Duration = Duration::from_millis(5);

/// How long a launcher may take to end its processes, and the last output to arrive.
const GRACE: Duration = Duration::from_secs(3);

/// Runs a job until it ends, or until its time is over.
#[must_use]
pub fn run(mut command: Command, limit: Duration) -> End {
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own, so that all of it can be ended.
        .process_group(0)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let program = command.get_program().to_string_lossy();
            return End {
                stderr: format!("cannot start {program}: {error}"),
                ..End::default()
            };
        }
    };
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let mut end = End::default();
    match wait(&mut child, limit) {
        Some(code) => end.code = code,
        None => {
            end.overdue = Some(limit);
            kill(&mut child);
        }
    }
    // Processes that were left behind may keep these open.
    let deadline = Instant::now() + GRACE;
    end.stdout = stdout.map(|text| all(&text, deadline)).unwrap_or_default();
    end.stderr = stderr.map(|text| all(&text, deadline)).unwrap_or_default();
    end
}

/// Waits for the end; the exit code, which is none after a signal. None at all if it takes too long.
#[expect(clippy::option_option, reason = "an end without exit code is an end")]
fn wait(child: &mut Child, limit: Duration) -> Option<Option<i32>> {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.code());
        }
        thread::sleep(LOOK);
    }
    None
}

/// Ends a job: by SIGTERM first, so that a launcher can end its processes, then by SIGKILL.
fn kill(child: &mut Child) {
    let group = Pid::from_child(child);
    for signal in [Signal::TERM, Signal::KILL] {
        // Its processes may be gone already.
        let _ = kill_process_group(group, signal);
        if wait(child, GRACE).is_some() {
            break;
        }
    }
    let _ = kill_process_group(group, Signal::KILL);
}

/// Reads a stream on a thread of its own.
fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver): (Sender<Vec<u8>>, _) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 1 << 14];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            if sender.send(buffer[..length].into()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// All bytes until the stream is closed or the deadline has passed.
fn all(stream: &Receiver<Vec<u8>>, deadline: Instant) -> String {
    let mut bytes = Vec::new();
    while let Ok(more) = stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        bytes.extend(more);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
