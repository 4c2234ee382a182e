//! The checked barrier under every collective operation.
//!
//! An image enters a barrier with an [`Arrival`], which contains its [`Signature`]. Then it waits for the others, by
//! one of the algorithms of [`Barrier`]. In each of them it leaves only when all images have entered and all signatures
//! were found equal, by itself or by others. So no image leaves unless all entered for the same operation by the same
//! algorithm, and of any two that disagree none leaves.
//!
//! # When images disagree
//! An image that compares two signatures that differ reports it. But images that disagree may wait for each other
//! without comparing: by two algorithms, or in a barrier that a third image delays. So an image that goes to sleep
//! reads the arrivals of all images that have entered ([`BarrierWait`]). Of any two that sleep, the one that entered
//! later, or went to sleep later, sees the arrival of the other.
//!
//! # When images fail
//! A failed image does not do its part, so the barrier is stuck. But every image that entered has published its
//! arrival, and an image that learns of the failure continues in [`barrier_of_survivors`]: it waits until each image
//! has entered or failed, and determines which entered. All images get the same answer, whichever way they took:
//! * if the barrier let any image leave, all images had entered, also those that failed since;
//! * a dead image that has not entered never will, so the set of images that entered is final when all others have.

use std::cell::Cell;

use crate::lockfree::arrival::{Arrival, Signature};
use crate::lockfree::barrier::dissemination::{self, Line};
use crate::lockfree::barrier::{Barrier, central, flat, tree};
use crate::lockfree::eventcount::{self, Around, Eventcount, SpinPolicy, WaitStrategy};
use crate::primitives::{AtomicU64, Ordering, fence};

/// A cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Alone<T>(pub(crate) T);

/// What one image publishes in the barriers of a team.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct BarrierState {
    /// By the parity of the barrier's number.
    pub(crate) arrivals: [Arrival; 2],
    /// The last barrier for which the whole subtree of the image was found to agree.
    pub(crate) gathered: Alone<Eventcount>,
    /// The last barrier that this image released its children from.
    pub(crate) release: Alone<Eventcount>,
    /// The count of the central barrier; only that of the first image is used.
    pub(crate) arrived: Alone<AtomicU64>,
}

/// The structures of a barrier, as one image sees them.
pub(crate) trait BarrierScope {
    /// Why a wait is given up.
    type Stop;

    /// How the image waits.
    type WaitStrategy<'a>: WaitStrategy<Stop = Self::Stop>
    where
        Self: 'a;

    /// The state of an image.
    fn state(&self, image: usize) -> &BarrierState;

    /// A mailbox of an image; `set` is 0 or 1.
    fn line(&self, image: usize, set: usize, round: usize) -> &Line;

    /// A wait that ends when any image fails. `awaited` is an image that could end it.
    fn watch(&self, awaited: usize) -> Self::WaitStrategy<'_>;

    /// A wait that ends when image `awaited` fails.
    fn wait_for_one(&self, awaited: usize) -> Self::WaitStrategy<'_>;

    /// Whether that image has failed, and so accesses nothing any more.
    fn has_failed(&self, image: usize) -> bool;
}

/// One image's passage through a barrier.
pub(crate) struct Episode<P> {
    /// The image's index.
    pub(crate) me: usize,
    /// How many images take part.
    pub(crate) images: usize,
    /// 1, 2, 3, ... on every image alike.
    pub(crate) number: u64,
    /// The signature of the image, with the barrier.
    pub(crate) signature: Signature,
    /// How long it spins.
    pub(crate) patience: SpinPolicy,
    /// The structures.
    pub(crate) scope: P,
}

/// Why an image does not leave a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierError<Stop> {
    /// That image is in another collective operation.
    Mismatch {
        /// The image whose signature differs.
        image: usize,
    },
    /// The wait was given up.
    Stopped(Stop),
}

/// The most children of an image, or of a leader, in the tree.
pub(crate) const CHILDREN: usize = 4;

/// Passes the barrier, which the image has entered, by the algorithm in its signature.
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

/// Passes the barrier although images have failed, by reading all arrivals. Returns the images that had not entered
/// when they failed.
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
        self.wait_until(eventcount, self.number, || self.scope.watch(awaited))
    }

    /// Waits by this strategy until `eventcount` has reached `target`.
    #[inline]
    pub(crate) fn wait_until<W: WaitStrategy>(
        &self,
        eventcount: &Eventcount,
        target: u64,
        strategy: impl FnOnce() -> W,
    ) -> Result<(), BarrierError<W::Stop>> {
        eventcount::until(eventcount, target, self.patience, || {
            BarrierWait::new(self, strategy())
        })
    }

    /// Compares the signature of an image that has entered with this arrival.
    #[inline]
    pub(crate) fn compare<Stop>(
        &self,
        image: usize,
        arrival: &Arrival,
    ) -> Result<(), BarrierError<Stop>> {
        if arrival.agrees(&self.signature) {
            Ok(())
        } else {
            Err(BarrierError::Mismatch { image })
        }
    }

    /// Compares the signatures of all images that have entered, and counts them.
    pub(crate) fn compare_all<Stop>(&self) -> Result<usize, BarrierError<Stop>> {
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

/// A wait that compares all arrivals before it sleeps.
struct BarrierWait<'a, P, W> {
    episode: &'a Episode<P>,
    watch: W,
    is_lying: Cell<bool>,
}

impl<'a, P, W> BarrierWait<'a, P, W> {
    fn new(episode: &'a Episode<P>, watch: W) -> Self {
        Self {
            episode,
            watch,
            is_lying: Cell::new(false),
        }
    }
}

impl<P: BarrierScope, W: WaitStrategy> Around for BarrierWait<'_, P, W> {
    type Inner = W;
    type Stop = BarrierError<W::Stop>;

    fn inner(&self) -> &W {
        &self.watch
    }

    fn stop(stop: W::Stop) -> Self::Stop {
        BarrierError::Stopped(stop)
    }

    fn check(&self) -> Result<(), Self::Stop> {
        if self.is_lying.get() {
            // Each image publishes its arrival before this fence and reads the arrivals of others after it. So of two
            // images that do both, at least one sees the arrival of the other (store buffering).
            fence(Ordering::SeqCst);
            self.episode.compare_all()?;
        }
        self.watch.check().map_err(BarrierError::Stopped)
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        self.is_lying.set(true);
        self.watch.prepare_park(eventcount, target);
    }
}
