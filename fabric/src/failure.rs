//! How an image ends the job, and how panics become reports.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::fmt;
use std::io::{self, Write};
use std::panic::{self, Location};
use std::sync::Once;
#[cfg(target_env = "gnu")]
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use crate::backtrace;
use crate::control::Failure;
#[cfg(target_env = "gnu")]
use crate::death::Death;
use crate::farewell::await_readers;
use crate::image::Image;
use crate::job::Job;
#[cfg(any(feature = "mpi", feature = "shmem"))]
use crate::process_manager::pmi;
use crate::report::{GRACE, PANIC_CODE, begins_report, report};
use crate::settings::FabricKind;

/// Carried by the panic that unwinds an image after the job has ended. The reason is in the job's
/// failure record, so nothing is printed for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobEnded;

thread_local! {
    /// The image that this thread is. It has no destructor, so that those of other variables may look.
    static IMAGE: Cell<Option<usize>> = const { Cell::new(None) };
    static LAST_PANIC: Cell<Option<Panic>> = const { Cell::new(None) };
    /// The place in the program that a panic of the library is about.
    static BLAMED: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Carried by the panic that unwinds an image which fails without one.
#[derive(Debug)]
struct Fall {
    code: u8,
    text: String,
}

/// What is known of a panic.
pub(crate) struct Panic {
    /// What happened and where, as the end of a sentence about an image.
    pub(crate) text: String,
    /// What the image is to exit with.
    pub(crate) code: u8,
    /// If `RUST_BACKTRACE` asks for it.
    pub(crate) backtrace: Option<Backtrace>,
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

/// Unwinds this image, which fails alone: the job keeps going. Where that is impossible, the job ends.
fn fall(image: &Image, code: u8, text: String) -> ! {
    if !can_unwind() {
        image.fail_silently(code, text, image.index);
        leave(&image.job, image.index);
    }
    panic::resume_unwind(Box::new(Fall { code, text }))
}

/// Whether what is thrown here comes to the end of the image: not if panics abort, from a destructor that a panic calls, or
/// from that of a thread-local variable after the end.
fn can_unwind() -> bool {
    !cfg!(panic = "abort") && !thread::panicking() && IMAGE.get().is_some()
}

/// Ends this image of a job that has ended as far as a process can, without unwinding.
fn leave(job: &Job, image: usize) -> ! {
    let failure = job.reason();
    let code = i32::from(failure.code);
    match job.engine {
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
        FabricKind::Mpi | FabricKind::Shmem => unreachable!("the engine is not built in"),
    }
}

/// Has a process whose images are threads say so if one of them exits, which ends them all. Without it, an image that
/// calls `exit(0)` would look like success. Other libraries of C than glibc do not tell the code.
pub(crate) fn watch_exits() {
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
pub(crate) fn report_and_exit(failure: &Failure) -> ! {
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

/// Makes panics of this thread reports of an image instead of lines of their own.
///
/// A panic may still be caught by the program; only one that reaches the end of the image is reported.
pub(crate) fn adopt_thread(image: usize) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IMAGE.get().is_none() {
                return previous(info);
            }
            let blamed = BLAMED.take();
            let place = blamed
                .or(info.location())
                .map_or_else(String::new, |location| format!(" at {location}"));
            let within = Image::try_current()
                .and_then(|image| image.interrupted_call())
                .filter(|_| blamed.is_none())
                .map_or_else(String::new, |caller| {
                    format!(", within the collective operation at {caller}")
                });
            let text = format!("panicked{place}{within}: {}", message(info.payload()));
            let backtrace = Backtrace::capture();
            let captured = backtrace.status() == BacktraceStatus::Captured;
            let panic = Panic {
                text,
                code: PANIC_CODE,
                backtrace: captured.then_some(backtrace),
            };
            match Image::try_current() {
                // Nobody will find it at the end of the image.
                Some(image) if cfg!(panic = "abort") => die(&image, &panic),
                _ => LAST_PANIC.set(Some(panic)),
            }
        }));
    });
    IMAGE.set(Some(image));
}

