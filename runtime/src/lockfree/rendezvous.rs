//! The checked barrier under every collective operation.
//!
//! An image enters a meeting with a [`Card`] that says what it is doing: its [`Tag`]. Then it waits for the
//! others, in one of the ways that [`Barrier`] names, in all of which it is let out only when all have entered
//! and all tags were found equal, by itself or by others. So nobody leaves the barrier unless all images entered
//! it for the same operation in the same way, and of any two that disagree none leaves.
//!
//! # When images disagree
//! Whoever compares two tags that differ reports it. But images that disagree may wait for each other in ways
//! in which nobody compares their tags: those of two barriers, or of a barrier that is held up by a third image.
//! So an image that lies down to sleep looks at the cards of all who have come ([`Attentive`]). Of any two that
//! sleep, the one that entered later, or lay down later, sees the other's card.
//!
//! # When images fail
//! A failed image does not do its part, so the barrier gets stuck. But everyone who entered has shown its card,
//! and whoever learns of a failure goes over to [`meet_survivors`]: it waits until each image has entered
//! or failed, and finds out which entered. All images come to the same answer, however they went through:
//! * if the barrier took anyone through, all images had entered, also those that failed since;
//! * who has not entered and is dead never will, so the set of those who entered is settled when all others
//!   have.

use std::cell::Cell;
use std::time::Duration;

use crate::lockfree::barrier::dissemination::{self, Line};
use crate::lockfree::barrier::{Barrier, central, flat, tree};
use crate::lockfree::card::{Card, Tag};
use crate::lockfree::tally::{self, Patience, Tally, Watch};
use crate::primitives::{AtomicU64, Ordering, fence};

/// A cache line.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Alone<T>(pub(crate) T);

/// What one image shows and tells the others in the meetings of a team.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Station {
    /// By the parity of the meeting's number.
    pub(crate) cards: [Card; 2],
    /// The last meeting for which all below the image in the tree were found to agree.
    pub(crate) gathered: Alone<Tally>,
    /// The last meeting that those were let out of who wait for this image to do so.
    pub(crate) release: Alone<Tally>,
    /// How many images have come to the central barrier; only that of the first image is used.
    pub(crate) arrived: Alone<AtomicU64>,
}

/// Where images meet, as one of them sees it.
pub(crate) trait Place {
    /// Why a wait is given up.
    type Stop;

    /// What the image does while it waits.
    type Watch<'a>: Watch<Stop = Self::Stop>
    where
        Self: 'a;

    /// The station of an image.
    fn station(&self, image: usize) -> &Station;

    /// A mailbox of an image; `set` is 0 or 1.
    fn line(&self, image: usize, set: usize, round: usize) -> &Line;

    /// A wait that ends when any image fails. `awaited` is who could end it.
    fn watch(&self, awaited: usize) -> Self::Watch<'_>;

    /// A wait that ends when image `awaited` fails.
    fn watch_one(&self, awaited: usize) -> Self::Watch<'_>;

    /// Whether that image has failed, so that it can do nothing any more.
    fn has_failed(&self, image: usize) -> bool;
}

/// The way of one image through a barrier.
pub(crate) struct Passage<P> {
    /// The image's index.
    pub(crate) me: usize,
    /// How many images meet.
    pub(crate) images: usize,
    /// 1, 2, 3, ... on every image alike.
    pub(crate) number: u64,
    /// What the image is doing, with the barrier.
    pub(crate) tag: Tag,
    /// How it waits.
    pub(crate) patience: Patience,
    /// Where.
    pub(crate) place: P,
}

/// Why an image does not come out of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal<Stop> {
    /// That image is in another collective operation.
    Mismatch {
        /// The image whose tag differs.
        image: usize,
    },
    /// The waiting was stopped.
    Stopped(Stop),
}

/// Most children of an image in the tree.
const CHILDREN: usize = 4;

