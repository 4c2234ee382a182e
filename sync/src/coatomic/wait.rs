//! Waiting for a value.

use std::panic::Location;
use std::rc::Rc;
use std::time::{Duration, Instant};

use coarray_coref::{Remote, same};
use coarray_fabric::system::controlled;
use coarray_fabric::{attribute_to, may_span_nodes};
use coarray_runtime::{
    Activity, Cause, Image, ImageFailed, Interruption, Team, is_own_address, this_image,
};

use super::Coatomic;

impl<T: Remote> Coatomic<T> {
    /// Local. Waits until `until` is true of the value; returns that value.
    ///
    /// `until` is called with the value, and again when that has changed; a value that does not last may be missed. In between the image sleeps.
    /// Operations on coatomics wake it, and those of [`as_atomic`](crate::AsAtomic::as_atomic), by whatever image or thread: each
    /// that changes the value while an image sleeps costs a system call more. A plain put wakes nobody, and is seen some tens of milliseconds
    /// later.
    ///
    /// Orders nothing else, as all operations of a coatomic: what the other image wrote before an [`image_fence`](crate::image_fence), and
    /// then the value, is visible after another one here. If an image of the current team has failed, and the value is not there,
    /// the job ends with a report.
    ///
    /// # Panics
    /// On a thread that is not an image; if the coatomic is on another image, or in no coarray.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let here = Coarray::new(Coatomic::new(0));
    ///     here.at(0).add(1);
    ///     if this_image() == 0 {
    ///         assert_eq!(here.wait_until(|images| images == 4), 4); // all have come
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_wait_until`, OpenSHMEM 1.5 section 9.10; [`std::sync::Condvar::wait_while`].
    #[inline]
    #[track_caller]
    pub fn wait_until(&self, until: impl FnMut(T) -> bool) -> T {
        wait_until(self.addr(), || self.load(), until)
    }

    /// Local. As [`wait_until`](Self::wait_until), unless that takes longer than `timeout`: then none. [`Duration::MAX`] is no limit.
    ///
    /// # Errors
    /// If the value is not there, and images of the current team have failed.
    ///
    /// # Panics
    /// On a thread that is not an image; if the coatomic is on another image, or in no coarray.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use std::time::Duration;
    ///
    /// coarray::run(1, || {
    ///     let state = Coarray::new(Coatomic::new('a'));
    ///     let seen = state.wait_until_timeout(Duration::from_millis(1), |state| state > 'a');
    ///     assert_eq!(seen, Ok(None));
    ///     state.store('c');
    ///     let seen = state.wait_until_timeout(Duration::MAX, |state| state > 'a');
    ///     assert_eq!(seen, Ok(Some('c')));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`wait_until`](Self::wait_until); [`std::sync::Condvar::wait_timeout_while`].
    #[inline]
    #[track_caller]
    pub fn wait_until_timeout(
        &self,
        timeout: Duration,
        until: impl FnMut(T) -> bool,
    ) -> Result<Option<T>, ImageFailed> {
        wait_until_timeout(self.addr(), || self.load(), timeout, until)
    }

    fn addr(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Waits until `until` is true of the coatomic at `address`, which `load` loads.
#[inline]
#[track_caller]
pub(crate) fn wait_until<T: Remote>(
    address: usize,
    load: impl Fn() -> T,
    mut until: impl FnMut(T) -> bool,
) -> T {
    assert_is_here(address);
    let load = attributed(Location::caller(), load);
    let value = load();
    if until(value) {
        return value;
    }
    let waiting = ValueWait::new(address, None);
    waiting.go_on(value, load, until).unwrap_or_else(|_| {
        let operation = format!("a wait for a coatomic at {}", waiting.caller);
        let team = &waiting.team;
        team.fail_because(&ImageFailed::of(team), &operation)
    })
}

/// As [`wait_until`], for some time.
#[inline]
#[track_caller]
pub(crate) fn wait_until_timeout<T: Remote>(
    address: usize,
    load: impl Fn() -> T,
    timeout: Duration,
    mut until: impl FnMut(T) -> bool,
) -> Result<Option<T>, ImageFailed> {
    assert_is_here(address);
    let load = attributed(Location::caller(), load);
    let value = load();
    if until(value) {
        return Ok(Some(value));
    }
    let waiting = ValueWait::new(address, controlled::now().checked_add(timeout));
    match waiting.go_on(value, load, until) {
        Ok(value) => Ok(Some(value)),
        Err(Interruption::TimedOut) => Ok(None),
        Err(Interruption::Failed) => Err(ImageFailed::of(&waiting.team)),
    }
}

/// Loads for a wait at this line: for tools that see each operation.
#[inline]
fn attributed<T>(caller: &'static Location<'static>, load: impl Fn() -> T) -> impl Fn() -> T {
    move || {
        let _at = may_span_nodes().then(|| attribute_to(caller));
        load()
    }
}

/// # Panics
/// If the coatomic is not in a coarray of this image.
#[inline]
#[track_caller]
fn assert_is_here(address: usize) {
    if !is_own_address(address) {
        refuse_others(address);
    }
}

#[cold]
#[track_caller]
fn refuse_others(address: usize) -> ! {
    let _ = this_image();
    let image = Image::try_current();
    if let Some(place) = image.as_ref().and_then(|image| image.locate(address)) {
        panic!(
            "this coatomic is on image {}, and only that image can wait for it",
            place.image
        );
    }
    assert!(
        !image.is_some_and(|image| image.is_in_another_job(address)),
        "this coatomic is in a coarray of another job than this image's: only an image of that job can wait for it"
    );
    panic!(
        "this coatomic is in no coarray, and images wait only for what others can change: \
         `Coarray::new(Coatomic::new(value))`; threads of one process have std's `Condvar`"
    )
}

/// A wait for a value.
struct ValueWait {
    address: usize,
    deadline: Option<Instant>,
    team: Rc<Team>,
    caller: &'static Location<'static>,
}

impl ValueWait {
    #[track_caller]
    fn new(address: usize, deadline: Option<Instant>) -> Self {
        Self {
            address,
            deadline,
            team: Team::current(),
            caller: Location::caller(),
        }
    }

    /// Waits, after `until` was false of `value`.
    fn go_on<T: Remote>(
        &self,
        mut value: T,
        load: impl Fn() -> T,
        mut until: impl FnMut(T) -> bool,
    ) -> Result<T, Interruption> {
        let image = self.team.image();
        loop {
            // The program's `until` is called between waits, not in one: it may do anything.
            image.wait_for_change(self.address, || !same(&load(), &value), self)?;
            value = load();
            if until(value) {
                return Ok(value);
            }
            // A value that changes all the time lets no wait begin.
            image.check_abort();
            if self.deadline.is_some_and(|end| controlled::now() >= end) {
                return Err(Interruption::TimedOut);
            }
        }
    }
}

impl Cause for ValueWait {
    fn describe(&self) -> String {
        let place = self.team.image().describe_place(self.address);
        format!(
            "waits at {} for a coatomic in {place} to change",
            self.caller
        )
    }

    fn awaited(&self) -> Option<usize> {
        None
    }

    fn has_failed(&self) -> bool {
        self.team.has_failed_images()
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Value, self.caller))
    }
}