/// Reports a panic that aborts the process as soon as this returns.
fn die(image: &Image, panic: &Panic) {
    let is_process = image.job.engine == FabricKind::Processes;
    if is_process && image.job.region.job().keeps_going() && !image.has_ended() {
        panic.tell_backtrace(image.index);
        return image.control(image.index).last_words.set(&panic.text);
    }
    let failure = Failure {
        image: image.index,
        code: panic.code,
        text: panic.text.clone(),
    };
    let is_first = image.fail_after(&failure, || {
        panic.tell_backtrace(image.index);
        // Before others learn of the end, and report it as well.
        begins_report();
    });
    if !is_first {
        leave(&image.job, image.index);
    }
    // A supervisor reports it.
    if !is_process {
        report(&failure);
        await_readers();
    }
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
fn message(payload: &(dyn Any + Send)) -> String {
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

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.strip_prefix(OWN_WORDS) {
            Some(words) => formatter.write_str(words),
            None => write!(formatter, "coarray: image {} {}", self.image, self.text),
        }
    }
}

impl std::error::Error for Failure {}

/// Starts the text of a failure that is to be shown in the program's own words.
pub(crate) const OWN_WORDS: char = '\u{1}';

/// Local. Ends the whole job at once with exit code `code` (1 if it is a multiple of 256) and a report that
/// names this image and this line.
///
/// # Examples
/// ```
/// let failure = coarray_fabric::Launch::new(2).run(|| coarray_fabric::error_stop(7)).unwrap_err();
/// assert_eq!(failure.code, 7);
/// ```
///
/// # Source
/// Fortran 2018 `error stop`, clause 11.4.
#[track_caller]
pub fn error_stop(code: i32) -> ! {
    stop(
        code,
        format!("called error_stop({code}) at {}", Location::caller()),
    )
}

/// Local. Ends the whole job at once with exit code `code` and `message` as the only report, in these words.
///
/// For errors that are the user's, such as a file that does not exist: if several images say so, it is
/// printed once.
///
/// # Examples
/// ```
/// let failure = coarray_fabric::Launch::new(2)
///     .run(|| coarray_fabric::error_stop_with(2, "life: no such pattern"))
///     .unwrap_err();
/// assert_eq!(failure.to_string(), "life: no such pattern");
/// ```
///
/// # Source
/// Fortran 2018 `error stop` with a stop code, clause 11.4.
pub fn error_stop_with(code: i32, message: impl fmt::Display) -> ! {
    stop(code, format!("{OWN_WORDS}{message}"))
}

/// Local. Ends this image at once, without unwinding where it is a process. In a job that keeps going
/// ([`Launch::keep_going`](crate::Launch::keep_going), `coarun --keep-going`) the other images go on
/// without it; any other job ends as with [`error_stop`]`(1)`.
///
/// It is there to try what a program does about images that fail. Images that are threads unwind, which
/// a program must not catch.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Examples
/// ```
/// use coarray_fabric::{Launch, fail_image, this_image};
///
/// let left = Launch::new(3).keep_going(true).run(|| {
///     if this_image() == 1 {
///         fail_image()
///     }
///     this_image()
/// });
/// assert_eq!(left.unwrap(), [0, 2]);
/// ```
///
/// # Source
/// Fortran 2018 `fail image`, clause 11.5.
#[track_caller]
pub fn fail_image() -> ! {
    let image = Image::current();
    let text = format!("called fail_image() at {}", Location::caller());
    if !image.job.region.job().keeps_going() {
        image.stop(1, text);
    }
    match image.job.engine {
        FabricKind::Processes => {
            image.control(image.index).last_words.set(&text);
            std::process::exit(1)
        }
        FabricKind::Threads => fall(&image, 1, text),
        FabricKind::Mpi | FabricKind::Shmem => unreachable!("no job of theirs keeps going"),
    }
}

fn stop(code: i32, text: String) -> ! {
    let code = exit_code(code);
    let Some(image) = Image::try_current() else {
        eprintln!("{}", text.trim_start_matches(OWN_WORDS));
        std::process::exit(i32::from(code));
    };
    image.stop(code, text)
}

/// The exit code that `code` stands for: what the operating system keeps of it, but never success.
pub(crate) fn exit_code(code: i32) -> u8 {
    match code.rem_euclid(256) {
        0 => 1,
        code => code as u8,
    }
}
