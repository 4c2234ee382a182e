//! Accesses of an image, and what they meet in the shadow.

use std::cell::RefCell;

use crate::check::clock::Clock;
use crate::check::origins::Parts;
use crate::check::shadow::{GRANULE, Granule, Judge, Span};
use crate::check::sites::{Line, Site};
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::{Checking, Epoch, Seen, State};
use crate::job::control::Stage;
use coarray_fabric::transport::atomic::AtomicOperation;
use coarray_fabric::transport::deferral::Deferral;
use coarray_fabric::transport::handle::take_site;
use coarray_fabric::transport::observed::{Call, Observer, Pieces, Range};
use coarray_fabric::transport::site::Purpose;

/// An access of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) kind: Kind,
    name: &'static str,
    line: Line,
}

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
    met: RefCell<Vec<Met>>,
}

impl<'a> Meeting<'a> {
    pub(super) fn of(image: usize, clock: &'a Clock) -> Self {
        let met = RefCell::default();
        Self { image, clock, met }
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
    /// Notes an access, and carries it out. A word moves while no other image looks at it.
    #[inline(never)]
    pub(super) fn access<R>(
        &self,
        range: &Range<'_>,
        access: Access,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        if range.bytes() == 0 {
            return perform();
        }
        // A waker may access coarrays itself: it runs when the state is not borrowed.
        let _wakers = Deferral::new();
        match self.span(range) {
            Some(span) if matches!(range.pieces, Pieces::One) && span.is_in_one_granule() => {
                self.move_word(span, access, perform, is_done)
            }
            _ => {
                let result = perform();
                if is_done(&result) {
                    self.note_pieces(range, access);
                }
                result
            }
        }
    }

    /// Where a range begins in the heap of its image; none if it is before that.
    #[inline(always)]
    pub(super) fn span(&self, range: &Range<'_>) -> Option<Span> {
        Some(Span {
            image: range.image,
            offset: range.offset.checked_sub(self.0.check.heap)?,
            length: range.length,
        })
    }

    fn move_word<R>(
        &self,
        span: Span,
        access: Access,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        let shadow = &self.0.check.shadow;
        let state = &mut *self.state();
        let moved = if span.is_word() {
            Moved::Word
        } else {
            Moved::Bytes
        };
        let is_flag = span.is_word() && state.follows_fence_for(span.image);
        let kind = match access.kind {
            Kind::Put if is_flag => Kind::Flag,
            Kind::AtomicWrite if is_flag => Kind::AtomicFlag,
            kind => kind,
        };
        let stamp = self.stamp(state, kind, access, span.length);
        let meeting = Meeting::of(self.0.image, &state.clock);
        let locked = shadow.lock(span);
        if matches!(kind, Kind::Flag | Kind::AtomicFlag) {
            locked.expect_flag();
        }
        let result = perform();
        if is_done(&result) {
            if let Some(origins) = self.origins_of(access.kind) {
                let mut parts = Parts::default();
                shadow.each_write_locked(&locked, span, |granule, written, bytes| {
                    parts.add(self.origin(state, written, granule), bytes);
                });
                origins.note(self.0.image, stamp.site(), parts.all());
            }
            shadow.note_locked(&locked, span, stamp, &meeting);
        }
        let met = meeting.into_met();
        self.judge(state, met, moved);
        // Not earlier: who finds what an atomic operation has left is to know what that has found.
        drop(locked);
        if stamp.is_atomic() {
            // What earlier ones told, beyond what the last one did.
            self.0
                .check
                .order
                .chained(granule_of(span), &mut state.pending);
        }
        result
    }

    fn note_pieces(&self, range: &Range<'_>, access: Access) {
        let state = &mut *self.state();
        let stamp = self.stamp(state, access.kind, access, range.bytes());
        let meeting = Meeting::of(self.0.image, &state.clock);
        let (image, check) = (range.image, &self.0.check);
        if let Some(origins) = self.origins_of(access.kind) {
            let mut parts = Parts::default();
            range.each_piece(|offset, length| {
                if let Some(offset) = offset.checked_sub(check.heap)
                    && length > 0
                {
                    let span = Span {
                        image,
                        offset,
                        length,
                    };
                    check.shadow.each_write(span, |granule, written, bytes| {
                        parts.add(self.origin(state, written, granule), bytes);
                    });
                }
            });
            origins.note(self.0.image, stamp.site(), parts.all());
        }
        range.each_piece(|offset, length| {
            if let Some(offset) = offset.checked_sub(check.heap)
                && length > 0
            {
                let span = Span {
                    image,
                    offset,
                    length,
                };
                check.shadow.note(span, stamp, &meeting);
            }
        });
        let met = meeting.into_met();
        self.judge(state, met, Moved::Bytes);
    }

    #[inline]
    pub(super) fn stamp(
        &self,
        state: &mut State,
        kind: Kind,
        access: Access,
        bytes: usize,
    ) -> Stamp {
        let Access { name, line, .. } = access;
        let is_data = matches!(kind, Kind::Put | Kind::Get);
        state.continue_epoch(self, if is_data { Epoch::Data } else { Epoch::Words });
        let is_inner = false;
        let site = Site {
            line,
            name,
            bytes,
            is_inner,
        };
        let site = self.site(state, site);
        let time = state.clock.time(self.0.image);
        Stamp::new(self.0.image, time, site, kind).racy_if(self.0.racy.get() > 0)
    }

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
        if earlier.is_racy() || mine.is_racy() {
            return;
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
            (Kind::Flag | Kind::AtomicFlag, Kind::Get | Kind::AtomicRead) if is_one_word => {
                // One that was there later was not seen.
                if moved == Moved::Word {
                    self.see(state, earlier, mine, granule);
                }
            }
            (Kind::Get | Kind::AtomicRead, Kind::Flag | Kind::AtomicFlag) if is_one_word => {}
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
        state.seen.push(Seen {
            written,
            mine,
            granule,
        });
        let mut found = Clock::seen(written.image(), written.time(), granule);
        self.learn(state, written, mine, granule, &mut found);
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

    /// A read of bytes of the image's own heap by references.
    pub(crate) fn read_own(&self, offset: usize, length: usize, line: Line) {
        let range = Range {
            image: self.0.image,
            offset: self.0.check.heap + offset,
            length,
            pieces: Pieces::One,
        };
        let name = "read of the halo";
        let kind = Kind::Get;
        self.get(&range, Access { kind, name, line }, || ());
    }

    /// An atomic operation on so many bytes at a place, for a line of the program.
    pub(crate) fn operate<R>(
        &self,
        range: &Range<'_>,
        writes: bool,
        line: Line,
        perform: impl FnOnce() -> R,
    ) -> R {
        let access = Access::atomic(writes, line);
        self.access(range, access, perform, |_| true)
    }
}

fn granule_of(span: Span) -> Granule {
    Granule {
        image: span.image,
        number: span.offset / GRANULE,
    }
}

impl Access {
    fn atomic(writes: bool, line: Line) -> Self {
        let (kind, name) = match writes {
            true => (Kind::AtomicWrite, "atomic operation"),
            false => (Kind::AtomicRead, "atomic load"),
        };
        Self { kind, name, line }
    }

    /// What this thread does with the fabric, if it is for a line of the program.
    #[inline(always)]
    fn of_program(kind: Kind) -> Option<Self> {
        let (purpose, _) = take_site();
        let Purpose {
            caller: Some(line),
            notifies,
        } = purpose?
        else {
            return None;
        };
        let name = match kind {
            Kind::AtomicRead | Kind::AtomicWrite => {
                return Some(Self::atomic(kind == Kind::AtomicWrite, line));
            }
            Kind::Get => "get",
            _ if notifies => "put_notify",
            _ => "put",
        };
        Some(Self { kind, name, line })
    }
}

impl Observer for Checking {
    #[inline]
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> R {
        let (range, kind) = match &call {
            Call::Put(range) | Call::PutSignal(range, ..) => (range, Kind::Put),
            Call::Get(range) => (range, Kind::Get),
            Call::Atomic(range, AtomicOperation::Load) => (range, Kind::AtomicRead),
            Call::Atomic(range, _) => (range, Kind::AtomicWrite),
            _ => return perform(),
        };
        let Some(access) = Access::of_program(kind) else {
            return perform();
        };
        match call {
            Call::Put(_) => self.put(range, access, perform, is_done),
            _ => self.access(range, access, perform, is_done),
        }
    }

    #[inline]
    fn observe_get(&self, range: &Range<'_>, perform: impl Fn()) {
        match Access::of_program(Kind::Get) {
            Some(access) => self.get(range, access, perform),
            None => perform(),
        }
    }
}
