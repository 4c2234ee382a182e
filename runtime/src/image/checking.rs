//! What an image of a checked job notes of its accesses and synchronisations.

mod access;
mod deferred;
mod judging;
mod line;
mod origin;
mod state;
mod why;

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::check::Checked;
use crate::check::order::{CollectiveKey, MeetingKey};
use crate::check::races::RACED;
use crate::check::sites::{Line, Recent, Site};
use crate::image::checking::deferred::Deferred;
use crate::image::checking::state::{Epoch, State};
use crate::job::Job;
use crate::job::control::Failure;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::handle::{is_racy, is_set, observe_racy};
use coarray_fabric::transport::observed::Observed;

/// For whom a fence is.
type Target = Option<usize>;

/// What a post orders before the wait that consumes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted {
    /// All that the image has done.
    All,
    /// What it has put to the image of the event; the last put alone, if that was said to be announced alone.
    PutsThere,
}

/// Checks what one image does.
#[derive(Clone, Debug)]
pub(crate) struct Checking(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    job: Arc<Job>,
    check: Arc<Checked>,
    image: usize,
    /// Whether accesses that may race are noted from the start: they are points of schedules, and origins of what is got.
    notes_racy: bool,
    state: RefCell<State>,
    deferred: Deferred,
}

impl Checking {
    pub(crate) fn new(job: &Arc<Job>, check: &Arc<Checked>, image: usize, images: usize) -> Self {
        Self(Rc::new(Shared {
            job: Arc::clone(job),
            check: Arc::clone(check),
            image,
            notes_racy: job.scheduler.is_some() || check.origins.is_some(),
            state: RefCell::new(State::of(image, images)),
            deferred: Deferred::default(),
        }))
    }

    /// The fabric for what the program does.
    pub(crate) fn for_program(&self, fabric: Rc<dyn Fabric>) -> Rc<dyn Fabric> {
        Rc::new(Observed::new(fabric, self.clone()))
    }

    /// An object begins at these bytes of the image's own heap.
    pub(crate) fn begin_object(
        &self,
        offset: usize,
        size: usize,
        subject: &'static str,
        line: Line,
    ) {
        let bytes = offset..offset + size;
        self.0
            .check
            .begin_object(self.0.image, bytes, subject, line);
    }

    /// The image opens a coarray.
    pub(crate) fn open(&self, line: Line) {
        let state = &mut *self.state();
        if state.opened.replace(line) != Some(line) {
            state.recent = Recent::new();
        }
    }

    /// The image comes to a barrier.
    pub(crate) fn arrive(&self, meeting: MeetingKey, line: Line) {
        if self.0.check.policy.ignores(line) {
            return;
        }
        self.synchronise(|state| {
            self.0
                .check
                .order
                .arrive(meeting, self.0.image, &state.clock);
            state.advance(self);
        });
    }

    /// It leaves the barrier, which so many images enter.
    pub(crate) fn depart(&self, meeting: MeetingKey, images: usize, line: Line) {
        if self.0.check.policy.ignores(line) {
            return;
        }
        let state = &mut *self.state();
        let order = &self.0.check.order;
        order.depart(meeting, images, &mut state.clock);
        if images == self.images() {
            order.forget_fences(self.0.image);
        }
        state.collective = None;
    }

    /// The image orders what it has put to one image, or completes all.
    pub(crate) fn fence(&self, target: Target, line: Line) {
        if self.is_ignored(line, "fence") {
            return;
        }
        observe_racy(&self.0.check.has_fenced);
        let state = &mut *self.state();
        if target.is_none() {
            let pending = std::mem::take(&mut state.pending);
            state.clock.join(&pending);
            state.seen.clear();
            state.collective = None;
        }
        let (image, time) = (self.0.image, state.clock.time(self.0.image));
        let tells = match target {
            None => state.clock.clone(),
            Some(target) => state.clock.lane(image, target),
        };
        self.0.check.order.fence(image, time, target, tells, line);
        state.advance(self);
        state.last_fence = Some(target);
    }

    /// The image is about to post an event.
    pub(crate) fn post(&self, event: Place, posted: Posted, line: Line) {
        let name = match posted {
            Posted::All => "post",
            Posted::PutsThere => "put_notify",
        };
        if self.is_ignored(line, name) {
            return;
        }
        let image = self.0.image;
        let post = |state: &mut State| {
            let tells = match posted {
                Posted::All => state.clock.clone(),
                Posted::PutsThere if state.is_single => state.clock.single(image),
                Posted::PutsThere => state.clock.lane(image, event.image),
            };
            self.0.check.order.post(event, image, tells);
            state.advance(self);
        };
        match posted {
            Posted::All => self.synchronise(post),
            // It is a put.
            Posted::PutsThere => post(&mut self.state()),
        }
    }

