//! The hand-over from a supervisor to an image process: by environment variables, and by one
//! inherited file descriptor for the memory they share.
//!
//! The variables reach every descendant of what the supervisor starts, which may be a script or another program that starts the
//! image in turn. The first descendant that is a coarray program claims the image; a coarray program that an image
//! starts is a job of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::fstat;
use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, kill_process, pidfd_open,
    set_parent_process_death_signal,
};

use crate::ancestry::descends_from;
use crate::signals;
use crate::terminal;
use coarray_runtime::{Bind, Check, JobMemory, Settings};

const TRACE: &str = "COARRAY_TRACE";
const IMAGE: &str = "COARRAY_IMAGE";
const REGION: &str = "COARRAY_REGION";
const SUPERVISOR: &str = "COARRAY_SUPERVISOR";

/// The variables of the hand-over: a process that has them takes itself for an image.
pub(crate) const HAND_OVER: [&str; 4] = [IMAGE, REGION, SUPERVISOR, terminal::VARIABLE];

/// The command that starts `program` as an image of this process's job.
///
/// Image 0 reads the standard input; the output of all images comes through pipes. An image does
/// not outlive its supervisor (strictly: the thread that starts it), however the supervisor ends.
pub(crate) fn image_command(
    program: &Path,
    arguments: &[OsString],
    image: usize,
    region: &JobMemory,
    settings: &Settings,
) -> io::Result<Command> {
    let supervisor = getpid();
    // The command keeps the file, so that the descriptor stays valid whatever becomes of the region.
    let shared = Arc::clone(region.file());

    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(environment(settings))
        // A job that an image starts would write the same file. Images know by their memory that they are traced.
        .env_remove(TRACE)
        .env(IMAGE, image.to_string())
        .env(REGION, shared.as_raw_fd().to_string())
        .env(SUPERVISOR, supervisor.to_string())
        .stdin(if image == 0 {
            Stdio::inherit()
        } else {
            // Opened here, where an error is not taken for one of the program.
            let null = File::open("/dev/null");
            null.map_err(|error| io::Error::other(format!("cannot open /dev/null: {error}")))?
                .into()
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
pub(crate) fn environment(settings: &Settings) -> Vec<(&'static str, OsString)> {
    let switch = |on: bool| u8::from(on).to_string();
    let bind = match settings.bind {
        Bind::None => "none",
        Bind::Core => "core",
    };
    let files = settings.profile_files.named().into_iter();
    let check = settings.check.as_ref();
    let record = check.and_then(|check| check.record.as_deref());
    let files = files.chain([(TRACE, settings.trace.as_deref()), (Check::RECORD, record)]);
    let files = files.filter_map(|(name, path)| Some((name, path?.into())));
    let others = [
        ("COARRAY_IMAGES", settings.images.to_string()),
        ("COARRAY_HEAP", settings.heap.to_string()),
        ("COARRAY_FABRIC", settings.fabric.name().into()),
        ("COARRAY_BIND", bind.into()),
        ("COARRAY_WAIT", settings.wait.name().into()),
        ("COARRAY_PROFILE", settings.profile.name().into()),
        ("COARRAY_LABEL", switch(settings.label)),
        ("COARRAY_FAULT_TOLERANT", switch(settings.keep_going)),
        ("COARRAY_SHARED_MEMORY", switch(settings.direct)),
        ("COARRAY_CROSS_MEMORY", switch(settings.cross_memory)),
    ];
    let others = others.map(|(name, value): (_, String)| (name, value.into()));
    let check = check.map(|check| ("COARRAY_CHECK", check.to_string().into()));
    others.into_iter().chain(files).chain(check).collect()
}

/// Ties a newly forked child to its supervisor and lets it keep the shared memory.
fn become_image(supervisor: Pid, shared: BorrowedFd<'_>) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(supervisor) {
        // The supervisor died before the line above took effect, and would never end this image.
        return Err(Errno::SRCH.into());
    }
    Ok(fcntl_setfd(shared, FdFlags::empty())?)
}

/// What an image process gets from its supervisor.
#[derive(Debug)]
pub(crate) struct Inherited {
    pub(crate) image: usize,
    pub(crate) region: JobMemory,
}

/// Why a process that was started as an image cannot be one.
#[derive(Debug)]
#[non_exhaustive]
pub enum LaunchError {
    /// A variable of the hand-over is not there.
    Missing {
        /// The variable.
        name: &'static str,
    },
    /// A variable of the hand-over holds something else than a number.
    Malformed {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
    },
    /// The shared memory cannot be used.
    Region {
        /// The inherited file descriptor.
        descriptor: i32,
        /// What is wrong with it.
        source: io::Error,
    },
    /// Nothing would end this process with its supervisor.
    Supervisor(io::Error),
    /// The image number is too large for the job.
    NoSuchImage {
        /// The image this process should be.
        image: usize,
        /// How many the job has.
        images: usize,
    },
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing { name } => write!(
                formatter,
                "{name} is not set; the launcher of coarray sets it for each image"
            ),
            Self::Malformed { name, value } => write!(
                formatter,
                "{name}={value} is not a number; the launcher of coarray sets it for \
                 each image"
            ),
            Self::Region { descriptor, source } => write!(
                formatter,
                "cannot use the job's shared memory (COARRAY_REGION={descriptor}): \
                 {source}"
            ),
            Self::Supervisor(what) => write!(
                formatter,
                "cannot learn of the end of the job's supervisor: {what}"
            ),
            Self::NoSuchImage { image, images } => write!(
                formatter,
                "COARRAY_IMAGE={image}, but the images of this job are numbered 0 to {}",
                images - 1
            ),
        }
    }
}

