//! Runs of a program by a `coarun` of their own each, and the files that they leave.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{SeekFrom, seek};
use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};

use crate::command_line::Run;
use crate::processes::environment;
use crate::signals::Signals;
use coarray_runtime::Settings;

/// A program that runs several times.
pub(crate) struct Runs<'a> {
    run: &'a Run,
    signals: Signals,
    /// Where the standard input was at the beginning, if it can be found again.
    start: Option<u64>,
}

/// How a run has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) code: u8,
    /// Whether somebody has asked for an end.
    pub(crate) is_interrupted: bool,
}

impl<'a> Runs<'a> {
    pub(crate) fn of(run: &'a Run) -> io::Result<Self> {
        Ok(Self {
            run,
            signals: Signals::block()?,
            start: seek(io::stdin(), SeekFrom::Current(0)).ok(),
        })
    }

    /// The run that is seen.
    pub(crate) fn first(&self, settings: &Settings) -> io::Result<Ended> {
        self.attend(self.command(settings)?)
    }

    /// A further one, of which nothing is seen. A program that reads a file finds it again; what came from elsewhere is gone.
    pub(crate) fn again(&self, settings: &Settings) -> io::Result<Ended> {
        let stdin = match self
            .start
            .map(|start| seek(io::stdin(), SeekFrom::Start(start)))
        {
            Some(Ok(_)) => Stdio::inherit(),
            _ => Stdio::null(),
        };
        let mut command = self.command(settings)?;
        command
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.attend(command)
    }

    /// A `coarun` with these settings, which ends with this process.
    fn command(&self, settings: &Settings) -> io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        for (name, _) in settings.profile_files.named() {
            command.env_remove(name);
        }
        command.envs(environment(settings));
        command
            .arg("--")
            .arg(&self.run.program)
            .args(&self.run.arguments);
        self.signals.restore_in(&mut command);
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe functions may be called. It makes one system call,
        // and neither allocates nor locks.
        unsafe {
            command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?));
        }
        Ok(command)
    }

    /// Waits for the end of a run, and passes it the requests to end.
    fn attend(&self, mut command: Command) -> io::Result<Ended> {
        let mut child: Child = command.spawn()?;
        let mut is_interrupted = false;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Ended {
                    code: exit_code(status),
                    is_interrupted,
                });
            }
            // An end that comes from now on is a signal that has not been read.
            let _ = poll(&mut [PollFd::new(&self.signals, PollFlags::IN)], None);
            while let Some(arrival) = self.signals.next() {
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
}

fn exit_code(status: ExitStatus) -> u8 {
    match (status.code(), status.signal()) {
        (Some(code), _) => code as u8,
        (None, signal) => 128 + signal.unwrap_or(0) as u8,
    }
}

/// Where a run leaves what it has recorded, until the end of this process.
pub(crate) struct Left(PathBuf);

impl Left {
    /// A file for what has this name.
    pub(crate) fn create(name: &str) -> io::Result<Self> {
        let name = format!("coarray-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // A new one, which nobody else may read, and which is no link of somebody else to another file.
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600);
        let made = options.open(&path);
        made.map_err(|error| {
            io::Error::other(format!("cannot create {}: {error}", path.display()))
        })?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn read(&self) -> String {
        fs::read_to_string(&self.0).unwrap_or_default()
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
