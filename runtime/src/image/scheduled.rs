//! An image that runs when the scheduler of its job says so.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::job::control::{Failure, OWN_WORDS};
use crate::job::unwinding;
use crate::schedule::{Arriving, CarryOut, FlightNumber, Issue, Reach, Scheduler, Site, Stuck};
use coarray_fabric::system::controlled::{Controlled, Controller, control};
use coarray_fabric::transport::completion::Completer;
use coarray_fabric::transport::deferral::wake;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::request::{Buffer, Request};

/// The way of an image to its scheduler.
#[derive(Debug)]
pub(crate) struct Scheduled {
    job: Arc<Job>,
    scheduler: Arc<Scheduler>,
    image: usize,
    /// The fabric below what has puts arrive late.
    pub(crate) fabric: RefCell<Option<Rc<dyn Fabric>>>,
    /// Operations that were late, and that the image can wait for.
    issued: RefCell<Vec<Issued>>,
    /// Whether its posts announce no puts but those with which they are made.
    pub(crate) announces_alone: Cell<bool>,
    /// The put in flight that the image issues, with its post.
    pub(crate) notified: Cell<Notified>,
}

/// A put with a post that may be late, while the image issues it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Notified {
    /// There is none, or it is not late.
    #[default]
    None,
    /// The next put may be late, and is announced alone.
    Begun,
    /// It is late.
    Late(FlightNumber),
}

/// An operation that the image can wait for.
#[derive(Debug)]
struct Issued {
    image: usize,
    source: Buffer,
    completer: Completer<Buffer>,
}

impl Scheduled {
    /// For an image of this job, if it has a scheduler.
    pub(crate) fn new(job: &Arc<Job>, image: usize) -> Option<Self> {
        let scheduler = job.scheduler.as_ref()?;
        Some(Self {
            job: Arc::clone(job),
            scheduler: Arc::clone(scheduler),
            image,
            fabric: RefCell::default(),
            issued: RefCell::default(),
            announces_alone: Cell::default(),
            notified: Cell::default(),
        })
    }

    /// The image is about to do this, and others may go on before.
    pub(crate) fn point(&self, what: &'static str, site: Site) {
        self.unless_stuck(self.scheduler.point(self.image, what, site, true));
        self.leave_if_ended();
    }

    /// As [`point`](Self::point), of what an image that polls may do between two looks.
    pub(crate) fn idle_point(&self, what: &'static str, site: Site) {
        self.unless_stuck(self.scheduler.point(self.image, what, site, false));
        self.leave_if_ended();
    }

    /// The image puts or gets.
    pub(crate) fn access(&self, what: &'static str, site: Site) {
        self.unless_stuck(self.scheduler.access(self.image, what, site));
        self.leave_if_ended();
    }

    /// The image has done this.
    pub(crate) fn note(&self, what: &'static str, site: Site) {
        self.scheduler.note(self.image, what, site);
    }

    /// The image has looked for what another one does, in vain.
    pub(crate) fn look_again(&self) {
        self.unless_stuck(self.scheduler.yield_turn(self.image));
    }

    /// The image has read so many bytes. `what` it did, if that was not noted before.
    ///
    /// # Safety
    /// As [`Scheduler::look`].
    pub(crate) unsafe fn look(
        &self,
        address: usize,
        length: usize,
        what: Option<&'static str>,
        site: Site,
    ) {
        // SAFETY: as the caller vouches.
        let outcome = unsafe { (self.scheduler).look(self.image, address, length, what, site) };
        self.unless_stuck(outcome);
        self.leave_if_ended();
    }

    /// Unwinds the image if the job has ended: one that polls, or posts for ever, comes to no wait in which it would see that.
    fn leave_if_ended(&self) {
        if self.job.has_ended() && unwinding::can_unwind() {
            unwinding::unwind(&self.job, self.image);
        }
    }

    /// Operates on a word of so many bytes. Others may go on before. If it leaves the word as it was, the image may be polling it.
    ///
    /// # Safety
    /// As [`Scheduler::look`].
    pub(crate) unsafe fn operate(
        &self,
        address: usize,
        bytes: usize,
        site: Site,
        operate: &mut dyn FnMut(),
    ) {
        self.idle_point("atomic operation", site);
        // SAFETY: as the caller vouches.
        let before = unsafe { self.scheduler.read(address, bytes) };
        operate();
        // SAFETY: as above.
        match before == unsafe { self.scheduler.read(address, bytes) } {
            // SAFETY: as above.
            true => unsafe { self.look(address, bytes, None, site) },
            false => self.scheduler.act(self.image),
        }
    }

