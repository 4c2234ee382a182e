//! What explored schedules have to do with puts and gets: puts may arrive late, images that poll wait, and images may switch at accesses.
//!
//! A put in flight arrives before an own access to its bytes, at a fence of its image, and when everything completes. So it is with one that goes on while
//! the image computes: that the image has waited for it tells no other one. If it has a post, that is made when it arrives, which it has when the image has waited
//! for it. So it is with asynchronous atomic operations. Gets that go on meanwhile are late by themselves: the fabric carries them out when they are waited
//! for.

use std::rc::Rc;

use super::scheduled::{Notified, Scheduled};
use crate::schedule::{Arriving, CarryOut, Issue, Late, Reach, Site};
use coarray_fabric::memory::direct;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::handle::take_site;
use coarray_fabric::transport::observed::{Call, Observed, Observer, Range};
use coarray_fabric::transport::request::{Buffer, Request};

/// Has puts arrive late; below what checks them, which knows when they are made.
#[derive(Debug)]
struct Delaying {
    scheduled: Rc<Scheduled>,
    fabric: Rc<dyn Fabric>,
    /// Whether what it sees is of the program, and not of the library.
    of_program: bool,
}

/// Where a put goes that is kept.
struct Target(*mut u8);

// SAFETY: whoever made it vouches that bytes can be written there while images of the job run, by any of its threads.
unsafe impl Send for Target {}

impl Target {
    fn fill(self, bytes: &[u8]) {
        // SAFETY: `keep`, which made it, was promised that as many bytes can be written until the put is complete, as `direct` allows: that it has arrived then,
        // and is forgotten when its image is over, is what `observe` and the scheduler see to. An image of the job has the turn and is here.
        unsafe { direct::copy(self.0, bytes.as_ptr(), bytes.len()) }
    }
}

/// Has the image switch, and wait if it polls; above what checks accesses, which holds locks meanwhile.
#[derive(Debug)]
struct Switching(Rc<Scheduled>);

impl Scheduled {
    /// The fabric of the image as the program uses it, or the library, with puts that may be late.
    pub(crate) fn delay_puts(
        self: &Rc<Self>,
        fabric: &Rc<dyn Fabric>,
        of_program: bool,
    ) -> Rc<dyn Fabric> {
        self.fabric.replace(Some(Rc::clone(fabric)));
        let delaying = Delaying {
            scheduled: Rc::clone(self),
            fabric: Rc::clone(fabric),
            of_program,
        };
        Rc::new(Observed::new(Rc::clone(fabric), delaying))
    }

    /// Keeps an asynchronous operation on the coatomic of so many bytes at a place in flight, if it is to be late.
    pub(crate) fn delay_atomic(
        &self,
        place: Place,
        length: usize,
        (is_awaited, acts): (bool, bool),
        site: Site,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> Option<Request> {
        let Place { image, offset } = place;
        // It comes after earlier ones on the same coatomic.
        self.complete_at(place);
        let issue = Issue {
            late: Late::Atomic,
            is_awaited,
            acts,
            reach: Reach {
                image,
                offset,
                length,
            },
        };
        self.delay(issue, site, carry_out)?;
        if let Some(fabric) = &*self.fabric.borrow() {
            fabric.outstanding().begin();
        }
        Some(self.issue(image, Buffer::with_length(0)))
    }

    /// Before an atomic operation on a word: completes what the fabric knows of, and has late operations on the word arrive. Others stay in flight.
    pub(crate) fn complete_at(&self, place: Place) {
        let Some(fabric) = self.fabric.borrow().clone() else {
            return;
        };
        fabric.quiet();
        let word = Reach {
            image: place.image,
            offset: place.offset,
            length: size_of::<u64>(),
        };
        if self.arrive(Arriving::At(word)) {
            fabric.outstanding().begin();
        }
    }

    /// The fabric of the image as the program uses it, with switches.
    pub(crate) fn switch(self: &Rc<Self>, fabric: Rc<dyn Fabric>) -> Rc<dyn Fabric> {
        Rc::new(Observed::new(fabric, Switching(Rc::clone(self))))
    }
}

/// The line of the program that accesses something.
fn site() -> Site {
    take_site().0.and_then(|purpose| purpose.caller)
}

fn reach(range: &Range<'_>) -> Reach {
    Reach {
        image: range.image,
        offset: range.offset,
        length: range.length,
    }
}

impl Delaying {
    /// Has operations arrive. The fabric does not know of those that are still in flight, so this says that there are some.
    fn arrive(&self, which: Arriving) {
        if self.scheduled.arrive(which) {
            self.fabric.outstanding().begin();
        }
    }

