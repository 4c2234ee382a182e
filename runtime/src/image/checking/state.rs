//! What an image of a checked job knows, and what it has done since its last release.

use std::collections::{HashMap, VecDeque};

use crate::check::clock::Clock;
use crate::check::shadow::Granule;
use crate::check::sites::{Line, Recent};
use crate::check::stamp::{MAX_TIME, Stamp};
use crate::image::checking::{Checking, Target};

/// How many words that it has seen an image remembers, for reports.
const SOURCES: usize = 32;

/// What an image knows.
#[derive(Debug)]
pub(super) struct State {
    pub(super) clock: Clock,
    /// Where the last phase was opened.
    pub(super) opened: Option<Line>,
    /// What it knows after its next fence.
    pub(super) pending: Clock,
    /// Words of others that it has seen lately.
    pub(super) sources: VecDeque<Source>,
    /// Flags that it has seen, and that a fence is to follow.
    pub(super) seen: Vec<Seen>,
    /// For whom its last synchronisation was a fence, if it was one.
    pub(super) last_fence: Option<Target>,
    /// What it has done since its last release.
    pub(super) epoch: Epoch,
    /// Whether the next post announces one put alone.
    pub(super) is_single: bool,
    pub(super) recent: Recent,
    /// Its last collective operation that is no barrier, since it synchronised.
    pub(super) collective: Option<(&'static str, Line)>,
    /// Its last wait for posts since it synchronised otherwise, and whether it may have consumed other posts.
    pub(super) waited: Option<(Line, bool)>,
    /// How many collective operations it has begun in each team.
    pub(super) begun: HashMap<(u64, u32), u64>,
    /// Whether it has given up.
    pub(super) has_ended: bool,
}

/// What an image has done since its last release. Words that others may see have times of their own: who sees one knows of no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Epoch {
    Empty,
    /// Flags and atomic operations.
    Words,
    /// All else.
    Data,
}

/// A word that an image has seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) written: Stamp,
    pub(super) mine: Stamp,
}

/// A flag that was seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) written: Stamp,
    pub(super) mine: Stamp,
    pub(super) granule: Granule,
}

impl State {
    /// Of an image that begins.
    pub(super) fn of(image: usize, images: usize) -> Self {
        Self {
            clock: Clock::of(image, images),
            opened: None,
            pending: Clock::default(),
            sources: VecDeque::new(),
            seen: Vec::new(),
            last_fence: None,
            epoch: Epoch::Empty,
            is_single: false,
            recent: Recent::new(),
            collective: None,
            waited: None,
            begun: HashMap::new(),
            has_ended: false,
        }
    }

    /// The image has seen a word that another one wrote.
    pub(super) fn note_source(&mut self, written: Stamp, mine: Stamp) {
        if self.sources.iter().any(|source| source.written == written) {
            return;
        }
        if self.sources.len() == SOURCES {
            self.sources.pop_front();
        }
        self.sources.push_back(Source { written, mine });
    }

    /// Whether the last synchronisation was a fence for what is put to this image.
    pub(super) fn follows_fence_for(&self, image: usize) -> bool {
        matches!(self.last_fence, Some(to) if to.is_none_or(|to| to == image))
    }

    /// The image is about to do this.
    pub(super) fn continue_epoch(&mut self, checking: &Checking, epoch: Epoch) {
        if self.epoch != Epoch::Empty && self.epoch != epoch {
            self.advance(checking);
        }
        self.epoch = epoch;
    }

    /// Counts a release.
    pub(super) fn advance(&mut self, checking: &Checking) {
        checking.note_deferred(self);
        checking.0.deferred.restart();
        let image = checking.0.image;
        if self.clock.time(image) < MAX_TIME {
            self.clock.advance(image);
        } else if !self.has_ended {
            self.has_ended = true;
            checking.give_up("it has synchronised more than 67 million times");
        }
        self.epoch = Epoch::Empty;
    }
}
