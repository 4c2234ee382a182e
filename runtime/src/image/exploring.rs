//! What explored schedules have to do with puts and gets: puts may arrive late, images that poll wait, and images may switch at accesses.
//!
//! A put in flight arrives before an own access to its bytes, at a fence of its image, and when everything completes. So it is with one that goes on while
//! the image computes: that the image has waited for it tells no other one. Gets that go on meanwhile are late by themselves: the fabric carries them out
//! when they are waited for.

use std::rc::Rc;

use super::scheduled::{Issued, Scheduled};
use crate::schedule::{Arriving, Reach, Site};
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

    /// Before an atomic operation on a word: completes what the fabric knows of, and has late puts to the word arrive. Others stay in flight.
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
    /// Has puts arrive. The fabric does not know of those that are still in flight, so this says that there are some.
    fn arrive(&self, which: Arriving) {
        if self.scheduled.arrive(which) {
            self.fabric.outstanding().begin();
        }
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
            Call::Wait(image) => self.scheduled.complete_issued(Some(*image)),
            Call::Progress => self.scheduled.complete_issued(None),
            // A post is to follow, whose put has arrived: others need not.
            Call::Fence(_) if self.scheduled.announces_alone.get() => {}
            Call::Fence(image) => {
                self.scheduled.complete();
                self.arrive(Arriving::To(*image));
                self.scheduled.complete_issued(Some(*image));
            }
            // No switch: what checks accesses may be in the middle of this one.
            Call::PutSignal(Range { image, .. }, ..) => self.arrive(Arriving::To(*image)),
            Call::Quiet => {
                self.scheduled.complete();
                self.arrive(Arriving::All);
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
        if !self.of_program || self.scheduled.announces_alone.get() {
            return false;
        }
        self.arrive(Arriving::At(reach(range)));
        // SAFETY: the caller vouches for so many readable bytes, as `Fabric::put` asks.
        let bytes = unsafe { std::slice::from_raw_parts(source, range.length) };
        let place = self.scheduled.place(range.image, range.offset);
        // SAFETY: the caller vouches for the target, as `Fabric::put` asks, until the put is complete: that it arrives then is what `observe` sees
        // to.
        let is_kept = unsafe { self.scheduled.delay(reach(range), place, bytes, site()) };
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
        let (completer, request) = Request::issue(range.image);
        let start = source.start();
        // SAFETY: the caller vouches for the source and the place, as `Fabric::issue_put` asks.
        if unsafe { self.keep(range, start) } {
            let image = range.image;
            self.scheduled.issue(Issued {
                image,
                source,
                completer,
            });
        } else {
            // SAFETY: as above.
            let put = || unsafe {
                (self.fabric).put(range.image, range.offset, start, range.length);
            };
            self.observe(Call::Put(*range), put, |()| true);
            // Nobody can wait for it yet.
            let _ = completer.complete(source);
        }
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