    /// Has operations arrive, before which others may go on.
    fn complete(&self, which: Arriving) {
        self.scheduled.complete(which);
        self.arrive(which);
    }

    /// Whether a put is kept in flight, with its post or without one.
    fn delay(&self, reach: Reach, carry_out: impl FnOnce() -> CarryOut) -> bool {
        let scheduled = &self.scheduled;
        let is_awaited = match (scheduled.notified.get(), scheduled.announces_alone.get()) {
            (Notified::Late(flight), _) => return scheduled.extend(flight, reach, carry_out),
            // Its post is made at once.
            (Notified::None, true) => return false,
            (Notified::None, false) => false,
            (Notified::Begun, _) => true,
        };
        let issue = Issue {
            late: Late::Put,
            is_awaited,
            acts: true,
            reach,
        };
        let flight = scheduled.delay(issue, site(), carry_out);
        if is_awaited {
            let notified = flight.map_or(Notified::None, Notified::Late);
            scheduled.notified.set(notified);
        }
        flight.is_some()
    }
}

impl Observer for Delaying {
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        _: impl FnOnce(&R) -> bool,
    ) -> R {
        match &call {
            Call::Put(range) | Call::Get(range) | Call::Atomic(range, _) => {
                self.arrive(Arriving::At(reach(range)));
            }
            Call::Wait(image) => {
                self.complete(Arriving::Awaited(*image));
                self.scheduled.complete_issued(Some(*image));
            }
            Call::Progress => {
                self.complete(Arriving::Polled);
                self.scheduled.complete_issued(None);
            }
            // A post is to follow, whose put has arrived: others need not.
            Call::Fence(_) if self.scheduled.announces_alone.get() => {}
            Call::Fence(image) => {
                self.scheduled.complete(Arriving::All);
                self.arrive(Arriving::To(*image));
                self.scheduled.complete_issued(Some(*image));
            }
            // No switch: what checks accesses may be in the middle of this one.
            Call::PutSignal(Range { image, .. }, ..) => self.arrive(Arriving::To(*image)),
            Call::Quiet => {
                self.complete(Arriving::All);
                self.scheduled.complete_issued(None);
            }
            _ => {}
        }
        let result = perform();
        // What the fabric has completed is not all.
        self.arrive(Arriving::None);
        if self.of_program && matches!(call, Call::Put(_) | Call::PutSignal(..)) {
            self.scheduled.note("put", site());
        }
        result
    }

    unsafe fn keep(&self, range: &Range<'_>, source: *const u8) -> bool {
        if !self.of_program {
            return false;
        }
        self.arrive(Arriving::At(reach(range)));
        let place = Target(self.scheduled.place(range.image, range.offset));
        let carry_out = || {
            // SAFETY: the caller vouches for so many readable bytes, as `Fabric::put` asks.
            let bytes: Box<[u8]> =
                unsafe { std::slice::from_raw_parts(source, range.length) }.into();
            CarryOut(Box::new(move || place.fill(&bytes)))
        };
        let is_kept = self.delay(reach(range), carry_out);
        if is_kept {
            // Gets in flight come before it (rule 1), and the fabric, which does not know of it, sees to that for its own puts only.
            self.fabric.quiet();
            self.fabric.outstanding().begin();
        }
        is_kept
    }

    unsafe fn take_issued(&self, range: &Range<'_>, mut source: Buffer) -> Result<Request, Buffer> {
        if !self.of_program {
            return Err(source);
        }
        let start = source.start();
        // SAFETY: the caller vouches for the source and the place, as `Fabric::issue_put` asks.
        if unsafe { self.keep(range, start) } {
            return Ok(self.scheduled.issue(range.image, source));
        }
        // SAFETY: as above.
        let put = || unsafe {
            (self.fabric).put(range.image, range.offset, start, range.length);
        };
        self.observe(Call::Put(*range), put, |()| true);
        let (completer, request) = Request::issue(range.image);
        // Nobody can wait for it yet.
        let _ = completer.complete(source);
        Ok(request)
    }
}

impl Observer for Switching {
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        _: impl FnOnce(&R) -> bool,
    ) -> R {
        let Self(scheduled) = self;
        let range = match &call {
            Call::Get(range) => range,
            Call::Put(_) | Call::PutSignal(..) => {
                scheduled.access("put", site());
                return perform();
            }
            _ => return perform(),
        };
        let site = site();
        scheduled.access("get", site);
        let result = perform();
        let address = scheduled.place(range.image, range.offset).addr();
        // SAFETY: the caller of the fabric vouches for the bytes, which are in a part of the job's region: it is mapped until the images are over, and
        // others access it as `direct` allows.
        unsafe { scheduled.look(address, range.length, Some("get"), site) };
        result
    }
}
