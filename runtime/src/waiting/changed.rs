//! Waiting until a coatomic changes.
//!
//! Where instructions change it, images park (`lockfree/parking.rs`), by a table of the process. A process that is an image for its whole life has the
//! table in the memory of its job. Where the fabric changes it, an image looks again whenever it polls for messages.
//!
//! # Why no deadlock is reported that is none
//! An image that sleeps looks at the coatomic each time before it records its wait again, and a deadlock is reported only
//! if all images have recorded their waits since all were found asleep. Threads of the program that are no images may change a coatomic
//! while all images sleep: in jobs where images wait for coatomics, none counts as asleep while its process has such threads. On several nodes,
//! where these threads are refused, the record has the word of the coatomic as it was, in place of a signal word, and images complete what they
//! have issued before they count as asleep.

use std::mem::{MaybeUninit, size_of};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::image::Image;
use crate::job::Job;
use crate::job::settings::FabricKind;
use crate::lockfree::eventcount::{self, Around, Eventcount, WaitStrategy};
use crate::lockfree::parking::{self, Table};
use crate::lockfree::sleep::Awaited;
use crate::waiting::{Cause, Interruption, Stop, Waiting};
use coarray_fabric::system::asymmetric_fence;

/// For processes that are no image.
// SAFETY: a table consists of atomic numbers, for which zero bytes are valid.
static OF_THIS_PROCESS: Table = unsafe { MaybeUninit::zeroed().assume_init() };

/// The table of this process: a reference that is valid until its end.
static TABLE: AtomicPtr<Table> = AtomicPtr::new((&raw const OF_THIS_PROCESS).cast_mut());

#[inline]
fn table() -> &'static Table {
    // Acquire pairs with the Release in `share` and `forget`.
    // SAFETY: the pointer is made of a reference that is valid until the end of the process, here, in `share` and in `forget`.
    unsafe { &*TABLE.load(Ordering::Acquire) }
}

/// To be called after an instruction that has changed a coatomic at this address: wakes images that wait for that.
#[inline]
pub fn note_change(address: usize) {
    table().bucket(address).note_change();
}

/// Makes images in other processes of the job hear of changes in this one, which becomes an image, and the other way round.
///
/// Waits that have begun in this process before look for changes only when their sleep times out.
pub(crate) fn share(job: &'static Job) {
    let shared = &job.region.job().parking;
    if !asymmetric_fence::reach_processes() {
        shared.note_unfenced();
    }
    TABLE.store(ptr::from_ref(shared).cast_mut(), Ordering::Release);
}

/// For a process that was forked, which has no memory of the job. It neither allocates nor locks.
pub(crate) fn forget() {
    // Release: as in `share`.
    TABLE.store((&raw const OF_THIS_PROCESS).cast_mut(), Ordering::Release);
}

impl Image {
    /// Waits until something has changed in the coatomic at `address` in this image's heap, as `has_changed` tells.
    ///
    /// # Errors
    /// Why the wait was given up, as `cause` says.
    pub fn wait_for_change(
        &self,
        address: usize,
        has_changed: impl Fn() -> bool,
        cause: impl Cause,
    ) -> Result<(), Interruption> {
        self.job.region.job().note_parking();
        let watch = || Waiting::new(self, &cause);
        let end = if self.spans_nodes() {
            self.poll_until_changed(address, has_changed, watch)
        } else {
            let (table, patience) = (table(), self.backoff.patience());
            // Processes that an MPI or OpenSHMEM started may be images of one job after the other: each has a table of its own.
            let is_shared = matches!(self.job.fabric, FabricKind::Processes | FabricKind::Threads);
            let is_unfenced = table.is_unfenced() || !is_shared;
            let bucket = table.bucket(address);
            parking::until_changed(bucket, is_unfenced, patience, has_changed, watch)
        };
        match end {
            Ok(()) => Ok(()),
            Err(Stop::Failed) => Err(Interruption::Failed),
            Err(Stop::TimedOut) => Err(Interruption::TimedOut),
            Err(Stop::Ended) => self.unwind(),
        }
    }

    fn poll_until_changed<'a, C: Cause>(
        &'a self,
        address: usize,
        has_changed: impl Fn() -> bool,
        watch: impl Fn() -> Waiting<'a, C>,
    ) -> Result<(), Stop> {
        // Nobody advances it.
        let never = Eventcount::default();
        let word = self.job.region.offset_of_address(address) / WORD * WORD;
        while !has_changed() {
            let polled = Polled {
                word,
                seen: self.word(word),
                has_changed: &has_changed,
                watch: watch(),
            };
            let patience = self.backoff.patience();
            match eventcount::until(&never, 1, patience, || polled) {
                Err(Some(stop)) if !has_changed() => return Err(stop),
                // The coatomic, or another one in its word.
                _ => {}
            }
        }
        Ok(())
    }

    /// The word at an offset of the region, in this image's heap.
    fn word(&self, offset: u64) -> u64 {
        self.job.region.signal_at(offset as usize).unwrap_or(0)
    }
}

const WORD: u64 = size_of::<u64>() as u64;

/// A wait for a coatomic that the fabric changes.
struct Polled<'a, F, C> {
    /// Where in the region the word is that has the coatomic, or the version of its value.
    word: u64,
    /// Its value before the image looked at the coatomic: if it is another one, the image looks again.
    seen: u64,
    has_changed: &'a F,
    watch: Waiting<'a, C>,
}

impl<'a, F: Fn() -> bool, C: Cause> Around for Polled<'a, F, C> {
    type Inner = Waiting<'a, C>;
    /// None if the word has changed.
    type Stop = Option<Stop>;

    fn inner(&self) -> &Waiting<'a, C> {
        &self.watch
    }

    fn stop(stop: Stop) -> Option<Stop> {
        Some(stop)
    }

    fn check(&self) -> Result<(), Option<Stop>> {
        self.watch.check().map_err(Some)?;
        match (self.has_changed)() || self.watch.image.word(self.word) != self.seen {
            true => Err(None),
            false => Ok(()),
        }
    }

    fn prepare_park(&self, _eventcount: &Eventcount, _target: u64) {
        self.watch.prepare_park_until(Some(Awaited {
            signal: self.word,
            seen: self.seen,
            ..Awaited::PRIVATE
        }));
    }
}
