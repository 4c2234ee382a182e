//! What the images of a model share to meet.

// Each model uses a part of this.
#![allow(dead_code)]

use crate::lockfree::barrier::dissemination::Line;
use crate::lockfree::barrier::tree;
use crate::lockfree::barrier::{Barrier, flat};
use crate::lockfree::card::Tag;
use crate::lockfree::rendezvous::{self, Passage, Place, Refusal, Station};
use crate::lockfree::tally::Patience;
use crate::lookout::{Lookout, Stop, failed};
use crate::primitives;

/// Rounds of the dissemination barrier of up to four images.
const ROUNDS: usize = 2;

/// What images share, and how they wait.
pub(crate) struct Hall {
    patience: Patience,
    stations: Vec<Station>,
    lines: Vec<[[Line; ROUNDS]; 2]>,
}

impl Hall {
    pub(crate) fn new(images: usize, patience: Patience) -> Self {
        Self {
            patience,
            stations: (0..images).map(|_| Station::default()).collect(),
            lines: (0..images).map(|_| Default::default()).collect(),
        }
    }

    pub(crate) fn images(&self) -> usize {
        self.stations.len()
    }

    pub(crate) fn enter(&self, me: usize, number: u64, tag: &Tag, words: &[u64; 3]) {
        let card = &self.stations[me].cards[(number & 1) as usize];
        card.bring(words);
        card.enter(number, tag);
    }

    /// What that image brought.
    pub(crate) fn words(&self, image: usize, number: u64) -> [u64; 3] {
        self.stations[image].cards[(number & 1) as usize].words()
    }

    /// Returns the images that failed before they entered.
    pub(crate) fn meet_by(
        &self,
        me: usize,
        number: u64,
        tag: &Tag,
        words: &[u64; 3],
        barrier: Barrier,
    ) -> Result<Vec<usize>, Refusal<Stop>> {
        self.meet_as(me, number, &barrier.mark(tag), words, |passage| {
            let others = (me + 1..self.images()).chain(0..me);
            let mut cards = others.map(|image| passage.card(image));
            let spins = self.patience.spins;
            if barrier == Barrier::Flat
                && cards.all(|card| flat::comes_soon(card, number, &passage.tag, spins))
            {
                return Ok(());
            }
            rendezvous::meet(passage, barrier)
        })
    }

    /// As `meet_by`, by the tree in which each image has one child: with three images it has an inner one.
    pub(crate) fn meet_in_a_row(
        &self,
        me: usize,
        number: u64,
        tag: &Tag,
        words: &[u64; 3],
    ) -> Result<Vec<usize>, Refusal<Stop>> {
        self.meet_as(me, number, tag, words, |passage| {
            tree::meet::<1, _>(passage)
        })
    }

    fn meet_as(
        &self,
        me: usize,
        number: u64,
        tag: &Tag,
        words: &[u64; 3],
        pass: impl Fn(&Passage<&Self>) -> Result<(), Refusal<Stop>>,
    ) -> Result<Vec<usize>, Refusal<Stop>> {
        let passage = Passage {
            me,
            images: self.images(),
            number,
            tag: *tag,
            patience: self.patience,
            place: self,
        };
        self.enter(me, number, tag, words);
        match pass(&passage) {
            Ok(()) => Ok(Vec::new()),
            Err(Refusal::Stopped(Stop::Failed)) => rendezvous::meet_survivors(&passage),
            Err(refusal) => Err(refusal),
        }
    }
}

impl Place for &Hall {
    type Stop = Stop;
    type Watch<'a>
        = Lookout
    where
        Self: 'a;

    fn station(&self, image: usize) -> &Station {
        &self.stations[image]
    }

    fn line(&self, image: usize, set: usize, round: usize) -> &Line {
        &self.lines[image][set][round]
    }

    fn watch(&self, _awaited: usize) -> Lookout {
        Lookout(u32::MAX)
    }

    fn watch_one(&self, awaited: usize) -> Lookout {
        Lookout(failed(awaited))
    }

    fn has_failed(&self, image: usize) -> bool {
        primitives::alarm() & failed(image) != 0
    }
}
