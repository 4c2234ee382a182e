//! Waiting for what images of this node and of others count together: the former advance an eventcount, and the latter give a signal of
//! the fabric, which wakes nobody.
//!
//! So an image sleeps on the eventcount until it has reached what the signals so far leave, and begins again when more have come. It looks for
//! them whenever it polls for messages.

use std::panic::Location;
use std::time::Instant;

use crate::image::Image;
use crate::lockfree::eventcount::{self, Around, Eventcount, WaitStrategy};
use crate::lockfree::sleep::Awaited;
use crate::primitives::pause;
use crate::profile::activity::Activity;
use crate::waiting::{Cause, Interruption, Stop, Waiting};
use coarray_fabric::transport::signal::Signal;

/// What no eventcount reaches: of a wait that only signals end.
pub(crate) const NEVER: u64 = u64::MAX >> 1;

/// How often an image looks at the signal word after each poll, which takes longer.
const LOOKS: u32 = 8;

impl Image {
    /// As [`wait`](Self::wait), until `eventcount` and `signal` together have reached `target`.
    ///
    /// # Errors
    /// Why the wait was given up, as `cause` says.
    #[inline]
    pub fn wait_for_sum(
        &self,
        eventcount: &Eventcount,
        signal: &Signal,
        target: u64,
        cause: impl Cause,
    ) -> Result<(), Interruption> {
        if self.network.is_none() {
            // No signals come.
            return self.wait(eventcount, target, cause);
        }
        let has_come = || eventcount.count() + signal.sum() >= target;
        loop {
            let seen = signal.sum();
            let rest = target.saturating_sub(seen);
            let end = eventcount::until(eventcount, rest, self.backoff.patience(), || {
                Signalled::new(signal, seen, Waiting::new(self, &cause))
            });
            match end {
                Ok(()) => return Ok(()),
                // The failed image may have posted between the last check and its failure.
                Err(_) if has_come() => return Ok(()),
                Err(None) => {}
                Err(Some(Stop::Failed)) => return Err(Interruption::Failed),
                Err(Some(Stop::TimedOut)) => return Err(Interruption::TimedOut),
                Err(Some(Stop::Ended)) => self.unwind(),
            }
        }
    }
}

/// A wait that more signals than were seen end as well.
pub(crate) struct Signalled<'a, C> {
    signal: &'a Signal,
    seen: u64,
    watch: Waiting<'a, C>,
}

impl<'a, C> Signalled<'a, C> {
    pub(crate) fn new(signal: &'a Signal, seen: u64, watch: Waiting<'a, C>) -> Self {
        Self {
            signal,
            seen,
            watch,
        }
    }
}

impl<'a, C: Cause> Around for Signalled<'a, C> {
    type Inner = Waiting<'a, C>;
    /// None if signals have come.
    type Stop = Option<Stop>;

    fn inner(&self) -> &Waiting<'a, C> {
        &self.watch
    }

    fn stop(stop: Stop) -> Option<Stop> {
        Some(stop)
    }

    fn check(&self) -> Result<(), Option<Stop>> {
        self.watch.check().map_err(Some)?;
        let looks = self.watch.image.network.as_ref().map_or(0, |_| LOOKS);
        for _ in 0..looks {
            if self.signal.sum() != self.seen {
                return Err(None);
            }
            pause();
        }
        Ok(())
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        let region = &self.watch.image.job.region;
        self.watch.prepare_park_until(Some(Awaited {
            signal: region.offset_of(self.signal),
            seen: self.seen,
            ..Awaited::count(region.offset_of(eventcount), target)
        }));
    }
}

impl<C: Cause> Cause for &C {
    fn describe(&self) -> String {
        (*self).describe()
    }

    fn awaited(&self) -> Option<usize> {
        (*self).awaited()
    }

    fn has_failed(&self) -> bool {
        (*self).has_failed()
    }

    fn barrier(&self) -> Option<(u64, u64)> {
        (*self).barrier()
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        (*self).activity()
    }

    fn object(&self) -> Option<usize> {
        (*self).object()
    }

