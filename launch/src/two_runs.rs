//! A program that runs twice: for where its images wait, and for what they move. Counting what they move takes time, so it is done in a run of its own.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{SeekFrom, seek};
use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};

use crate::command_line::Run;
use crate::processes::environment;
use crate::profile::report_of_two;
use crate::signals::Signals;
use coarray_runtime::{Profile, ProfileFiles, Settings};

/// Runs the program of `run` twice, each time by a `coarun` of its own, and reports on both runs. The first run is the job: its output is shown,
/// and its exit code returned.
///
/// # Errors
/// If a run cannot be started.
pub(crate) fn run_twice(run: &Run, settings: &Settings) -> io::Result<ExitCode> {
    let signals = Signals::block()?;
    let start = seek(io::stdin(), SeekFrom::Current(0));
    let waits = Left::create(Profile::Waits)?;
    let first = waits.command(run, settings, &signals)?;
    let (status, is_interrupted) = attend(first, &signals)?;
    let code = exit_code(status);

    let puts = Left::create(Profile::Puts)?;
    if code == 0 && !is_interrupted {
        eprintln!("coarun: runs the program again, to count what its images move");
        // A program that reads a file finds it again; what came from elsewhere is gone.
        let stdin = match start.map(|start| seek(io::stdin(), SeekFrom::Start(start))) {
            Ok(Ok(_)) => Stdio::inherit(),
            _ => Stdio::null(),
        };
        let mut second = puts.command(run, settings, &signals)?;
        second
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let (status, _) = attend(second, &signals)?;
        if !status.success() {
            let code = exit_code(status);
            eprintln!("coarun: the second run failed with exit code {code}: only waits are known");
        }
    } else {
        eprintln!("coarun: the program is not run again: only waits are known");
    }
    let files = &settings.profile_files;
    match report_of_two(&waits.read(), &puts.read(), files) {
        Some(report) => eprint!("{report}"),
        None => eprintln!("coarun: the program has left no profile"),
    }
    Ok(ExitCode::from(code))
}

/// Where a run leaves what it has recorded, until the end of this process.
struct Left {
    profile: Profile,
    path: PathBuf,
}

impl Left {
    fn create(profile: Profile) -> io::Result<Self> {
        let name = format!("coarray-{}-{}", std::process::id(), profile.name());
        let path = std::env::temp_dir().join(name);
        // A new one, which nobody else may read, and which is no link of somebody else to another file.
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600);
        let made = options.open(&path);
        made.map_err(|error| {
            io::Error::other(format!("cannot create {}: {error}", path.display()))
        })?;
        Ok(Self { profile, path })
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }

    /// A `coarun` that leaves it there, and ends with this process.
    fn command(&self, run: &Run, settings: &Settings, signals: &Signals) -> io::Result<Command> {
        let settings = Settings {
            profile: self.profile,
            profile_files: ProfileFiles {
                record: Some(self.path.clone()),
                ..ProfileFiles::default()
            },
            ..settings.clone()
        };
        let mut command = Command::new(std::env::current_exe()?);
        for (name, _) in settings.profile_files.named() {
            command.env_remove(name);
        }
        command.envs(environment(&settings));
        command.arg("--").arg(&run.program).args(&run.arguments);
        signals.restore_in(&mut command);
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe functions may be called. It makes one system call,
        // and neither allocates nor locks.
        unsafe {
            command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
        }
        Ok(command)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Waits for the end of a run, and passes it the requests to end. Returns whether there were some.
fn attend(mut command: Command, signals: &Signals) -> io::Result<(ExitStatus, bool)> {
    let mut child: Child = command.spawn()?;
    let mut is_interrupted = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, is_interrupted));
        }
        // An end that comes from now on is a signal that has not been read.
        let _ = poll(&mut [PollFd::new(signals, PollFlags::IN)], None);
        while let Some(arrival) = signals.next() {
            if arrival.signal == Signal::CHILD {
                continue;
            }
            is_interrupted |= !arrival.is_warning();
            // Keys are pressed for all processes of the terminal.
            if !arrival.by_key
                && let Some(process) = Pid::from_raw(child.id() as i32)
            {
                let _ = kill_process(process, arrival.signal);
            }
        }
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, signal) => 128 + signal.unwrap_or(0) as u8,
    }
}
