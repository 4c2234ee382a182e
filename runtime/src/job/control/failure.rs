//! Why a job failed, for all images and their supervisor to read.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use coarray_fabric::system::fixed_str::FixedStr;

/// The first reason for which the job failed. Later reasons are consequences, and are discarded.
#[derive(Debug)]
#[repr(C)]
pub struct FailureRecord {
    /// 0: none, 1: being written, 2: complete.
    state: AtomicU32,
    pub(super) image: AtomicU32,
    pub(super) code: AtomicU32,
    pub(super) text: FixedStr<8192>,
}

/// Why the job failed, and because of which image.
///
/// Its [`Display`](std::fmt::Display) is the report that a program prints before it ends.
///
/// # Examples
/// ```
/// use coarray_launch::Launch;
/// use coarray_runtime::this_image;
///
/// let failure = Launch::new(3)
///     .run(|| assert!(this_image() != 2, "the residual grows"))
///     .unwrap_err();
/// assert_eq!((failure.image, failure.code), (2, 101));
/// assert!(failure.to_string().contains("the residual grows"));
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The image that failed.
    pub image: usize,
    /// The exit code.
    pub code: u8,
    /// One or more lines for people.
    pub text: String,
}

/// The first byte of a failure whose text is shown as it is.
pub(crate) const OWN_WORDS: char = '\u{1}';

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.strip_prefix(OWN_WORDS) {
            Some(words) => formatter.write_str(words),
            None => write!(formatter, "coarray: image {} {}", self.image, self.text),
        }
    }
}

impl std::error::Error for Failure {}

impl FailureRecord {
    /// Whether this is the first failure. Then the caller [writes](Self::write) it, and may take its time.
    pub(crate) fn claim(&self) -> bool {
        self.state
            .compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Records the first failure.
    pub(crate) fn write(&self, failure: &Failure) {
        self.image.store(failure.image as u32, Ordering::Relaxed);
        self.code.store(u32::from(failure.code), Ordering::Relaxed);
        self.text.set(&failure.text);
        self.state.store(2, Ordering::Release);
    }

    /// Waits until the first failure is written, or `limit` has passed: its writer may be killed.
    pub(crate) fn wait(&self, longest: Duration) -> Option<Failure> {
        let end = Instant::now() + longest;
        loop {
            let failure = self.get();
            if failure.is_some() || Instant::now() >= end {
                return failure;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The failure, once it is completely written.
    pub fn get(&self) -> Option<Failure> {
        (self.state.load(Ordering::Acquire) == 2).then(|| Failure {
            image: self.image.load(Ordering::Relaxed) as usize,
            code: self.code.load(Ordering::Relaxed) as u8,
            text: self.text.get(),
        })
    }
}
