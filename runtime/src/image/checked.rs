//! What is called where images synchronise or operate on words, for the check of a job: does nothing in others.

use std::panic::Location;

use crate::call::Call;
use crate::image::Image;
use crate::image::checking::Posted;
use crate::image::team::Team;
use crate::profile::activity;
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::observed::{Pieces, Range};
use coarray_fabric::transport::site::{Purpose, purpose};

type Line = &'static Location<'static>;

impl Team {
    /// Tells this team from all others of the job.
    fn check_key(&self) -> (u64, u32) {
        (self.key().0, self.members()[0])
    }

    /// The image comes to a barrier, whose number is that of the team's last one.
    pub(crate) fn check_arrival(&self, call: &Call) {
        if let Some(checking) = self.image().checking() {
            // The next call is to come here, too.
            self.image().last_call.differ();
            if call.is_opening() {
                checking.open(call.caller());
            }
            if let Some(scheduled) = self.image().scheduled()
                && call.is_first_step()
            {
                // No point: an image that waits for the others lets them go on, and the last one does not.
                let name = activity::name(activity::code_of_call(call.signature()));
                scheduled.note(name, Some(call.caller()));
            }
            if call.is_meeting() {
                if let Some(name) = call.plain_barrier() {
                    checking.count_call(call.caller(), name);
                }
                let (team, first) = self.check_key();
                checking.arrive((team, first, self.barriers()), call.caller());
            }
        }
    }

    /// It leaves the barrier.
    #[inline]
    pub(crate) fn check_departure(&self, call: &Call) {
        if let Some(checking) = self.image().checking()
            && call.is_meeting()
        {
            let (team, first) = self.check_key();
            checking.depart((team, first, self.barriers()), self.images(), call.caller());
        }
    }

    /// The image begins a collective operation that is no barrier. Returns its number, for [`check_result`](Self::check_result).
    #[must_use]
    pub fn check_contribution(&self, name: &'static str, caller: Line) -> u64 {
        let Some(checking) = self.image().checking() else {
            return 0;
        };
        self.image().offer(name, caller);
        checking.begin_collective(self.check_key())
    }

    /// The image has what images with these indices brought to such an operation, the one with this number.
    pub fn check_result(
        &self,
        number: u64,
        from: impl Iterator<Item = usize>,
        name: &'static str,
        caller: Line,
    ) {
        if let Some(checking) = self.image().checking() {
            let (team, first) = self.check_key();
            let from = from.map(|index| self.members()[index] as usize);
            let images = self.images();
            checking.end_collective((team, first, number), images, from, name, caller);
        }
    }
}

impl Image {
    /// The image is about to do this: if its schedule is controlled, others may go on before.
    #[inline]
    pub(crate) fn offer(&self, what: &'static str, caller: Line) {
        if let Some(scheduled) = self.scheduled() {
            scheduled.point(what, Some(caller));
        }
    }

    /// Whether its accesses are checked.
    #[inline]
    #[must_use]
    pub fn is_checked(&self) -> bool {
        self.checking().is_some()
    }

    /// The image has called a fence for the puts to an image, or to all.
    pub fn check_fence(&self, target: Option<usize>, caller: Line) {
        if let Some(checking) = self.checking() {
            checking.fence(target, caller);
            if let Some(scheduled) = self.scheduled() {
                scheduled.idle_point("fence", Some(caller));
            }
        }
    }

    /// The image is about to post an event.
    pub(crate) fn check_post(&self, event: Option<Place>, posted: Posted, caller: Line) {
        if let Some(checking) = self.checking()
            && let Some(event) = event
        {
            self.offer("post", caller);
            checking.post(event, posted, caller);
        }
    }

    /// The image has acquired the lock at this address.
    pub(crate) fn check_lock(&self, address: usize, caller: Line) {
        if let Some(checking) = self.checking()
            && let Some(lock) = self.locate(address)
        {
            checking.lock(lock, caller);
        }
    }

