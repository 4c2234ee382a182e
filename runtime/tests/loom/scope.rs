//! The barrier scope of a model's images.

// Each model uses a part of this.
#![allow(dead_code)]

use crate::lockfree::arrival::{Arrival, BESIDE, Signature, WORDS};
use crate::lockfree::barrier::dissemination::Line;
use crate::lockfree::barrier::tree;
use crate::lockfree::barrier::{Barrier, flat};
use crate::lockfree::checked_barrier::{self, BarrierError, BarrierScope, BarrierState, Episode};
use crate::lockfree::eventcount::SpinPolicy;
use crate::lookout::{Lookout, Stop, failed};
use crate::primitives;

/// Rounds of the dissemination barrier of up to four images.
const ROUNDS: usize = 2;

/// The barrier state of all images, and their spin policy.
pub(crate) struct TeamScope {
    patience: SpinPolicy,
    stations: Vec<BarrierState>,
    lines: Vec<[[Line; ROUNDS]; 2]>,
}

impl TeamScope {
    pub(crate) fn new(images: usize, patience: SpinPolicy) -> Self {
        Self {
            patience,
            stations: (0..images).map(|_| BarrierState::default()).collect(),
            lines: (0..images).map(|_| Default::default()).collect(),
        }
    }

    pub(crate) fn images(&self) -> usize {
        self.stations.len()
    }

    /// Brings the words, the last one if the signature leaves room for it, and enters. Returns what the image published.
    pub(crate) fn enter(
        &self,
        me: usize,
        number: u64,
        signature: &Signature,
        words: &[u64; WORDS],
    ) -> Signature {
        let arrival: &Arrival = &self.stations[me].arrivals[(number & 1) as usize];
        let mut signature = *signature;
        let used = if signature[BESIDE] == 0 {
            WORDS
        } else {
            BESIDE
        };
        arrival.bring_first(words, used, &mut signature);
        arrival.enter(number, &signature);
        signature
    }

    /// The payload of that image.
    pub(crate) fn words(&self, image: usize, number: u64) -> [u64; WORDS] {
        self.stations[image].arrivals[(number & 1) as usize].words()
    }

    /// Returns the images that failed before they entered.
    pub(crate) fn meet_by(
        &self,
        me: usize,
        number: u64,
        signature: &Signature,
        words: &[u64; WORDS],
        barrier: Barrier,
    ) -> Result<Vec<usize>, BarrierError<Stop>> {
        self.meet_as(me, number, &barrier.mark(signature), words, |episode| {
            let others = (me + 1..self.images()).chain(0..me);
            let mut arrivals = others.map(|image| episode.arrival(image));
            let spins = self.patience.spins;
            if barrier == Barrier::Flat
                && arrivals.all(|arrival| {
                    flat::spin_for(arrival, number, &episode.signature, spins, || ())
                })
            {
                return Ok(());
            }
            checked_barrier::pass(episode, barrier)
        })
    }

    /// As `meet_by`, by a tree in which each image has one child: with three images it has an inner node.
    pub(crate) fn meet_in_a_row(
        &self,
        me: usize,
        number: u64,
        signature: &Signature,
        words: &[u64; WORDS],
    ) -> Result<Vec<usize>, BarrierError<Stop>> {
        self.meet_as(me, number, signature, words, |episode| {
            tree::pass::<1, _>(episode)
        })
    }

    fn meet_as(
        &self,
        me: usize,
        number: u64,
        signature: &Signature,
        words: &[u64; WORDS],
        pass: impl Fn(&Episode<&Self>) -> Result<(), BarrierError<Stop>>,
    ) -> Result<Vec<usize>, BarrierError<Stop>> {
        let episode = Episode {
            me,
            images: self.images(),
            number,
            signature: self.enter(me, number, signature, words),
            patience: self.patience,
            scope: self,
        };
        match pass(&episode) {
            Ok(()) => Ok(Vec::new()),
            Err(BarrierError::Stopped(Stop::Failed)) => {
                checked_barrier::barrier_of_survivors(&episode)
            }
            Err(error) => Err(error),
        }
    }
}

impl BarrierScope for &TeamScope {
    type Stop = Stop;
    type WaitStrategy<'a>
        = Lookout
    where
        Self: 'a;

    fn state(&self, image: usize) -> &BarrierState {
        &self.stations[image]
    }

    fn line(&self, image: usize, set: usize, round: usize) -> &Line {
        &self.lines[image][set][round]
    }

    fn watch(&self, _awaited: usize) -> Lookout {
        Lookout(u32::MAX)
    }

    fn wait_for_one(&self, awaited: usize) -> Lookout {
        Lookout(failed(awaited))
    }

    fn has_failed(&self, image: usize) -> bool {
        primitives::alarm() & failed(image) != 0
    }
}