impl std::error::Error for LaunchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Region { source, .. } => Some(source),
            Self::Supervisor(source) => Some(source),
            _ => None,
        }
    }
}

/// What the supervisor handed to this process, if it is the first of its image to ask.
pub(crate) fn inherited() -> Result<Option<Inherited>, LaunchError> {
    let Some(supervisor) = supervisor().filter(|_| std::env::var_os(IMAGE).is_some()) else {
        return Ok(None);
    };
    let is_child = getppid() == Some(supervisor);
    if !is_child && !descends_from(supervisor) {
        return Ok(None);
    }
    let (image, region) = handed_region(supervisor)?;
    if let Err(claimant) = region.control(image).claim(std::process::id()) {
        // In one piece: all images may say it at once.
        let note = format!(
            "coarray: image {image} of the job of process {supervisor} is process {claimant}, so this program starts a job \
             of its own\n"
        );
        eprint!("{note}");
        return Ok(None);
    }
    if !is_child {
        end_with(supervisor).map_err(LaunchError::Supervisor)?;
        // It looks which processes the images are whenever a child may have ended.
        let _ = kill_process(supervisor, Signal::CHILD);
    }
    Ok(Some(Inherited { image, region }))
}

/// The image that was handed over, and the memory of its job.
fn handed_region(supervisor: Pid) -> Result<(usize, JobMemory), LaunchError> {
    let image: usize = number(IMAGE)?;
    let descriptor: RawFd = number(REGION)?;
    let region = borrow(supervisor, descriptor)
        .or_else(|error| {
            // Without `/proc` there is what a child has inherited. Others may have closed it.
            if getppid() == Some(supervisor) {
                adopt(descriptor)
            } else {
                Err(error)
            }
        })
        .and_then(|file| {
            // SAFETY: the supervisor made it for the job, and left it open for the image that this process is.
            unsafe { JobMemory::attach(file) }
        })
        .map_err(|source| LaunchError::Region { descriptor, source })?;
    let images = region.dimensions().images;
    if image >= images {
        return Err(LaunchError::NoSuchImage { image, images });
    }
    Ok((image, region))
}

/// The process whose end ends a job that this process starts: the image that it descends from, or that image's supervisor as long as there is no
/// image. Readable at that end. `None` if this process belongs to no job.
pub(crate) fn superior() -> Option<OwnedFd> {
    let supervisor = supervisor().filter(|&supervisor| descends_from(supervisor))?;
    let image = handed_region(supervisor).ok().and_then(|(image, region)| {
        let process = region.control(image).process()?;
        Pid::from_raw(process as i32)
    });
    let image = image.filter(|&image| descends_from(image));
    pidfd_open(image.unwrap_or(supervisor), PidfdFlags::empty()).ok()
}

/// Ends this process when its supervisor ends, however that ends. The kernel does it for children, but not for other descendants.
fn end_with(supervisor: Pid) -> io::Result<()> {
    let end = pidfd_open(supervisor, PidfdFlags::empty())?;
    std::thread::Builder::new()
        .name("supervision".into())
        .spawn(move || {
            // Signals are for the threads of the program. If blocking fails, this thread may take some.
            let _ = signals::block_all();
            while poll(&mut [PollFd::new(&end, PollFlags::IN)], None) == Err(Errno::INTR) {}
            let _ = kill_process(getpid(), Signal::KILL);
        })
        .map(drop)
}

/// Whether this process descends from an image, and so inherited the variables of the hand-over.
pub(crate) fn is_handed_over() -> bool {
    std::env::var_os(SUPERVISOR).is_some()
}

/// The supervisor that this process descends from, if the environment says so and `/proc` confirms it.
fn supervisor() -> Option<Pid> {
    Pid::from_raw(std::env::var(SUPERVISOR).ok()?.parse().ok()?)
}

fn number<T: FromStr>(name: &'static str) -> Result<T, LaunchError> {
    let value = std::env::var_os(name).ok_or(LaunchError::Missing { name })?;
    let value = value.to_string_lossy().into_owned();
    value
        .parse()
        .map_err(|_| LaunchError::Malformed { name, value })
}

/// The file that is `descriptor` of the supervisor. If we have inherited it, that does not pass to programs that this one
/// starts.
fn borrow(supervisor: Pid, descriptor: RawFd) -> io::Result<File> {
    let place = format!("/proc/{supervisor}/fd/{descriptor}");
    let file = File::options().read(true).write(true).open(place)?;
    let identity = |file: BorrowedFd<'_>| fstat(file).map(|status| (status.st_dev, status.st_ino));
    // Who started us may have closed it and opened something else.
    if identity(left_open(descriptor)?).ok() == Some(identity(file.as_fd())?) {
        drop(adopt(descriptor));
    }
    Ok(file)
}

/// A descriptor of our own for what `descriptor` refers to; neither passes to programs this one
/// starts.
fn adopt(descriptor: RawFd) -> io::Result<File> {
    let inherited = left_open(descriptor)?;
    let flags = fcntl_getfd(inherited)?;
    fcntl_setfd(inherited, flags | FdFlags::CLOEXEC)?;
    Ok(File::from(fcntl_dupfd_cloexec(inherited, 0)?))
}

/// A descriptor that the supervisor left open for us.
fn left_open(descriptor: RawFd) -> io::Result<BorrowedFd<'static>> {
    if descriptor < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: a borrow must not outlive the open file. The supervisor left this descriptor open for
    // us and nothing in the program knows of it, so nothing closes it; should the environment lie
    // and the descriptor be closed, the system calls that it is given to say so. It is not -1.
    Ok(unsafe { BorrowedFd::borrow_raw(descriptor) })
}

#[cfg(test)]
mod tests {
    use super::*;

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