    fn deadline(&self) -> Option<Instant> {
        (*self).deadline()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::messages::messaging::own_address;
    use crate::messages::quiet::{quiet, quiet_except_signals};
    use crate::testing::run;
    use coarray_fabric::SignalOperation;
    use coarray_fabric::transport::pending::{Pending, has_outstanding, is_complete, is_pending};

    /// Why the images of these tests wait.
    struct ForPosts;

    impl Cause for ForPosts {
        fn describe(&self) -> String {
            "waits for posts".into()
        }

        fn awaited(&self) -> Option<usize> {
            None
        }

        fn has_failed(&self) -> bool {
            false
        }
    }

    /// Where in the scratch memory of each image, which no collective operation uses meanwhile, the signal word is.
    const WORD: usize = 128;

    fn offset(image: &Image) -> usize {
        image.job.region.scratch_offset() + WORD
    }

    fn give(image: &Image, to: usize, amount: u64) {
        let add = SignalOperation::Add(amount);
        // SAFETY: the word lies in scratch memory, aligned, and only signals change it.
        unsafe { image.fabric().signal(to, offset(image), add) };
    }

    /// The signal word of image 1.
    fn signal(image: &Image) -> &Signal {
        // SAFETY: as in `give`; the memory stays until the end of the job.
        unsafe { &*own_address(image, offset(image)).cast::<Signal>() }
    }

    /// Runs `body` on images of a node each. They go on together at the barrier, without a message.
    fn apart(images: usize, body: impl Fn(&Image, &Barrier) + Sync) {
        let barrier = Barrier::new(images);
        run(images, images, || {
            Image::with_current(|image| {
                barrier.wait();
                body(image, &barrier);
                barrier.wait();
            });
        });
    }

    #[test]
    fn signals_and_the_eventcount_end_a_wait_together() {
        apart(3, |image, _| {
            if image.index == 1 {
                let count = Eventcount::default();
                for turn in 1..=100 {
                    count.add(1);
                    let target = turn * 8;
                    let end = image.wait_for_sum(&count, signal(image), target, ForPosts);
                    assert_eq!(end, Ok(()));
                    assert!(count.count() + signal(image).sum() >= target);
                }
                assert_eq!(signal(image).sum(), 700);
            } else {
                for turn in 0..100 {
                    if turn % 10 == 9 {
                        // Longer than an image polls before it sleeps.
                        thread::sleep(Duration::from_millis(1));
                    }
                    give(image, 1, if image.index == 0 { 3 } else { 4 });
                }
            }
        });
    }

    #[test]
    fn signals_send_no_message_and_are_completed_with_everything() {
        apart(2, |image, barrier| {
            let sent = || image.control(image.index).traffic.sent();
            let before = sent();
            if image.index == 0 {
                (0..100).for_each(|_| give(image, 1, 1));
                quiet_except_signals();
                assert!(is_pending(Pending::Signals));
                quiet();
                assert!(is_complete());
            }
            barrier.wait();
            if image.index == 1 {
                assert_eq!(signal(image).sum(), 100);
            }
            assert_eq!(sent(), before);
        });
    }

    #[test]
    fn a_signal_follows_the_puts_to_its_image_and_leaves_others_in_flight() {
        apart(3, |image, _| {
            let scratch = image.job.region.scratch_offset();
            if image.index == 0 {
                for (round, to) in [(1, 1), (2, 2), (3, 1), (4, 2), (5, 1)] {
                    // SAFETY: the place is scratch memory, which no collective operation uses meanwhile.
                    unsafe { image.fabric().put_word(to, scratch + 8 * to, round) };
                }
                give(image, 1, 1);
                assert!(has_outstanding(), "the puts to image 2");
            } else if image.index == 1 {
                let count = Eventcount::default();
                let end = image.wait_for_sum(&count, signal(image), 1, ForPosts);
                assert_eq!(end, Ok(()));
                let word = own_address(image, scratch + 8).cast::<u64>();
                // SAFETY: as above; nobody puts to it any more.
                assert_eq!(unsafe { word.read_volatile() }, 5);
            }
        });
    }
}