    /// It is about to release it.
    pub(crate) fn check_unlock(&self, lock: Option<Place>) {
        if let Some(checking) = self.checking()
            && let Some(lock) = lock
        {
            if let Some(scheduled) = self.scheduled() {
                // No point: the next operation at which others may have something to do is one.
                scheduled.note("unlock", None);
            }
            checking.unlock(lock);
        }
    }

    /// The image reads these bytes of its own heap by references, beside puts of others.
    pub fn check_own_read(&self, offset: usize, length: usize, caller: Line) {
        if let Some(checking) = self.checking() {
            checking.read_own(offset, length, caller);
        }
    }

    /// A phase of so many bytes at this offset of the image's own heap is about to begin.
    pub fn check_phase(&self, offset: usize, bytes: usize) {
        if let Some(checking) = self.checking() {
            checking.begin_phase(offset, bytes);
        }
    }

    /// An object begins at this offset of the image's own heap.
    pub(crate) fn check_object(
        &self,
        offset: usize,
        size: usize,
        subject: &'static str,
        caller: Line,
    ) {
        if let Some(checking) = self.checking() {
            checking.begin_object(offset, size, subject, caller);
        }
    }
}

/// The image of this thread has consumed posts of its event at this address.
#[cold]
#[inline(never)]
pub fn note_consumed(event: usize, posts: u64, caller: Line) {
    if let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
        && let Some(event) = image.locate(event)
    {
        checking.consume(event, posts, caller);
        image.offer("wait", caller);
    }
}

/// Whether the puts of this thread's image, whose arrival posts announce, are announced alone from now on.
#[cold]
#[inline(never)]
pub fn note_single_put(is_single: bool) {
    if let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
    {
        checking.announce_alone(is_single);
        if let Some(scheduled) = image.scheduled() {
            scheduled.announces_alone.set(is_single);
        }
    }
}

/// Operates on the coatomic of so many bytes at an address, which in a checked job is noted, at this line or that for which the thread works.
pub fn operate_noted<R>(
    address: usize,
    bytes: usize,
    writes: bool,
    caller: Line,
    operate: impl FnOnce() -> R,
) -> R {
    let caller = match purpose() {
        // The library's own.
        Some(Purpose { caller: None, .. }) => return operate(),
        Some(Purpose {
            caller: Some(line), ..
        }) => line,
        None => caller,
    };
    if let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
        && let Some(Place {
            image: owner,
            offset,
        }) = image.locate(address)
    {
        let range = Range {
            image: owner,
            offset,
            length: bytes,
            pieces: Pieces::One,
        };
        let Some(scheduled) = image.scheduled() else {
            return checking.operate(&range, writes, caller, operate);
        };
        // SAFETY: `locate` found the coatomic in the job's region, which is mapped until the images are over.
        return unsafe {
            scheduled.operate(address, bytes, Some(caller), || {
                checking.operate(&range, writes, caller, operate)
            })
        };
    }
    operate()
}

/// Local. Calls `body`, whose accesses may race.
pub fn racy<R>(body: impl FnOnce() -> R) -> R {
    struct Racing(std::rc::Rc<Image>);

    impl Drop for Racing {
        fn drop(&mut self) {
            if let Some(checking) = self.0.checking() {
                checking.change_racy(-1);
            }
        }
    }

    let image = Image::try_current().filter(|image| image.is_checked());
    let _racing = image.map(Racing).inspect(|racing| {
        if let Some(checking) = racing.0.checking() {
            checking.change_racy(1);
        }
    });
    body()
}

/// Local. What this image has done happens before what any image does that acquires the same key later, by means outside of the library.
pub fn release(key: u64) {
    if let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
    {
        checking.release(key);
    }
}

/// Local. What images did before they released this key happens before what this image does now.
pub fn acquire(key: u64) {
    if let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
    {
        checking.acquire(key);
    }
}
