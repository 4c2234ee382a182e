//! How an image unwinds, and how its process ends: what is known of the thread's last panic, and what becomes of it.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::io::{self, Write};
use std::panic::{self, Location};
#[cfg(target_env = "gnu")]
use std::sync::Once;
#[cfg(target_env = "gnu")]
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::job::Job;
use crate::job::backtrace;
use crate::job::control::Failure;
#[cfg(target_env = "gnu")]
use crate::job::death::Death;
use crate::job::report::{GRACE, PANIC_CODE, begins_report, report};
use crate::job::settings::FabricKind;
#[cfg(any(feature = "mpi", feature = "shmem"))]
use coarray_fabric::system::drain_stdio::await_readers;
#[cfg(any(feature = "mpi", feature = "shmem"))]
use coarray_fabric::system::process_manager::pmi;

/// Carried by the panic that unwinds an image after the job has ended. The reason is in the job's
/// failure record, so nothing is printed for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobEnded;

thread_local! {
    /// The image that this thread is. It has no destructor, so that those of other variables may look.
    pub(crate) static IMAGE: Cell<Option<usize>> = const { Cell::new(None) };
    pub(crate) static LAST_PANIC: Cell<Option<Panic>> = const { Cell::new(None) };
    /// The place in the program that a panic of the library is about.
    pub(crate) static BLAMED: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Carried by the panic that unwinds an image which fails without one.
#[derive(Debug)]
pub(crate) struct Fall {
    pub(crate) code: u8,
    pub(crate) text: String,
}

/// What is known of a panic.
pub struct Panic {
    /// What happened and where, as the end of a sentence about an image.
    pub text: String,
    /// What the image is to exit with.
    pub code: u8,
    /// If `RUST_BACKTRACE` asks for it.
    pub backtrace: Option<Backtrace>,
}

impl Panic {
    /// Prints the backtrace, if there is one, and what happened before it, which the report of the job says after it.
    pub(crate) fn tell_backtrace(&self, image: usize) {
        if let Some(backtrace) = &self.backtrace {
            let frames = backtrace::show(backtrace);
            // In one piece: others may print as well.
            let lines = format!(
                "image {image} {}\nbacktrace of image {image}:\n{frames}",
                self.text
            );
            eprint!("{lines}");
        }
    }
}

/// Unwinds this image: the job is over. Where that is impossible, its process ends at once.
pub(crate) fn unwind(job: &Job, image: usize) -> ! {
    if !can_unwind() {
        leave(job, image);
    }
    panic::resume_unwind(Box::new(JobEnded))
}

/// Whether what is thrown here comes to the end of the image: not if panics abort, from a destructor that a panic calls, or
/// from that of a thread-local variable after the end.
pub(crate) fn can_unwind() -> bool {
    !cfg!(panic = "abort") && !thread::panicking() && IMAGE.get().is_some()
}

/// Ends this image of a job that has ended as far as a process can, without unwinding.
pub(crate) fn leave(job: &Job, image: usize) -> ! {
    let failure = job.reason();
    let code = i32::from(failure.code);
    match job.fabric {
        FabricKind::Threads => report_and_exit(&failure),
        FabricKind::Processes => {
            // The image that failed is to be the first to exit; then the supervisor ends the others.
            if failure.image != image {
                thread::sleep(GRACE);
            }
            exit(code)
        }
        #[cfg(any(feature = "mpi", feature = "shmem"))]
        FabricKind::Mpi | FabricKind::Shmem => {
            if job.is_reporter() {
                report(&failure);
                await_readers();
            } else {
                thread::sleep(GRACE);
            }
            pmi::ask_to_abort(failure.code);
            exit(code)
        }
        #[cfg(not(any(feature = "mpi", feature = "shmem")))]
        FabricKind::Mpi | FabricKind::Shmem => unreachable!("the fabric is not built in"),
    }
}

/// Has a process whose images are threads say so if one of them exits, which ends them all. Without it, an image that
/// calls `exit(0)` would look like success. Other libraries of C than glibc do not tell the code.
pub fn watch_exits() {
    #[cfg(target_env = "gnu")]
    {
        unsafe extern "C" {
            fn on_exit(
                function: extern "C" fn(libc::c_int, *mut libc::c_void),
                argument: *mut libc::c_void,
            ) -> libc::c_int;
        }
        extern "C" fn look(code: libc::c_int, _: *mut libc::c_void) {
            // Other handlers, and destructors of this thread's variables, have run: nothing of theirs is used.
            let Some(image) = IMAGE.get() else {
                return;
            };
            // A process that an image has forked may exit as it likes.
            if std::process::id() != WATCHED.load(Ordering::Relaxed) {
                return;
            }
            let death = match code {
                0 => Death::Deserted,
                code => Death::Code(code),
            };
            let report = death.failure(image, std::process::id(), String::new());
            let line = format!("{report}\n");
            let _ = rustix::io::write(rustix::stdio::stderr(), line.as_bytes());
            if code == 0 {
                // SAFETY: ends the process, without any of its code.
                unsafe { libc::_exit(i32::from(report.code)) };
            }
        }
        static ONCE: Once = Once::new();
        static WATCHED: AtomicU32 = AtomicU32::new(0);
        ONCE.call_once(|| {
            WATCHED.store(std::process::id(), Ordering::Relaxed);
            // SAFETY: `look` is a function of the program, which stays where it is; it does not unwind, and uses no
            // argument. If there is no room for it, exits are not watched.
            unsafe { on_exit(look, std::ptr::null_mut()) };
        });
    }
}

/// Ends this process, whose images are threads, with the report of the job; once, on whatever thread.
pub fn report_and_exit(failure: &Failure) -> ! {
    if !begins_report() {
        loop {
            std::thread::park();
        }
    }
    report(failure);
    exit(i32::from(failure.code))
}

/// Ends this process.
pub(crate) fn exit(code: i32) -> ! {
    if IMAGE.take().is_some() {
        std::process::exit(code);
    }
    // The destructor of a thread-local variable may run because the process exits, which cannot be begun again.
    let _ = io::stdout().flush();
    // SAFETY: ends the process, without any of its code.
    unsafe { libc::_exit(code) }
}

/// The last panic of this thread, as the end of a sentence about an image.
pub(crate) fn last_panic() -> Option<String> {
    let last = LAST_PANIC.take();
    let text = last.as_ref().map(|panic| panic.text.clone());
    LAST_PANIC.set(last);
    text
}

/// Panics with a report that names a place in the program in place of one in the library.
#[cold]
pub(crate) fn panic_at(place: &'static Location<'static>, text: &str) -> ! {
    BLAMED.set(Some(place));
    panic!("{text}")
}

/// Undoes [`adopt_thread`] for a thread that goes on with other work.
pub(crate) fn release_thread() {
    IMAGE.set(None);
    LAST_PANIC.set(None);
}

/// What to report of a panic that reached the end of the image: nothing if it only passed on the end
/// of the job.
pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Option<Panic> {
    if payload.is::<JobEnded>() {
        return None;
    }
    if let Some(Fall { code, text }) = payload.downcast_ref() {
        return Some(Panic {
            text: text.clone(),
            code: *code,
            backtrace: None,
        });
    }
    let unknown = || Panic {
        text: format!("panicked: {}", message(payload)),
        code: PANIC_CODE,
        backtrace: None,
    };
    let last = LAST_PANIC.take();
    // The program may have resumed another panic than the last one.
    Some(
        last.filter(|panic| panic.text.ends_with(&message(payload)))
            .unwrap_or_else(unknown),
    )
}

/// The text of a panic, with those characters escaped by which it would have power over a terminal.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "(the panic carries no text)"
    };
    let is_harmless = |character: char| !character.is_control() || "\n\t".contains(character);
    let mut message = String::new();
    for character in text.chars() {
        if is_harmless(character) {
            message.push(character);
        } else {
            message.extend(character.escape_default());
        }
    }
    message
}