    /// Where this byte of a part is.
    pub(crate) fn place(&self, image: usize, offset: usize) -> *mut u8 {
        self.job.region.part_address(image, offset)
    }

    /// Keeps an operation in flight, if it is to be late.
    pub(crate) fn delay(
        &self,
        issue: Issue,
        site: Site,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> Option<FlightNumber> {
        (self.scheduler).delay(self.image, issue, site, carry_out)
    }

    /// Adds to an operation in flight what is done after it; returns false if it has arrived.
    pub(crate) fn extend(
        &self,
        flight: FlightNumber,
        reach: Reach,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> bool {
        self.scheduler.extend(flight, reach, carry_out)
    }

    /// Before such operations, which are late, have to arrive: others may go on until then.
    pub(crate) fn complete(&self, which: Arriving) {
        self.unless_stuck(self.scheduler.complete(self.image, which));
    }

    /// Has operations in flight arrive. Returns whether others still are, or the image can wait for some.
    pub(crate) fn arrive(&self, which: Arriving) -> bool {
        self.scheduler.arrive(self.image, which) || !self.issued.borrow().is_empty()
    }

    /// The image can wait for an operation on this image, which is late and has read `source`.
    pub(crate) fn issue(&self, image: usize, source: Buffer) -> Request {
        let (completer, request) = Request::issue(image);
        self.issued.borrow_mut().push(Issued {
            image,
            source,
            completer,
        });
        request
    }

    /// Operations on this image are complete, or all. The buffers of puts are free, as those of other puts are, whether they have arrived or not.
    pub(crate) fn complete_issued(&self, to: Option<usize>) {
        if self.issued.borrow().is_empty() {
            return;
        }
        let is_one = |issued: &Issued| to.is_none_or(|image| image == issued.image);
        let (complete, left): (Vec<_>, Vec<_>) = self.issued.take().into_iter().partition(is_one);
        self.issued.replace(left);
        let complete = complete.into_iter();
        wake(
            complete
                .filter_map(|issued| issued.completer.complete(issued.source))
                .collect(),
        );
    }

    /// The image has left its turn to others.
    fn leave(&self, outcome: Result<(), Stuck>) {
        if self.unless_stuck(outcome).is_none() {
            // The job has ended, so the others can go on.
            let _ = self.scheduler.finish(self.image);
        }
    }

    /// Ends the job if nobody can go on; then everybody does, to unwind.
    fn unless_stuck<T>(&self, outcome: Result<T, Stuck>) -> Option<T> {
        match outcome {
            Ok(result) => Some(result),
            Err(Stuck(text)) => {
                self.job.fail(&Failure {
                    image: self.image,
                    code: 1,
                    text: format!("{OWN_WORDS}coarray: {text}"),
                });
                self.scheduler.end();
                None
            }
        }
    }
}

impl Controller for Scheduled {
    fn sleep_while_equal(&self, word: &AtomicU64, value: u64, nap: Duration) -> bool {
        let outcome = self.scheduler.sleep(self.image, word, value, nap);
        self.unless_stuck(outcome).unwrap_or(false)
    }

    fn yield_now(&self) {
        self.look_again();
    }

    fn now(&self) -> Instant {
        self.scheduler.now()
    }
}

/// From the first turn of an image to its last.
#[derive(Debug)]
pub(crate) struct Turns {
    scheduled: Rc<Scheduled>,
    controlled: Option<Controlled>,
    has_failed: bool,
}

impl Turns {
    /// Begins the image of this thread: returns when it has its first turn.
    pub(crate) fn begin(scheduled: Scheduled) -> Self {
        let scheduled = Rc::new(scheduled);
        scheduled.scheduler.begin(scheduled.image);
        let controlled = Some(control(Rc::clone(&scheduled) as Rc<dyn Controller>));
        Self {
            scheduled,
            controlled,
            has_failed: false,
        }
    }

    /// The image has failed: it keeps its turn until that is [declared](declare_failed), when its thread is gone.
    pub(crate) fn keep(&mut self) {
        self.has_failed = true;
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.controlled = None;
        if !self.has_failed {
            let scheduled = &self.scheduled;
            scheduled.leave(scheduled.scheduler.finish(scheduled.image));
        }
    }
}

/// Declares an image failed that accesses nothing any more, whose thread is gone: in an explored job when its schedule says so.
pub fn declare_failed(job: &Arc<Job>, image: usize) {
    let declare = {
        let job = Arc::clone(job);
        move || (job.region.job()).declare_failed(job.region.control(image))
    };
    match Scheduled::new(job, image) {
        // The image has left its turn to this thread.
        Some(scheduled) => scheduled.leave(scheduled.scheduler.fail(image, declare)),
        None => declare(),
    }
}
