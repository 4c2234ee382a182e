//! What explored schedules have to do with puts and gets: puts may arrive late, and images that poll wait.
//!
//! A put in flight arrives before an own access to its bytes, at a fence of its image, and when everything completes. Operations that go on while the
//! image computes are late by themselves: the fabric carries them out when they are waited for.

use std::rc::Rc;

use super::scheduled::Scheduled;
use crate::schedule::{Arriving, Reach, Site};
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::handle::take_site;
use coarray_fabric::transport::observed::{Call, Observed, Observer, Range};

/// Observes one image.
#[derive(Debug)]
struct Exploring {
    scheduled: Rc<Scheduled>,
    fabric: Rc<dyn Fabric>,
    /// Whether what it sees is of the program, and not of the library.
    of_program: bool,
}

impl Scheduled {
    /// The fabric of the image, as the program uses it, or the library.
    pub(crate) fn explore(
        self: &Rc<Self>,
        fabric: &Rc<dyn Fabric>,
        of_program: bool,
    ) -> Rc<dyn Fabric> {
        let exploring = Exploring {
            scheduled: Rc::clone(self),
            fabric: Rc::clone(fabric),
            of_program,
        };
        Rc::new(Observed::new(Rc::clone(fabric), exploring))
    }
}

impl Exploring {
    fn site(&self) -> Site {
        let purpose = || take_site().0;
        let purpose = self.of_program.then(purpose).flatten();
        purpose.and_then(|purpose| purpose.caller)
    }

    /// Has puts arrive, and notes whether others are still in flight: of these the fabric does not know.
    fn arrive(&self, which: Arriving) {
        if self.scheduled.arrive(which) {
            self.fabric.outstanding().begin();
        }
    }

    fn place(&self, range: &Range<'_>) -> *mut u8 {
        self.scheduled.place(range.image, range.offset)
    }
}

fn reach(range: &Range<'_>) -> Reach {
    Reach {
        image: range.image,
        offset: range.offset,
        length: range.length,
    }
}

impl Observer for Exploring {
    fn observe<R>(
        &self,
        call: Call<'_>,
        perform: impl FnOnce() -> R,
        _: impl FnOnce(&R) -> bool,
    ) -> R {
        let site = self.site();
        match &call {
            // `keep` has done this for those that are not late by themselves.
            Call::Put(range) => self.arrive(Arriving::At(reach(range))),
            Call::Get(range) => {
                if self.of_program {
                    self.scheduled.access("get", site);
                }
                self.arrive(Arriving::At(reach(range)));
            }
            Call::Atomic(range, _) => self.arrive(Arriving::At(reach(range))),
            Call::Wait(image) | Call::Fence(image) | Call::PutSignal(Range { image, .. }, ..) => {
                self.arrive(Arriving::To(*image));
            }
            Call::Quiet => self.arrive(Arriving::All),
            _ => {}
        }
        let result = perform();
        match &call {
            Call::Put(_) | Call::PutSignal(..) if self.of_program => {
                self.scheduled.note("put", site);
            }
            // SAFETY: the caller of the fabric vouches for the bytes, which are in a part of the job's region, as long as it can be read, which is
            // until its images are over.
            Call::Get(range) if self.of_program => unsafe {
                self.scheduled
                    .look(self.place(range).addr(), range.length, "get", site);
            },
            _ => {}
        }
        if !matches!(call, Call::Quiet) {
            // What the fabric has completed is not all.
            self.arrive(Arriving::None);
        }
        result
    }

    unsafe fn keep(&self, range: &Range<'_>, source: *const u8) -> bool {
        if !self.of_program {
            return false;
        }
        let site = self.site();
        self.scheduled.access("put", site);
        self.arrive(Arriving::At(reach(range)));
        // SAFETY: the caller vouches for so many readable bytes, as `Fabric::put` asks.
        let bytes = unsafe { std::slice::from_raw_parts(source, range.length) };
        // SAFETY: the caller vouches for the target, as `Fabric::put` asks, until the put is complete: that it arrives then is what the calls above
        // see to.
        let is_kept = unsafe { self.scheduled.delay(reach(range), self.place(range), bytes) };
        if is_kept {
            self.scheduled.note("put that arrives late", site);
            self.fabric.outstanding().begin();
        }
        is_kept
    }
}
