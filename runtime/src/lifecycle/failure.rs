//! Ending the job from an image, and panics as reports.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::panic::{self, Location};
use std::sync::Once;

use crate::image::Image;
use crate::job::control::{Failure, OWN_WORDS};
use crate::job::report::{PANIC_CODE, begins_report, report, tell};
use crate::job::settings::FabricKind;
use crate::job::unwinding::{BLAMED, Fall, IMAGE, LAST_PANIC, Panic, can_unwind, leave, message};
use coarray_fabric::system::drain_stdio::await_readers;

/// Unwinds this image, which fails alone: the other images go on. Where that is impossible, the job ends.
fn fail_alone(image: &Image, code: u8, text: String) -> ! {
    if !can_unwind() {
        image.fail_silently(code, text, image.index);
        leave(&image.job, image.index);
    }
    panic::resume_unwind(Box::new(Fall { code, text }))
}

/// Replaces the message of a panic by the report of its image.
///
/// The program may still catch a panic; only one that reaches the end of the image is reported.
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
                // No supervisor finds it at the end of the image.
                Some(image) if cfg!(panic = "abort") => report_abort(&image, &panic),
                _ => LAST_PANIC.set(Some(panic)),
            }
        }));
    });
    IMAGE.set(Some(image));
}

/// Reports a panic that aborts the process when this returns.
fn report_abort(image: &Image, panic: &Panic) {
    let is_process = image.job.fabric == FabricKind::Processes;
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
        // Before other images see the end, and report it as well.
        begins_report();
    });
    if !is_first {
        leave(&image.job, image.index);
    }
    // The supervisor reports it.
    if !is_process {
        report(&failure);
        await_readers();
    }
}

/// Local. Ends the whole job at once with exit code `code` (1 if it is a multiple of 256) and a report that names this
/// image and this line.
///
/// # Examples
/// ```
/// let failure = coarray_launch::Launch::new(2).run(|| coarray_runtime::error_stop(7)).unwrap_err();
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

/// Local. Ends the whole job at once with exit code `code` and `message` as the only report.
///
/// For errors of the user, such as a file that does not exist. If several images report one, it is printed once.
///
/// # Examples
/// ```
/// let failure = coarray_launch::Launch::new(2)
///     .run(|| coarray_runtime::error_stop_with(2, "life: no such pattern"))
///     .unwrap_err();
/// assert_eq!(failure.to_string(), "life: no such pattern");
/// ```
///
/// # Source
/// Fortran 2018 `error stop` with a stop code, clause 11.4.
pub fn error_stop_with(code: i32, message: impl fmt::Display) -> ! {
    stop(code, format!("{OWN_WORDS}{message}"))
}

/// Local. Ends the whole job at once with exit code `code` (1 if it is a multiple of 256), and without a report.
///
/// For programs whose caller reads the exit code only, and for those that have said why themselves. What else ends the job is reported
/// as ever, and so is another error that came first. A launcher of MPI or of a cluster may say something of its own.
///
/// # Examples
/// ```
/// let failure = coarray_launch::Launch::new(2).run(|| coarray_runtime::error_stop_quiet(3)).unwrap_err();
/// assert_eq!((failure.code, failure.to_string().as_str()), (3, ""));
/// ```
///
/// # Source
/// Fortran 2018 `error stop` with `quiet=.true.`, clause 11.4.
pub fn error_stop_quiet(code: i32) -> ! {
    stop(code, OWN_WORDS.into())
}

/// Local. Ends this image at once, without unwinding if it is a process. In a fault-tolerant job (`Launch::keep_going`,
/// `coarun --keep-going`) the other images go on without it; any other job ends as with [`error_stop`]`(1)`.
///
/// Use it to test what a program does when images fail. Images that are threads unwind, which a program must not catch.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Examples
/// ```
/// use coarray_launch::Launch;
/// use coarray_runtime::{fail_image, this_image};
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
    match image.job.fabric {
        FabricKind::Processes => {
            image.control(image.index).last_words.set(&text);
            std::process::exit(1)
        }
        FabricKind::Threads => fail_alone(&image, 1, text),
        FabricKind::Mpi | FabricKind::Shmem | FabricKind::Own => {
            unreachable!("no job of theirs keeps going")
        }
    }
}

fn stop(code: i32, text: String) -> ! {
    let code = exit_code(code);
    let Some(image) = Image::try_current() else {
        tell(text.trim_start_matches(OWN_WORDS));
        std::process::exit(i32::from(code));
    };
    image.stop(code, text)
}

/// The exit code that the operating system makes of `code`, but never success.
pub(crate) fn exit_code(code: i32) -> u8 {
    match code.rem_euclid(256) {
        0 => 1,
        code => code as u8,
    }
}
