//! What is called where images synchronise or operate on words, for the check of a job: does nothing in others.

use std::panic::Location;
use std::rc::Rc;

use crate::call::Call;
use crate::image::Image;
use crate::image::checking::Posted;
use crate::image::scheduled::Notified;
use crate::image::team::Team;
use crate::profile::activity;
use crate::schedule::{CarryOut, Reach};
use coarray_fabric::memory::locality::Place;
use coarray_fabric::transport::handle::change_racy;
use coarray_fabric::transport::observed::{Pieces, Range};
use coarray_fabric::transport::request::{Buffer, Request};
use coarray_fabric::transport::site::purpose;

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

    /// The image looks whether others have failed or stopped. If its schedule is controlled, others may go on before, and do after it has seen nothing.
    #[inline]
    pub fn look_at_others<R>(
        &self,
        caller: Line,
        look: impl FnOnce() -> R,
        saw: impl FnOnce(&R) -> bool,
    ) -> R {
        let Some(scheduled) = self.scheduled() else {
            return look();
        };
        scheduled.idle_point("look at the images", Some(caller));
        let seen = look();
        if !saw(&seen) {
            scheduled.look_again();
        }
        seen
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
            scheduled.notified.take();
        }
    }
}

/// The puts that this thread's image announces [alone](note_single_put) may be late from now on, and their post with them.
#[cold]
#[inline(never)]
pub fn begin_notified() {
    if let Some(image) = Image::try_current()
        && let Some(scheduled) = image.scheduled()
    {
        scheduled.notified.set(Notified::Begun);
    }
}

/// No longer. Returns what completes them, if they go to this image and are late.
#[cold]
#[inline(never)]
#[must_use]
pub fn end_notified(to: usize) -> Option<(Rc<Image>, Request)> {
    let image = Image::try_current()?;
    let scheduled = image.scheduled()?;
    let Notified::Late(_) = scheduled.notified.take() else {
        return None;
    };
    let request = scheduled.issue(to, Buffer::with_length(0));
    Some((image, request))
}

/// Has the post of the event at this address follow the puts that this thread's image [issues](begin_notified) and that are late. Returns false if there are
/// none, or they have arrived.
#[cold]
#[inline(never)]
pub fn post_in_flight(event: usize, post: impl FnOnce() + Send + 'static) -> bool {
    let post = || {
        let image = Image::try_current()?;
        let scheduled = image.scheduled()?;
        let Notified::Late(flight) = scheduled.notified.get() else {
            return None;
        };
        let place = image.locate(event)?;
        let word = Reach {
            image: place.image,
            offset: place.offset,
            length: size_of::<u64>(),
        };
        Some(scheduled.extend(flight, word, || CarryOut(Box::new(post))))
    };
    post().unwrap_or(false)
}

/// The line of the program that operates on a coatomic at this one, or for which the thread works; none for what the library does by itself.
fn line_of(caller: Line) -> Option<Line> {
    purpose().map_or(Some(caller), |purpose| purpose.caller)
}

/// Keeps an asynchronous operation on the coatomic of so many bytes at an address in flight, if the schedule of the job has it late: `carry_out` returns what is done
/// when it takes effect, on whichever thread of the job. Returns what completes it then.
#[cold]
#[inline(never)]
pub fn issue_noted(
    address: usize,
    bytes: usize,
    (writes, is_awaited): (bool, bool),
    caller: Line,
    carry_out: impl FnOnce() -> Box<dyn FnOnce() + Send>,
) -> Option<(Rc<Image>, Request)> {
    let caller = line_of(caller)?;
    let image = Image::try_current()?;
    let (checking, scheduled) = (image.checking()?, image.scheduled()?);
    let place = image.locate(address)?;
    let carry_out = || CarryOut(carry_out());
    let kind = (is_awaited, writes);
    let request = scheduled.delay_atomic(place, bytes, kind, Some(caller), carry_out)?;
    checking.operate(&range_at(place, bytes), writes, caller, &mut || ());
    Some((image, request))
}

fn range_at(place: Place, length: usize) -> Range<'static> {
    Range {
        image: place.image,
        offset: place.offset,
        length,
        pieces: Pieces::One,
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
    let (mut operate, mut result) = (Some(operate), None);
    note_operation(address, bytes, writes, caller, &mut || {
        result = operate.take().map(|operate| operate());
    });
    result.expect("an operation is carried out")
}

/// As [`operate_noted`]; compiled once, for all operations.
fn note_operation(
    address: usize,
    bytes: usize,
    writes: bool,
    caller: Line,
    operate: &mut dyn FnMut(),
) {
    if let Some(caller) = line_of(caller)
        && let Some(image) = Image::try_current()
        && let Some(checking) = image.checking()
        && let Some(place) = image.locate(address)
    {
        let mut operate = || checking.operate(&range_at(place, bytes), writes, caller, operate);
        match image.scheduled() {
            // SAFETY: `locate` found the coatomic in the job's region, which is mapped until the images are over.
            Some(scheduled) => unsafe {
                scheduled.operate(address, bytes, Some(caller), &mut operate);
            },
            None => operate(),
        }
    } else {
        operate();
    }
}

/// Local. Calls `body`, whose accesses may race.
#[inline]
pub fn racy<R>(body: impl FnOnce() -> R) -> R {
    struct Racing;

    impl Drop for Racing {
        #[inline]
        fn drop(&mut self) {
            change_racy(-1);
        }
    }

    change_racy(1);
    let _racing = Racing;
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
