//! Accesses of an image, and what they meet in the shadow.

use crate::check::origins::Parts;
use crate::check::shadow::{GRANULE, Granule, Span};
use crate::check::sites::{Line, Site};
use crate::check::stamp::{Kind, Stamp};
use crate::image::checking::Checking;
use crate::image::checking::judging::{Meeting, Moved};
use crate::image::checking::state::{Epoch, State};
use coarray_fabric::transport::atomic::AtomicOperation;
use coarray_fabric::transport::deferral::Deferral;
use coarray_fabric::transport::handle::{is_racy, take_site};
use coarray_fabric::transport::observed::{Call, Observer, Pieces, Range};
use coarray_fabric::transport::site::Purpose;

/// An access of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) kind: Kind,
    name: &'static str,
    pub(super) line: Line,
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
        let (mut perform, mut result) = (Some((perform, is_done)), None);
        self.carry_out(range, access, &mut || {
            perform
                .take()
                .is_some_and(|(perform, is_done)| is_done(result.insert(perform())))
        });
        result.expect("an access is carried out")
    }

    /// As [`access`](Self::access): `perform` returns whether anything was done. Compiled once, for all operations.
    #[inline(never)]
    fn carry_out(&self, range: &Range<'_>, access: Access, perform: &mut dyn FnMut() -> bool) {
        if range.bytes() == 0 {
            perform();
            return;
        }
        // A waker may access coarrays itself: it runs when the state is not borrowed.
        let _wakers = Deferral::new();
        match self.span(range) {
            Some(span) if matches!(range.pieces, Pieces::One) && span.is_in_one_granule() => {
                self.move_word(span, access, perform);
            }
            _ => {
                if perform() {
                    self.note_pieces(range, access);
                }
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

    fn move_word(&self, span: Span, access: Access, perform: &mut dyn FnMut() -> bool) {
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
        let meeting = Meeting::of(self, &state.clock);
        let locked = shadow.lock(span);
        if matches!(kind, Kind::Flag | Kind::AtomicFlag) {
            locked.expect_flag();
        }
        if perform() {
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
    }

    fn note_pieces(&self, range: &Range<'_>, access: Access) {
        let state = &mut *self.state();
        let stamp = self.stamp(state, access.kind, access, range.bytes());
        let meeting = Meeting::of(self, &state.clock);
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

    #[inline(always)]
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
        Stamp::new(self.0.image, time, site, kind).racy_if(is_racy())
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
    pub(crate) fn operate(
        &self,
        range: &Range<'_>,
        writes: bool,
        line: Line,
        perform: &mut dyn FnMut(),
    ) {
        let access = Access::atomic(writes, line);
        self.carry_out(range, access, &mut || {
            perform();
            true
        });
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
            Call::Put(_) | Call::PutSignal(..) | Call::Get(_) if self.is_unnoted() => {
                return perform();
            }
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

    #[inline(always)]
    fn pass_word(&self, writes: bool, image: usize, offset: usize, perform: impl Fn()) -> bool {
        if self.is_unnoted() {
            perform();
            return writes || self.is_unnoted();
        }
        self.repeat(writes, image, offset, perform)
    }

    #[inline]
    fn observe_get(&self, range: &Range<'_>, perform: impl Fn()) {
        match Access::of_program(Kind::Get) {
            Some(access) if !self.is_unnoted() => self.get(range, access, perform),
            _ => perform(),
        }
    }
}
