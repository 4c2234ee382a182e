//! The cost of an image that waits for long.

use std::io;
use std::mem::MaybeUninit;
use std::thread;
use std::time::{Duration, Instant};

use coarray::{error_stop_with, prelude::*};

use super::Observation;

/// The share of a core that an image uses while it waits for an event: processor time in place of the operation's time,
/// and clock time in place of the bound's. Image 0 is observed in its second wait, without the page faults of the
/// first.
pub const WAITING: Observation = Observation {
    name: "waiting",
    observe: || {
        let event = Coarray::new(Coevent::new());
        let post = |image| event.at(image).post();
        let take = |limit| event.wait_timeout(limit) == Ok(true);
        wait(post, take);
        vec![wait(post, take)]
    },
};

/// The same for an image that waits for a value.
pub const WAITING_FOR_VALUE: Observation = Observation {
    name: "waiting_for_value",
    observe: || {
        let value = Coarray::new(Coatomic::new(false));
        let set = |image| value.at(image).store(true);
        let take = |limit| {
            let came = value.wait_until_timeout(limit, |value| value);
            value.store(false);
            came == Ok(Some(true))
        };
        wait(set, take);
        vec![wait(set, take)]
    },
};

/// The part of a wait that does not count: in a short wait spinning may be right.
const BEFORE: Duration = Duration::from_millis(10);

/// The part that counts.
const DURING: Duration = Duration::from_millis(100);

/// The rest of the wait, so that its end does not count.
const AFTER: Duration = Duration::from_millis(5);

/// Collective. The processor time of image 0, and the clock time, both in nanoseconds.
fn wait(tell: impl Fn(usize), take: impl Fn(Duration) -> bool) -> [f64; 2] {
    sync_all();
    let poster = num_images() - 1;
    if poster > 0 && this_image() == poster {
        thread::sleep(BEFORE + DURING + AFTER);
        (0..poster).for_each(tell);
        return [0.0; 2];
    }
    let clock = Clock::of_this_thread().unwrap_or_else(|error| {
        error_stop_with(1, format_args!("cobench: cannot find a clock: {error}"))
    });
    thread::scope(|scope| {
        let watched = scope.spawn(move || {
            thread::sleep(BEFORE);
            let (start, used) = (Instant::now(), clock.now());
            thread::sleep(DURING);
            let used = clock.now() - used;
            [used, start.elapsed()].map(|time| time.as_nanos() as f64)
        });
        // No other image could end the wait of a single one.
        let limit = match poster {
            0 => BEFORE + DURING + AFTER,
            _ => Duration::MAX,
        };
        assert_eq!(take(limit), poster > 0, "whether it was told");
        watched
            .join()
            .expect("a thread that reads clocks does not panic")
    })
}

/// How much of a processor a thread has used, for another thread to read.
#[derive(Clone, Copy, Debug)]
struct Clock(libc::clockid_t);

impl Clock {
    fn of_this_thread() -> io::Result<Self> {
        let mut clock = MaybeUninit::uninit();
        // SAFETY: the calling thread lives, and there is room for the answer.
        let error =
            unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), clock.as_mut_ptr()) };
        if error == 0 {
            // SAFETY: the call above succeeded, and so wrote it.
            Ok(Self(unsafe { clock.assume_init() }))
        } else {
            Err(io::Error::from_raw_os_error(error))
        }
    }

    /// The time that the thread, which must not have ended, has used.
    fn now(self) -> Duration {
        let mut time = MaybeUninit::uninit();
        // SAFETY: there is room for the answer.
        let outcome = unsafe { libc::clock_gettime(self.0, time.as_mut_ptr()) };
        assert_eq!(outcome, 0, "the thread has ended");
        // SAFETY: the call above succeeded, and so wrote it.
        let time = unsafe { time.assume_init() };
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
}
