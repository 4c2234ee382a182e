//! Accesses to few bytes that are noted later, many at a time: an image that accesses words in a loop would wait for the shadow of each.
//!
//! What orders accesses is what the rules promise, not when they are noted. So an access may be noted at any time before its image tells others
//! anything, or learns from them: all of them are, before it notes anything else. What a get has got must not matter then. It matters for
//! what others poll, of which the shadow knows where it is.

use std::array;
use std::cell::Cell;

use crate::check::shadow::{GRANULE, Place, Span};
use crate::check::sites::Line;
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::access::Access;
use crate::image::checking::judging::{Meeting, Moved};
use crate::image::checking::state::State;
use crate::image::checking::{Checking, Shared};
use coarray_fabric::transport::handle::{is_just_for, is_racy};
use coarray_fabric::transport::observed::{Pieces, Range};
use coarray_fabric::transport::site::purpose;

/// How many accesses wait at most.
const MOST: usize = 64;

/// Bytes of an access that waits, at most.
const SMALL: usize = 64;

/// How many small accesses after a release are noted at once. Reports of few accesses tell best what happened: they have seen what others did.
const PROMPT: u32 = 32;

/// The last small accesses of an image.
///
/// In cells, beside the state of the image: the next access of a loop waits with few instructions, so that the processor sees the loop's next
/// accesses before this one has its word.
#[derive(Debug)]
pub(super) struct Deferred {
    /// The last one that was noted, and those that wait.
    accesses: [Cell<(Span, Stamp)>; 1 + MOST],
    /// How many wait.
    waiting: Cell<usize>,
    /// Small accesses since the last release, as far as they matter.
    count: Cell<u32>,
    get: Cell<Option<Repeated>>,
    put: Cell<Option<Repeated>>,
}

/// An access to a granule that may wait, and had this stamp. So may the next ones of the same line, with the same stamp, until the image does anything else than
/// small accesses.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    line: Line,
    stamp: Stamp,
}

/// No access.
const NOTHING: (Span, Stamp) = (
    Span {
        image: 0,
        offset: 0,
        length: 0,
    },
    Stamp::NONE,
);

impl Default for Deferred {
    fn default() -> Self {
        Self {
            accesses: array::from_fn(|_| Cell::new(NOTHING)),
            waiting: Cell::new(0),
            count: Cell::new(0),
            get: Cell::new(None),
            put: Cell::new(None),
        }
    }
}

impl Deferred {
    /// What follows comes after a release.
    pub(super) fn restart(&self) {
        self.waiting.set(0);
        self.accesses[0].set(NOTHING);
        self.count.set(0);
        self.end_repeats();
    }

    /// Accesses may have other stamps from now on, or are to be noted at once.
    pub(super) fn end_repeats(&self) {
        self.get.set(None);
        self.put.set(None);
    }

    #[inline(always)]
    fn repeated(&self, writes: bool) -> &Cell<Option<Repeated>> {
        if writes { &self.put } else { &self.get }
    }

    /// Has an access wait, after so many others.
    #[inline(always)]
    fn push(&self, waiting: usize, access: (Span, Stamp), place: Place<'_>) {
        self.accesses[waiting + 1].set(access);
        self.waiting.set(waiting + 1);
        place.prefetch();
    }
}

impl Checking {
    /// The bytes of an access that is small enough to be noted later.
    #[inline(always)]
    fn small(&self, range: &Range<'_>) -> Option<Span> {
        let is_small = matches!(range.pieces, Pieces::One) && (1..=SMALL).contains(&range.length);
        is_small.then(|| self.span(range)).flatten()
    }

    /// A put, which is noted before it is carried out, now or later.
    #[inline(always)]
    pub(super) fn put<R>(
        &self,
        range: &Range<'_>,
        access: Access,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        match self.small(range) {
            Some(span) if self.defer(span, self.0.check.shadow.place(span), &access) => perform(),
            _ => self.access(range, access, perform, is_done),
        }
    }

