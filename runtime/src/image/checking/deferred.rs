//! Accesses to few bytes that are noted later, many at a time: an image that accesses words in a loop would wait for the shadow of each.
//!
//! What orders accesses is what the rules promise, not when they are noted. So an access may be noted at any time before its image tells others
//! anything, or learns from them: all of them are, before it notes anything else. What a get has got must not matter then. It matters for
//! what others poll, of which the shadow knows where it is.

use crate::check::shadow::{Place, Span};
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::Checking;
use crate::image::checking::access::Access;
use crate::image::checking::judging::{Meeting, Moved};
use crate::image::checking::state::State;
use coarray_fabric::transport::observed::{Pieces, Range};

/// How many accesses wait at most.
const MOST: usize = 64;

/// Bytes of an access that waits, at most.
const SMALL: usize = 64;

/// How many small accesses after a release are noted at once. Reports of few accesses tell best what happened: they have seen what others did.
const PROMPT: u32 = 32;

/// The last small accesses of an image.
#[derive(Debug, Default)]
pub(super) struct Deferred {
    accesses: Vec<(Span, Stamp)>,
    /// Whether they are noted, and stay to be compared with the next one.
    are_noted: bool,
    /// Small accesses since the last release.
    count: u32,
}

impl Deferred {
    /// What follows comes after a release.
    pub(super) fn restart(&mut self) {
        self.accesses.clear();
        self.count = 0;
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

    /// Whether an access is noted later; its shadow is at that place.
    fn defer(&self, span: Span, place: Place<'_>, access: &Access) -> bool {
        let state = &mut *self.0.state.borrow_mut();
        state.deferred.count += 1;
        if state.deferred.count <= PROMPT
            || self.0.check.origins.is_some()
            || access.kind == Kind::Put && state.follows_fence_for(span.image)
        {
            return false;
        }
        let stamp = self.stamp(state, access.kind, *access, span.length);
        if state.deferred.accesses.last() == Some(&(span, stamp)) {
            // A put again changes nothing. A get again may be polling.
            return access.kind == Kind::Put;
        }
        if state.deferred.accesses.len() == MOST {
            self.note_deferred(state);
        }
        place.prefetch();
        if state.deferred.are_noted {
            state.deferred.are_noted = false;
            state.deferred.accesses.clear();
        }
        state.deferred.accesses.push((span, stamp));
        true
    }

    /// Notes what waits.
    #[inline]
    pub(super) fn note_deferred(&self, state: &mut State) {
        let Deferred {
            accesses,
            are_noted,
            ..
        } = &state.deferred;
        if !(*are_noted || accesses.is_empty()) {
            self.note_all(state);
        }
    }

    #[inline(never)]
    fn note_all(&self, state: &mut State) {
        let accesses = std::mem::take(&mut state.deferred.accesses);
        let mut rest = &accesses[..];
        while !rest.is_empty() {
            let meeting = Meeting::of(self.0.image, &state.clock);
            let noted = self
                .0
                .check
                .shadow
                .note_some(rest, &meeting, || meeting.has_met());
            let met = meeting.into_met();
            let (last, _) = rest[noted - 1];
            let moved = if last.is_word() {
                Moved::WordBefore
            } else {
                Moved::Bytes
            };
            self.judge(state, met, moved);
            rest = &rest[noted..];
        }
        state.deferred.accesses = accesses;
        state.deferred.are_noted = true;
    }
}