    /// Whether the next post announces the put before it alone, which has a time of its own then.
    pub(crate) fn announce_alone(&self, is_single: bool) {
        let state = &mut *self.state();
        state.is_single = is_single;
        if is_single && state.epoch != Epoch::Empty {
            state.advance(self);
        }
    }

    /// The image has consumed posts of its event.
    pub(crate) fn consume(&self, event: Place, posts: u64, line: Line) {
        if self.is_ignored(line, "wait") {
            return;
        }
        self.synchronise(|state| {
            let order = &self.0.check.order;
            let may_be_others = order.consume(event, posts, &mut state.clock);
            state.waited = Some((line, may_be_others));
            state.collective = None;
        });
    }

    /// The image is about to release a lock.
    pub(crate) fn unlock(&self, lock: Place) {
        self.synchronise(|state| {
            self.0.check.order.unlock(lock, &state.clock);
            state.advance(self);
        });
    }

    /// The image has acquired a lock.
    pub(crate) fn lock(&self, lock: Place, line: Line) {
        if self.is_ignored(line, "lock") {
            return;
        }
        self.synchronise(|state| {
            self.0.check.order.lock(lock, &mut state.clock);
        });
    }

    /// The image comes to its call of `sync_images` with another one, the how manyth.
    pub(crate) fn meet(&self, other: usize, number: u64, line: Line) {
        if self.is_ignored(line, "sync_images") {
            return;
        }
        self.synchronise(|state| {
            let order = &self.0.check.order;
            order.meet(self.0.image, other, number, &state.clock);
            state.advance(self);
        });
    }

    /// It has met the other.
    pub(crate) fn has_met(&self, other: usize, number: u64, line: Line) {
        if self.0.check.policy.ignores(line) {
            return;
        }
        let state = &mut *self.state();
        let order = &self.0.check.order;
        order.has_met(other, self.0.image, number, &mut state.clock);
        state.collective = None;
    }

    /// The image begins a collective operation of a team, which has this key, that is no barrier. Returns its number.
    pub(crate) fn begin_collective(&self, team: (u64, u32)) -> u64 {
        let state = &mut *self.state();
        let number = state.begun.entry(team).or_default();
        *number += 1;
        let key = (team.0, team.1, *number);
        self.0.check.order.bring(key, self.0.image);
        key.2
    }

    /// It has what these images brought, whose numbers these are.
    pub(crate) fn end_collective(
        &self,
        key: CollectiveKey,
        images: usize,
        from: impl Iterator<Item = usize>,
        name: &'static str,
        line: Line,
    ) {
        let state = &mut *self.state();
        let order = &self.0.check.order;
        order.take(key, images, from, &mut state.pending);
        state.collective = Some((name, line));
    }

    /// What has this key releases, says the program.
    pub(crate) fn release(&self, key: u64) {
        self.synchronise(|state| {
            self.0.check.order.release(key, &state.clock);
            state.advance(self);
        });
    }

    /// And it acquires.
    pub(crate) fn acquire(&self, key: u64) {
        self.synchronise(|state| self.0.check.order.acquire(key, &mut state.clock));
    }

    /// The program of the image is over.
    pub(crate) fn end(&self) {
        let _ = self.state();
    }

    /// When this is set, accesses that may race are noted; none if they always are.
    pub(crate) fn notes_racy(&self) -> Option<&AtomicBool> {
        (!self.0.notes_racy).then_some(&self.0.check.has_fenced)
    }

    /// Whether what this thread accesses now need not be noted: it may race, and tells nothing.
    #[inline(always)]
    fn is_unnoted(&self) -> bool {
        is_racy() && self.notes_racy().is_some_and(|notes| !is_set(notes))
    }

    /// What the image knows, when all that it has accessed is noted.
    fn state(&self) -> RefMut<'_, State> {
        let mut state = self.0.state.borrow_mut();
        self.note_deferred(&mut state);
        self.0.deferred.end_repeats();
        state
    }

    fn images(&self) -> usize {
        self.0.job.region.dimensions().images
    }

    /// Synchronises otherwise than by a fence.
    fn synchronise(&self, change: impl FnOnce(&mut State)) {
        let state = &mut *self.state();
        let seen = std::mem::take(&mut state.seen);
        for flag in seen {
            self.report_unfenced(flag);
        }
        state.last_fence = None;
        state.waited = None;
        change(state);
    }

    /// Ends the job for a reason that is not in the program.
    #[cold]
    fn give_up(&self, what: &str) {
        self.0.job.fail(&Failure {
            image: self.0.image,
            code: RACED,
            text: format!("cannot be checked any further: {what}"),
        });
    }

    #[inline(always)]
    fn site(&self, state: &mut State, site: Site) -> u16 {
        let number = state.recent.number(&self.0.check.sites, site, state.opened);
        if number.is_none() && !state.has_ended {
            state.has_ended = true;
            self.give_up("more than 65536 lines access coarrays");
        }
        number.unwrap_or_default()
    }
}