    /// A get, which is noted later. If others may poll what is there, it is carried out again and noted now.
    #[inline(always)]
    pub(super) fn get(&self, range: &Range<'_>, access: Access, perform: impl Fn()) {
        if let Some(span) = self.small(range) {
            let place = self.0.check.shadow.place(span);
            if self.defer(span, place, &access) {
                perform();
                if !place.has_flags() {
                    return;
                }
            }
        }
        self.access(range, access, perform, |()| true);
    }

    /// Has an access to a word wait, and carries it out, if the last one of the same line was found to be one that may wait. Returns false if it was not, or if others
    /// may poll what was got: then it is to be noted in the usual way.
    #[inline(always)]
    pub(super) fn repeat(
        &self,
        writes: bool,
        image: usize,
        offset: usize,
        perform: impl Fn(),
    ) -> bool {
        let Shared {
            check, deferred, ..
        } = &*self.0;
        let Some(known) = deferred.repeated(writes).get() else {
            return false;
        };
        let waiting = deferred.waiting.get();
        let offset = offset.wrapping_sub(check.heap);
        // One before the heap is far behind it.
        let is_alike = is_just_for(known.line)
            && offset.is_multiple_of(GRANULE)
            && check.shadow.has(offset)
            && waiting < MOST;
        if !is_alike {
            return false;
        }
        let length = GRANULE;
        let span = Span {
            image,
            offset,
            length,
        };
        let access = (span, known.stamp.racy_if(is_racy()));
        // What is done again is looked at.
        if deferred.accesses[waiting].get() == access {
            return false;
        }
        let place = check.shadow.place(span);
        deferred.push(waiting, access, place);
        perform();
        writes || !place.has_flags()
    }

    /// Whether an access is noted later; its shadow is at that place.
    #[inline(never)]
    fn defer(&self, span: Span, place: Place<'_>, access: &Access) -> bool {
        let state = &mut *self.0.state.borrow_mut();
        let deferred = &self.0.deferred;
        deferred.count.set(deferred.count.get() + 1);
        if deferred.count.get() <= PROMPT
            || self.0.check.origins.is_some()
            || access.kind == Kind::Put && state.follows_fence_for(span.image)
        {
            return false;
        }
        let stamp = self.stamp(state, access.kind, *access, span.length);
        if deferred.accesses[deferred.waiting.get()].get() == (span, stamp) {
            // A put again changes nothing. A get again may be polling.
            return access.kind == Kind::Put;
        }
        if deferred.waiting.get() == MOST {
            self.note_deferred(state);
        }
        deferred.push(deferred.waiting.get(), (span, stamp), place);
        if span.is_granule()
            && purpose().is_none()
            && (access.kind == Kind::Get || state.last_fence.is_none())
        {
            let repeated = Repeated {
                line: access.line,
                stamp,
            };
            deferred
                .repeated(access.kind == Kind::Put)
                .set(Some(repeated));
        }
        true
    }

    /// Notes what waits.
    #[inline]
    pub(super) fn note_deferred(&self, state: &mut State) {
        if self.0.deferred.waiting.get() > 0 {
            self.note_all(state);
        }
    }

    #[inline(never)]
    fn note_all(&self, state: &mut State) {
        let deferred = &self.0.deferred;
        let waiting = deferred.waiting.replace(0);
        let mut rest = &deferred.accesses[1..=waiting];
        while !rest.is_empty() {
            let meeting = Meeting::of(self, &state.clock);
            let noted = self
                .0
                .check
                .shadow
                .note_some(rest, &meeting, || meeting.has_met());
            let met = meeting.into_met();
            let (last, _) = rest[noted - 1].get();
            let moved = if last.is_word() {
                Moved::WordBefore
            } else {
                Moved::Bytes
            };
            self.judge(state, met, moved);
            rest = &rest[noted..];
        }
        deferred.accesses[0].set(deferred.accesses[waiting].get());
    }
}
