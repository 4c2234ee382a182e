//! The hand-over from a supervisor to an image process: by environment variables, and by one
//! inherited file descriptor for the memory they share.
//!
//! The variables reach every descendant of an image. Only a child of the supervisor itself takes
//! them as meant for it: a coarray program that an image starts is a program of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::launch::settings::{Bind, Settings};
use crate::launch::terminal;
use crate::region::Region;

const IMAGE: &str = "COARRAY_IMAGE";
const REGION: &str = "COARRAY_REGION";
const SUPERVISOR: &str = "COARRAY_SUPERVISOR";

/// What a process must not see if it is not to take itself for an image.
pub(crate) const HAND_OVER: [&str; 4] = [IMAGE, REGION, SUPERVISOR, terminal::VARIABLE];

/// The command that starts `program` as an image of this process's job.
///
/// Image 0 reads the standard input; the output of all images comes through pipes. An image does
/// not outlive its supervisor (strictly: the thread that starts it), however the supervisor ends.
pub(crate) fn image_command(
    program: &Path,
    arguments: &[OsString],
    image: usize,
    region: &Region,
    settings: &Settings,
) -> io::Result<Command> {
    let supervisor = getpid();
    // The command keeps a descriptor of its own, so that it stays valid whatever becomes of the
    // region.
    let shared = OwnedFd::from(region.file().try_clone()?);

    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(environment(settings))
        .env(IMAGE, image.to_string())
        .env(REGION, shared.as_raw_fd().to_string())
        .env(SUPERVISOR, supervisor.to_string())
        .stdin(if image == 0 {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    match terminal::description() {
        Some(size) => command.env(terminal::VARIABLE, size),
        None => command.env_remove(terminal::VARIABLE),
    };
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe functions may be
    // called. It makes three system calls (prctl, getppid, fcntl) and neither allocates nor locks.
    unsafe { command.pre_exec(move || become_image(supervisor, shared.as_fd())) };
    Ok(command)
}

/// The settings as environment variables, for programs to see them wherever they came from.
pub(crate) fn environment(settings: &Settings) -> [(&'static str, String); 8] {
    let switch = |on: bool| u8::from(on).to_string();
    let bind = match settings.bind {
        Bind::None => "none",
        Bind::Core => "core",
    };
    [
        ("COARRAY_IMAGES", settings.images.to_string()),
        ("COARRAY_HEAP", settings.heap.to_string()),
        ("COARRAY_FABRIC", settings.fabric.name().into()),
        ("COARRAY_BIND", bind.into()),
        ("COARRAY_WAIT", settings.wait.name().into()),
        ("COARRAY_LABEL", switch(settings.label)),
        ("COARRAY_KEEP_GOING", switch(settings.keep_going)),
        ("COARRAY_DIRECT", switch(settings.direct)),
    ]
}

/// Ties a newly forked child to its supervisor and lets it keep the shared memory.
fn become_image(supervisor: Pid, shared: BorrowedFd<'_>) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(supervisor) {
        // It died before the line above took effect: nobody would ever end this image.
        return Err(Errno::SRCH.into());
    }
    Ok(fcntl_setfd(shared, FdFlags::empty())?)
}

/// What an image process gets from its supervisor.
#[derive(Debug)]
pub(crate) struct Inherited {
    pub(crate) image: usize,
    pub(crate) region: Region,
}

/// Why a process that was started as an image cannot be one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A variable of the hand-over is not there.
    #[error("{name} is not set; the launcher of coarray sets it for each image")]
    Missing {
        /// The variable.
        name: &'static str,
    },
    /// A variable of the hand-over holds something else than a number.
    #[error("{name}={value} is not a number; the launcher of coarray sets it for each image")]
    Malformed {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
    },
    /// The shared memory cannot be used.
    #[error("cannot use the job's shared memory (COARRAY_REGION={descriptor}): {source}")]
    Region {
        /// The inherited file descriptor.
        descriptor: i32,
        /// What is wrong with it.
        source: io::Error,
    },
    /// The image number is too large for the job.
    #[error("COARRAY_IMAGE={image}, but the images of this job are numbered 0 to {}", images - 1)]
    NoSuchImage {
        /// The image this process should be.
        image: usize,
        /// How many the job has.
        images: usize,
    },
}

/// What the supervisor handed to this process, if it started this process as an image.
///
/// Looks only at what was inherited and keeps it in place, so it may be called again.
pub(crate) fn inherited() -> Result<Option<Inherited>, LaunchError> {
    if std::env::var_os(IMAGE).is_none() || !parent_is_supervisor() {
        return Ok(None);
    }
    let image: usize = number(IMAGE)?;
    let descriptor: RawFd = number(REGION)?;
    let region = adopt(descriptor)
        .and_then(Region::attach)
        .map_err(|source| LaunchError::Region { descriptor, source })?;
    let images = region.dimensions().images;
    if image >= images {
        return Err(LaunchError::NoSuchImage { image, images });
    }
    Ok(Some(Inherited { image, region }))
}

/// Whether an image is among those that started this process, directly or not, which leaves the variables of the hand-over set.
pub(crate) fn is_handed_over() -> bool {
    std::env::var_os(SUPERVISOR).is_some()
}

/// Whether this process was started by a supervisor, for whatever program.
pub(crate) fn parent_is_supervisor() -> bool {
    let supervisor = std::env::var(SUPERVISOR)
        .ok()
        .and_then(|value| value.parse().ok());
    supervisor.is_some() && supervisor == getppid().map(|parent| parent.as_raw_nonzero().get())
}

fn number<T: FromStr>(name: &'static str) -> Result<T, LaunchError> {
    let value = std::env::var_os(name).ok_or(LaunchError::Missing { name })?;
    let value = value.to_string_lossy().into_owned();
    value
        .parse()
        .map_err(|_| LaunchError::Malformed { name, value })
}

/// A descriptor of our own for what `descriptor` refers to; neither passes to programs this one
/// starts.
fn adopt(descriptor: RawFd) -> io::Result<File> {
    if descriptor < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: a borrow must not outlive the open file. The supervisor left this descriptor open for
    // us and nothing in the program knows of it, so nothing closes it; should the environment lie
    // and the descriptor be closed, the system calls below say so. It is not -1.
    let inherited = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let flags = fcntl_getfd(inherited)?;
    fcntl_setfd(inherited, flags | FdFlags::CLOEXEC)?;
    Ok(File::from(fcntl_dupfd_cloexec(inherited, 0)?))
}

/// Keeps the calling thread on the `image`-th of the cores it may use, round robin.
///
/// Threads inherit the cores of the thread that creates them, so an image that is a thread must be
/// created by one that is not bound.
pub(crate) fn bind_to_core(image: usize) -> io::Result<()> {
    let usable = sched_getaffinity(None)?;
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| usable.is_set(core))
        .collect();
    let mut chosen = CpuSet::new();
    chosen.set(cores[image % cores.len()]);
    Ok(sched_setaffinity(None, &chosen)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_bound_round_robin() {
        let usable = sched_getaffinity(None).unwrap();
        let count = usable.count() as usize;
        let bound = |image: usize| {
            let cores = std::thread::spawn(move || {
                bind_to_core(image).unwrap();
                sched_getaffinity(None).unwrap()
            });
            cores.join().unwrap()
        };
        let first = bound(0);
        assert_eq!(first.count(), 1);
        assert_eq!(first, bound(count));
        assert_eq!(first == bound(1), count == 1);
    }

    #[test]
    fn a_program_started_plainly_inherits_nothing() {
        assert!(inherited().unwrap().is_none());
    }

    #[test]
    fn a_closed_descriptor_is_an_error() {
        assert!(adopt(-1).is_err());
        assert!(adopt(RawFd::MAX).is_err());
    }
}