/// Passes the barrier, which the image has entered with its card, in the way of its tag.
#[inline]
pub(crate) fn meet<P: Place>(
    passage: &Passage<P>,
    barrier: Barrier,
) -> Result<(), Refusal<P::Stop>> {
    match barrier {
        Barrier::Flat => flat::meet(passage),
        Barrier::Dissemination => dissemination::meet(passage),
        Barrier::Tree => tree::meet::<CHILDREN, P>(passage),
        Barrier::Central => central::meet(passage),
    }
}

/// Passes the barrier although images have failed, by looking at everyone. Returns who had not entered when
/// it failed.
pub(crate) fn meet_survivors<P: Place>(
    passage: &Passage<P>,
) -> Result<Vec<usize>, Refusal<P::Stop>> {
    let number = passage.number;
    let mut missing = Vec::new();
    'images: for image in 0..passage.images {
        let card = passage.card(image);
        while !card.has_entered(number) {
            // It may have entered just before it failed.
            if passage.place.has_failed(image) && !card.has_entered(number) {
                missing.push(image);
                continue 'images;
            }
            let watch = || Attentive::new(passage, passage.place.watch_one(image));
            match tally::until(&card.signal, number, passage.patience, watch) {
                Err(Refusal::Stopped(_)) if passage.place.has_failed(image) => {}
                outcome => outcome?,
            }
        }
        passage.compare(image, card)?;
    }
    Ok(missing)
}

impl<P: Place> Passage<P> {
    /// The card with which that image enters this meeting.
    #[inline]
    pub(crate) fn card(&self, image: usize) -> &Card {
        &self.place.station(image).cards[(self.number & 1) as usize]
    }

    /// Waits until `tally` has reached the number of the meeting.
    #[inline]
    pub(crate) fn wait(&self, tally: &Tally, awaited: usize) -> Result<(), Refusal<P::Stop>> {
        tally::until(tally, self.number, self.patience, || {
            Attentive::new(self, self.place.watch(awaited))
        })
    }

    /// Compares the tag of an image that has entered, with this card.
    #[inline]
    pub(crate) fn compare(&self, image: usize, card: &Card) -> Result<(), Refusal<P::Stop>> {
        if card.agrees(&self.tag) {
            Ok(())
        } else {
            Err(Refusal::Mismatch { image })
        }
    }

    /// Compares the tags of all images that have entered, and counts them.
    pub(crate) fn compare_all(&self) -> Result<usize, Refusal<P::Stop>> {
        let mut present = 1;
        for image in (0..self.images).filter(|&image| image != self.me) {
            let card = self.card(image);
            if card.has_entered(self.number) {
                self.compare(image, card)?;
                present += 1;
            }
        }
        Ok(present)
    }
}

/// Waits, and looks for images that disagree before it sleeps.
struct Attentive<'a, P: Place> {
    passage: &'a Passage<P>,
    watch: P::Watch<'a>,
    is_lying: Cell<bool>,
}

impl<'a, P: Place> Attentive<'a, P> {
    fn new(passage: &'a Passage<P>, watch: P::Watch<'a>) -> Self {
        Self {
            passage,
            watch,
            is_lying: Cell::new(false),
        }
    }
}

impl<P: Place> Watch for Attentive<'_, P> {
    type Stop = Refusal<P::Stop>;

    fn look(&self) -> Result<(), Self::Stop> {
        if self.is_lying.get() {
            // Of two images that each showed their card and then look here, one sees the other's.
            fence(Ordering::SeqCst);
            self.passage.compare_all()?;
        }
        self.watch.look().map_err(Refusal::Stopped)
    }

    fn offers(&self, patience: Patience) -> u32 {
        self.watch.offers(patience)
    }

    fn offer_core(&self) -> bool {
        self.watch.offer_core()
    }

    fn nap(&self) -> Duration {
        self.watch.nap()
    }

    fn lie_down(&self, tally: &Tally, target: u64) {
        self.is_lying.set(true);
        self.watch.lie_down(tally, target);
    }

    fn turn_over(&self) -> Result<(), Self::Stop> {
        self.watch.turn_over().map_err(Refusal::Stopped)
    }

    fn rise(&self) {
        self.watch.rise();
    }
}
