//! What becomes of accesses that meet others in the shadow: races, flags that are seen, and atomic operations that find others.

use std::cell::RefCell;

use crate::check::clock::Clock;
use crate::check::shadow::{GRANULE, Granule, Judge};
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::Checking;
use crate::image::checking::state::{Seen, State};
use crate::job::control::Stage;
use crate::schedule::Reach;

/// What an access has moved, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// A word, while no other image looked at it: a get has got what the stamp says.
    Word,
    /// A word, some time before that: a get has not got what others poll.
    WordBefore,
    Bytes,
}

/// Judges the accesses that one of an image meets.
pub(super) struct Meeting<'a> {
    image: usize,
    clock: &'a Clock,
    /// Whether nobody is told of accesses that may race.
    skips_racy: bool,
    met: RefCell<Vec<Met>>,
}

impl<'a> Meeting<'a> {
    pub(super) fn of(checking: &Checking, clock: &'a Clock) -> Self {
        Self {
            image: checking.0.image,
            clock,
            skips_racy: checking.0.job.scheduler.is_none(),
            met: RefCell::default(),
        }
    }

    /// Whether it has met one that is not ordered before it.
    pub(super) fn has_met(&self) -> bool {
        !self.met.borrow().is_empty()
    }

    pub(super) fn into_met(self) -> Vec<Met> {
        self.met.into_inner()
    }
}

/// What an access has met that is not ordered before it.
pub(super) enum Met {
    Conflict(Stamp, Stamp, Granule),
    Atomic(Stamp, Stamp, Granule),
}

impl Judge for Meeting<'_> {
    #[inline]
    fn covers(&self, earlier: Stamp, granule: Granule) -> bool {
        earlier.image() == self.image || self.clock.covers(earlier, granule)
    }

    #[inline]
    fn permits(&self, earlier: Stamp, mine: Stamp) -> bool {
        self.skips_racy
            && (earlier.is_racy() || mine.is_racy())
            && (mine.is_write() || !earlier.is_flag())
    }

    #[cold]
    fn conflict(&self, earlier: Stamp, mine: Stamp, granule: Granule) {
        self.met
            .borrow_mut()
            .push(Met::Conflict(earlier, mine, granule));
    }

    #[cold]
    fn finds(&self, written: Stamp, mine: Stamp, granule: Granule) {
        self.met
            .borrow_mut()
            .push(Met::Atomic(written, mine, granule));
    }
}

impl Checking {
    /// Decides about what an access has met.
    #[inline]
    pub(super) fn judge(&self, state: &mut State, met: Vec<Met>, moved: Moved) {
        let mut last = None;
        for one in met {
            match one {
                // Once for an access to many granules.
                Met::Conflict(earlier, ..)
                    if last.replace(earlier.site()) == Some(earlier.site()) => {}
                Met::Conflict(earlier, mine, granule) => {
                    self.judge_conflict(state, earlier, mine, granule, moved);
                }
                Met::Atomic(written, mine, granule) => self.find(state, written, mine, granule),
            }
        }
    }

    /// Of accesses to one word, of which one is no atomic operation, those that follow rule 2 or 3 are permitted to race.
    fn judge_conflict(
        &self,
        state: &mut State,
        earlier: Stamp,
        mine: Stamp,
        granule: Granule,
        moved: Moved,
    ) {
        let is_racy = earlier.is_racy() || mine.is_racy();
        if is_racy {
            self.note_race(earlier, mine);
        }
        // What a failed image put may have arrived or not: that matters to those who read it.
        if mine.is_write() && self.has_failed(earlier.image()) {
            return;
        }
        // It was over when the image gave the sign, and what is put now is put after that.
        if !earlier.is_write() && state.pending.covers(earlier, granule) {
            return;
        }
        let is_one_word = moved != Moved::Bytes && earlier.mask() == mine.mask();
        match (earlier.kind(), mine.kind()) {
            (_, Kind::Get | Kind::AtomicRead) if earlier.is_flag() && is_one_word => {
                // One that was there later was not seen.
                if moved == Moved::Word {
                    self.see(state, earlier, mine, granule);
                }
            }
            _ if is_racy => {}
            (Kind::Get | Kind::AtomicRead, _) if mine.is_flag() && is_one_word => {}
            (Kind::Put, Kind::Get) if is_one_word => {
                self.report(state, earlier, mine, granule);
                state.note_source(earlier, mine);
            }
            _ => self.report(state, earlier, mine, granule),
        }
    }

    fn has_failed(&self, image: usize) -> bool {
        let region = &self.0.job.region;
        region.job().has_failures() && region.control(image).stage() == Stage::Failed
    }

    /// The image sees a flag: after its next fence it knows what came before the flag, which was put after a fence.
    fn see(&self, state: &mut State, written: Stamp, mine: Stamp, granule: Granule) {
        if state.pending.covers(written, granule) {
            return;
        }
        // If that put is late, it was not seen; what it tells orders more than must be, so that nothing is reported that is in order.
        let may_race = written.is_racy() || mine.is_racy();
        if !may_race && !self.is_late(granule) {
            state.seen.push(Seen {
                written,
                mine,
                granule,
            });
        }
        let mut found = Clock::seen(written.image(), written.time(), granule);
        self.learn(state, written, mine, granule, &mut found);
    }

    /// Whether a put to a granule has not arrived yet, which the shadow has the stamp of.
    fn is_late(&self, granule: Granule) -> bool {
        let scheduler = self.0.job.scheduler.as_ref();
        scheduler.is_some_and(|scheduler| {
            scheduler.is_late_at(Reach {
                image: granule.image,
                offset: self.0.check.heap + granule.number * GRANULE,
                length: GRANULE,
            })
        })
    }

    /// The image has found what an atomic operation wrote: after its next fence it knows what came before the writer's last one.
    fn find(&self, state: &mut State, written: Stamp, mine: Stamp, granule: Granule) {
        // An operation that writes takes the place of what it has found.
        let mut found = match mine.is_write() || state.clock.covers(written, granule) {
            true => Clock::default(),
            false => Clock::seen(written.image(), written.time(), granule),
        };
        if self.learn(state, written, mine, granule, &mut found) && mine.is_write() {
            // For those that find what this operation leaves.
            self.0.check.order.chain(granule, &found);
        }
    }

    /// Learns what an image told before it wrote a word that this one has seen. Returns whether it told anything.
    fn learn(
        &self,
        state: &mut State,
        written: Stamp,
        mine: Stamp,
        granule: Granule,
        found: &mut Clock,
    ) -> bool {
        let order = &self.0.check.order;
        let (image, time) = (written.image(), written.time());
        let has_told = order.fences_before(image, time, granule.image, found);
        state.pending.join(found);
        state.note_source(written, mine);
        has_told
    }
}
