//! The checked barrier under every collective operation.
//!
//! An image enters a barrier with a [`Arrival`] that says what it is doing: its [`Signature`]. Then it waits for the
//! others, in one of the ways that [`Barrier`] names, in all of which it is let out only when all have entered
//! and all signatures were found equal, by itself or by others. So nobody leaves the barrier unless all images entered
//! it for the same operation in the same way, and of any two that disagree none leaves.
//!
//! # When images disagree
//! Whoever compares two signatures that differ reports it. But images that disagree may wait for each other in ways
//! in which nobody compares their signatures: those of two barriers, or of a barrier that is held up by a third image.
//! So an image that lies down to sleep looks at the arrivals of all who have come ([`BarrierWait`]). Of any two that
//! sleep, the one that entered later, or lay down later, sees the other's arrival.
//!
//! # When images fail
//! A failed image does not do its part, so the barrier gets stuck. But everyone who entered has shown its arrival,
//! and whoever learns of a failure goes over to [`barrier_of_survivors`]: it waits until each image has entered
//! or failed, and finds out which entered. All images come to the same answer, however they went through:
//! * if the barrier took anyone through, all images had entered, also those that failed since;
//! * who has not entered and is dead never will, so the set of those who entered is settled when all others
//!   have.

use std::cell::Cell;
use std::time::Duration;

use crate::lockfree::arrival::{Arrival, Signature};
use crate::lockfree::barrier::dissemination::{self, Line};
use crate::lockfree::barrier::{Barrier, central, flat, tree};
use crate::lockfree::eventcount::{self, Eventcount, SpinPolicy, WaitStrategy};
use crate::primitives::{AtomicU64, Ordering, fence};

/// A cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Alone<T>(pub(crate) T);

/// What one image shows and tells the others in the barriers of a team.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct BarrierState {
    /// By the parity of the barrier's number.
    pub(crate) arrivals: [Arrival; 2],
    /// The last barrier for which all below the image in the tree were found to agree.
    pub(crate) gathered: Alone<Eventcount>,
    /// The last barrier that those were let out of who wait for this image to do so.
    pub(crate) release: Alone<Eventcount>,
    /// How many images have come to the central barrier; only that of the first image is used.
    pub(crate) arrived: Alone<AtomicU64>,
}

/// Where images meet, as one of them sees it.
pub(crate) trait BarrierScope {
    /// Why a wait is given up.
    type Stop;

    /// What the image does while it waits.
    type WaitStrategy<'a>: WaitStrategy<Stop = Self::Stop>
    where
        Self: 'a;

    /// The state of an image.
    fn state(&self, image: usize) -> &BarrierState;

    /// A mailbox of an image; `set` is 0 or 1.
    fn line(&self, image: usize, set: usize, round: usize) -> &Line;

    /// A wait that ends when any image fails. `awaited` is who could end it.
    fn watch(&self, awaited: usize) -> Self::WaitStrategy<'_>;

    /// A wait that ends when image `awaited` fails.
    fn wait_for_one(&self, awaited: usize) -> Self::WaitStrategy<'_>;

    /// Whether that image has failed, so that it can do nothing any more.
    fn has_failed(&self, image: usize) -> bool;
}

/// The way of one image through a barrier.
pub(crate) struct Episode<P> {
    /// The image's index.
    pub(crate) me: usize,
    /// How many images meet.
    pub(crate) images: usize,
    /// 1, 2, 3, ... on every image alike.
    pub(crate) number: u64,
    /// What the image is doing, with the barrier.
    pub(crate) signature: Signature,
    /// How it waits.
    pub(crate) patience: SpinPolicy,
    /// Where.
    pub(crate) scope: P,
}

/// Why an image does not come out of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierError<Stop> {
    /// That image is in another collective operation.
    Mismatch {
        /// The image whose signature differs.
        image: usize,
    },
    /// The waiting was stopped.
    Stopped(Stop),
}

/// Most children of an image in the tree.
const CHILDREN: usize = 4;

/// Passes the barrier, which the image has entered with its arrival, in the way of its signature.
#[inline]
pub(crate) fn pass<P: BarrierScope>(
    episode: &Episode<P>,
    barrier: Barrier,
) -> Result<(), BarrierError<P::Stop>> {
    match barrier {
        Barrier::Flat => flat::pass(episode),
        Barrier::Dissemination => dissemination::pass(episode),
        Barrier::Tree => tree::pass::<CHILDREN, P>(episode),
        Barrier::Central => central::pass(episode),
    }
}

