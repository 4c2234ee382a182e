//! How an image unwinds, and how its process ends: this thread's last panic, and what follows from it.

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
use coarray_fabric::system::drain_stdio::await_readers;
use coarray_fabric::system::process_manager::ask_to_abort;

/// The payload of the panic that unwinds an image after the job has ended. The job's failure record has the reason, so
/// nothing is printed for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobEnded;

thread_local! {
    /// The image that this thread is. It has no destructor, so the destructors of other variables may read it.
    pub(crate) static IMAGE: Cell<Option<usize>> = const { Cell::new(None) };
    pub(crate) static LAST_PANIC: Cell<Option<Panic>> = const { Cell::new(None) };
    /// The line of the program that a panic of the library is about.
    pub(crate) static BLAMED: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// The payload of the panic that unwinds an image which fails without one.
#[derive(Debug)]
pub(crate) struct Fall {
    pub(crate) code: u8,
    pub(crate) text: String,
}

/// The payload of the panic that unwinds an image which ends the program.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) code: u8,
}

/// A panic.
pub struct Panic {
    /// What happened and where, as the end of a sentence about an image.
    pub text: String,
    /// The exit code of the image.
    pub code: u8,
    /// The backtrace, if `RUST_BACKTRACE` asks for it.
    pub backtrace: Option<Backtrace>,
}

impl Panic {
    /// Prints the backtrace, if there is one, and the reason before it. The report of the job has the reason again.
    pub(crate) fn tell_backtrace(&self, image: usize) {
        if let Some(backtrace) = &self.backtrace {
            let frames = backtrace::show(backtrace);
            // In one piece, because other images may print too.
            let lines = format!(
                "image {image} {}\nbacktrace of image {image}:\n{frames}",
                self.text
            );
            eprint!("{lines}");
        }
    }
}

/// Unwinds this image, because the job is over. Where that is impossible, its process ends at once.
pub(crate) fn unwind(job: &Job, image: usize) -> ! {
    if !can_unwind() {
        leave(job, image);
    }
    panic::resume_unwind(Box::new(JobEnded))
}

/// Whether a panic from here reaches the end of the image: not if panics abort, nor from a destructor during a panic,
/// nor from a destructor of a thread-local variable after the end.
pub(crate) fn can_unwind() -> bool {
    !cfg!(panic = "abort") && !thread::panicking() && IMAGE.get().is_some()
}

/// Ends this image of an ended job without unwinding, as far as a process can.
pub(crate) fn leave(job: &Job, image: usize) -> ! {
    let failure = job.reason();
    let code = i32::from(failure.code);
    match job.fabric {
        FabricKind::Threads => report_and_exit(&failure),
        FabricKind::Processes => {
            // The image that failed exits first; then the supervisor ends the others.
            if failure.image != image {
                thread::sleep(GRACE);
            }
            exit(code)
        }
        FabricKind::Mpi | FabricKind::Shmem | FabricKind::Own => {
            if job.is_reporter() {
                report(&failure);
                await_readers();
            } else {
                thread::sleep(GRACE);
            }
            ask_to_abort(failure.code);
            exit(code)
        }
    }
}

/// Makes a process whose images are threads report that one of them called `exit`, which ends them all. Otherwise
/// `exit(0)` of one image would look like success. C libraries other than glibc do not pass the code.
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
            // Other handlers, and destructors of this thread's variables, have run: this uses nothing of theirs.
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
                // SAFETY: `_exit` ends the process without running any of its code.
                unsafe { libc::_exit(i32::from(report.code)) };
            }
        }
        static ONCE: Once = Once::new();
        static WATCHED: AtomicU32 = AtomicU32::new(0);
        ONCE.call_once(|| {
            WATCHED.store(std::process::id(), Ordering::Relaxed);
            // SAFETY: `look` is a function of this program, which is never unloaded; it does not unwind and uses no
            // argument. If there is no room for it, exits are not watched.
            unsafe { on_exit(look, std::ptr::null_mut()) };
        });
    }
}

/// Ends this process, whose images are threads, with the report of the job; once, on whichever thread.
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
    // The destructor of a thread-local variable may run because the process exits, and `exit` must not be called twice.
    let _ = io::stdout().flush();
    // SAFETY: `_exit` ends the process without running any of its code.
    unsafe { libc::_exit(code) }
}

/// The last panic of this thread, as the end of a sentence about an image.
pub(crate) fn last_panic() -> Option<String> {
    let last = LAST_PANIC.take();
    let text = last.as_ref().map(|panic| panic.text.clone());
    LAST_PANIC.set(last);
    text
}

/// Panics with a report that names a line of the program instead of one of the library.
#[cold]
pub(crate) fn panic_at(place: &'static Location<'static>, text: &str) -> ! {
    BLAMED.set(Some(place));
    panic!("{text}")
}

/// Forgets which image this thread was, because it goes on with other work.
pub(crate) fn release_thread() {
    IMAGE.set(None);
    LAST_PANIC.set(None);
}

/// The report of a panic that reached the end of the image; none if it only forwarded the end of the job.
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
    if let Some(Stop { code }) = payload.downcast_ref() {
        return Some(Panic {
            text: format!(
                "called stop({code}) in a closure that owes a result: `return` one, or use error_stop"
            ),
            code: (*code).max(1),
            backtrace: None,
        });
    }
    let unknown = || Panic {
        text: format!("panicked: {}", message(payload)),
        code: PANIC_CODE,
        backtrace: None,
    };
    let last = LAST_PANIC.take();
    // The program may have resumed a panic other than the last.
    Some(
        last.filter(|panic| panic.text.ends_with(&message(payload)))
            .unwrap_or_else(unknown),
    )
}

/// The text of a panic, with the characters escaped that control a terminal.
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
