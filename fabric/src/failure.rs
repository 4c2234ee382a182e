//! How an image ends the job, and how panics become reports.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::fmt;
use std::panic::{self, Location};
use std::sync::Once;

use crate::control::Failure;
use crate::image::Image;
use crate::launch::settings::FabricKind;

/// Carried by the panic that unwinds an image after the job has ended. The reason is in the job's
/// failure record, so nothing is printed for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobEnded;

thread_local! {
    static IS_IMAGE: Cell<bool> = const { Cell::new(false) };
    static LAST_PANIC: Cell<Option<Panic>> = const { Cell::new(None) };
    /// The place in the program that a panic of the library is about.
    static BLAMED: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// The exit code of Rust programs that panic.
const PANIC_CODE: u8 = 101;

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

/// Unwinds this image: the job is over.
pub(crate) fn unwind() -> ! {
    panic::resume_unwind(Box::new(JobEnded))
}

/// Unwinds this image, which fails alone: the job keeps going.
pub(crate) fn fall(code: u8, text: String) -> ! {
    panic::resume_unwind(Box::new(Fall { code, text }))
}

/// Makes panics of this thread reports of an image instead of lines of their own.
///
/// A panic may still be caught by the program; only one that reaches the end of the image is reported.
pub(crate) fn adopt_thread() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_IMAGE.get() {
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
            if cfg!(panic = "abort") {
                eprintln!("an image {text}");
            }
            let backtrace = Backtrace::capture();
            let captured = backtrace.status() == BacktraceStatus::Captured;
            LAST_PANIC.set(Some(Panic {
                text,
                code: PANIC_CODE,
                backtrace: captured.then_some(backtrace),
            }));
        }));
    });
    IS_IMAGE.set(true);
}

/// Panics with a report that names a place in the program in place of one in the library.
#[cold]
pub(crate) fn panic_at(place: &'static Location<'static>, text: &str) -> ! {
    BLAMED.set(Some(place));
    panic!("{text}")
}

/// Undoes [`adopt_thread`] for a thread that goes on with other work.
pub(crate) fn release_thread() {
    IS_IMAGE.set(false);
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
        last.filter(|panic| panic.text.ends_with(message(payload)))
            .unwrap_or_else(unknown),
    )
}

fn message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "(the panic carries no text)"
    }
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
        FabricKind::Threads => fall(1, text),
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