/// Passes the barrier although images have failed, by looking at everyone. Returns who had not entered when
/// it failed.
pub(crate) fn barrier_of_survivors<P: BarrierScope>(
    episode: &Episode<P>,
) -> Result<Vec<usize>, BarrierError<P::Stop>> {
    let number = episode.number;
    let mut missing = Vec::new();
    'images: for image in 0..episode.images {
        let arrival = episode.arrival(image);
        while !arrival.has_entered(number) {
            // It may have entered just before it failed.
            if episode.scope.has_failed(image) && !arrival.has_entered(number) {
                missing.push(image);
                continue 'images;
            }
            let watch = || BarrierWait::new(episode, episode.scope.wait_for_one(image));
            match eventcount::until(&arrival.signal, number, episode.patience, watch) {
                Err(BarrierError::Stopped(_)) if episode.scope.has_failed(image) => {}
                outcome => outcome?,
            }
        }
        episode.compare(image, arrival)?;
    }
    Ok(missing)
}

impl<P: BarrierScope> Episode<P> {
    /// The arrival with which that image enters this barrier.
    #[inline]
    pub(crate) fn arrival(&self, image: usize) -> &Arrival {
        &self.scope.state(image).arrivals[(self.number & 1) as usize]
    }

    /// Waits until `eventcount` has reached the number of the barrier.
    #[inline]
    pub(crate) fn wait(
        &self,
        eventcount: &Eventcount,
        awaited: usize,
    ) -> Result<(), BarrierError<P::Stop>> {
        eventcount::until(eventcount, self.number, self.patience, || {
            BarrierWait::new(self, self.scope.watch(awaited))
        })
    }

    /// Compares the signature of an image that has entered, with this arrival.
    #[inline]
    pub(crate) fn compare(
        &self,
        image: usize,
        arrival: &Arrival,
    ) -> Result<(), BarrierError<P::Stop>> {
        if arrival.agrees(&self.signature) {
            Ok(())
        } else {
            Err(BarrierError::Mismatch { image })
        }
    }

    /// Compares the signatures of all images that have entered, and counts them.
    pub(crate) fn compare_all(&self) -> Result<usize, BarrierError<P::Stop>> {
        let mut present = 1;
        for image in (0..self.images).filter(|&image| image != self.me) {
            let arrival = self.arrival(image);
            if arrival.has_entered(self.number) {
                self.compare(image, arrival)?;
                present += 1;
            }
        }
        Ok(present)
    }
}

/// Waits, and looks for images that disagree before it sleeps.
struct BarrierWait<'a, P: BarrierScope> {
    episode: &'a Episode<P>,
    watch: P::WaitStrategy<'a>,
    is_lying: Cell<bool>,
}

impl<'a, P: BarrierScope> BarrierWait<'a, P> {
    fn new(episode: &'a Episode<P>, watch: P::WaitStrategy<'a>) -> Self {
        Self {
            episode,
            watch,
            is_lying: Cell::new(false),
        }
    }
}

impl<P: BarrierScope> WaitStrategy for BarrierWait<'_, P> {
    type Stop = BarrierError<P::Stop>;

    fn check(&self) -> Result<(), Self::Stop> {
        if self.is_lying.get() {
            // Of two images that each showed their arrival and then look here, one sees the other's.
            fence(Ordering::SeqCst);
            self.episode.compare_all()?;
        }
        self.watch.check().map_err(BarrierError::Stopped)
    }

    fn yields(&self, patience: SpinPolicy) -> u32 {
        self.watch.yields(patience)
    }

    fn yield_core(&self) -> bool {
        self.watch.yield_core()
    }

    fn park_timeout(&self) -> Duration {
        self.watch.park_timeout()
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        self.is_lying.set(true);
        self.watch.prepare_park(eventcount, target);
    }

    fn on_timeout(&self) -> Result<(), Self::Stop> {
        self.watch.on_timeout().map_err(BarrierError::Stopped)
    }

    fn unpark(&self) {
        self.watch.unpark();
    }
}
