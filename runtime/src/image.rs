//! One image: its number, its current team, and its heap.

pub(crate) mod contribution;
pub(crate) mod deferred_free;
pub(crate) mod descriptor;
pub(crate) mod descriptors;
pub(crate) mod eager;
pub(crate) mod lock_answer;
pub(crate) mod message;
pub(crate) mod network;
pub(crate) mod node_map;
pub(crate) mod outstanding;
pub(crate) mod peer_timeout;
pub(crate) mod position;
pub(crate) mod reactor;
pub(crate) mod remote_log;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod unacknowledged;

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::panic::Location;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::thread;

use crate::call::tuning::{Rules, Tuning};
use crate::call::{Call, LastCall};
use crate::heap::Heap;
use crate::image::deferred_free::DeferredFree;
use crate::image::network::Network;
use crate::image::position::set_position;
use crate::image::reactor::Reactor;
use crate::image::team::Team;
use crate::job::Job;
use crate::job::backoff::Backoff;
use crate::job::control::{ImageControl, Stage};
use crate::job::settings::FabricKind;
use crate::job::unwinding;
use coarray_fabric::memory::region::SCRATCH_BYTES;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::handle::no_image;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Team>>> = const { RefCell::new(None) };
}

/// Makes `team` the current one; returns the one before.
pub(crate) fn set_current(team: Rc<Team>) -> Option<Rc<Team>> {
    let (index, images) = (team.index(), team.images());
    // First what may panic, where a waker changes the team in the middle of an operation.
    let before = CURRENT.replace(Some(team));
    set_position(index, images);
    before
}

/// Makes no team the current one; returns the one before.
pub(crate) fn take_current() -> Option<Rc<Team>> {
    CURRENT.take()
}

/// Makes this thread no image; for a copy of an image, which can drop nothing of it.
pub(crate) fn forget() {
    set_position(0, 0);
    let _ = CURRENT.try_with(|current| {
        if let Ok(mut current) = current.try_borrow_mut() {
            std::mem::forget(current.take());
        }
    });
}

impl Team {
    /// The current team of the image this thread is.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn current() -> Rc<Self> {
        match CURRENT.with_borrow(Clone::clone) {
            Some(team) => team,
            None => no_image(),
        }
    }
}

/// Carries out a message that has come from the image with that number.
pub(crate) type Dispatch = fn(&Image, from: usize, message: &[u8]);

/// The state of one image. It belongs to the image's thread.
#[derive(Debug)]
pub struct Image {
    pub(crate) index: usize,
    pub(crate) images: usize,
    pub(crate) job: Arc<Job>,
    pub(crate) last_call: LastCall,
    pub(crate) backoff: Backoff,
    pub(crate) heap: RefCell<Heap>,
    fabric: Rc<dyn Fabric>,
    pub(crate) dispatch: Dispatch,
    /// What passes between images that share no memory; none if all do.
    pub(crate) network: Option<Network>,
    pub(crate) tuning: &'static Tuning,
    pub(crate) rules: OnceCell<Rc<Rules>>,
    /// The locks that it holds: their addresses, and where it took them.
    pub(crate) held: RefCell<Vec<(usize, &'static Location<'static>)>>,
    /// What dropped teams have left behind; none once the image is over.
    pub(crate) deferred_frees: RefCell<Option<Vec<DeferredFree>>>,
    /// Bytes of payloads that it has posted and not taken back.
    pub(crate) unreclaimed: Cell<usize>,
    /// The teams that have some of them.
    pub(crate) unreclaimed_teams: RefCell<Vec<Weak<Team>>>,
    /// What looks for contributions that tasks await; none before the first of them, or if there can be none.
    pub(crate) reactor: OnceCell<Option<Reactor>>,
    /// How often it has called `sync_images` with each image. The eventcount says so as well, but on a line that the other
    /// image looks at all the time.
    pub(crate) pairs: Box<[Cell<u64>]>,
}

impl Image {
    /// Image `index`, which reaches the memory of others by this fabric.
    pub(crate) fn new(
        job: Arc<Job>,
        index: usize,
        fabric: Rc<dyn Fabric>,
        dispatch: Dispatch,
        tuning: &'static Tuning,
    ) -> io::Result<Self> {
        job.region.commit_scratch(index)?;
        let images = job.region.dimensions().images;
        let spans_nodes = !job.nodes.share_all();
        Ok(Self {
            index,
            images,
            heap: RefCell::new(Heap::new(job.region.heap_bytes())),
            fabric,
            dispatch,
            network: spans_nodes.then(|| Network::new(job.peer_timeout, images)),
            backoff: Backoff::new(&job),
            job,
            last_call: LastCall::default(),
            tuning,
            rules: OnceCell::new(),
            held: RefCell::default(),
            deferred_frees: RefCell::new(Some(Vec::new())),
            unreclaimed: Cell::new(0),
            unreclaimed_teams: RefCell::default(),
            reactor: OnceCell::new(),
            pairs: (0..images).map(|_| Cell::new(0)).collect(),
        })
    }

    /// The image this thread is.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[must_use]
    #[track_caller]
    pub fn current() -> Rc<Self> {
        Rc::clone(Team::current().image())
    }

    /// Calls `operate` with the image that this thread is, for who has no time to take part in owning it.
    ///
    /// `operate` must not make another team the current one.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[inline]
    #[track_caller]
    pub fn with_current<R>(operate: impl FnOnce(&Self) -> R) -> R {
        CURRENT.with_borrow(|team| match team {
            Some(team) => operate(team.image()),
            None => no_image(),
        })
    }

    /// The image this thread is, if it is one.
    #[must_use]
    pub fn try_current() -> Option<Rc<Self>> {
        CURRENT
            .try_with(|current| {
                current
                    .borrow()
                    .as_ref()
                    .map(|team| Rc::clone(team.image()))
            })
            .ok()
            .flatten()
    }

    /// This image's number.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of images of the job.
    #[inline]
    #[must_use]
    pub fn images(&self) -> usize {
        self.images
    }

    /// Whether that image has failed.
    #[inline]
    #[must_use]
    pub fn has_failed(&self, image: usize) -> bool {
        self.job.region.job().has_failures() && self.control(image).stage() == Stage::Failed
    }

    /// Whether places of `image` are reached by load and store.
    #[inline]
    #[must_use]
    pub fn is_direct(&self, image: usize) -> bool {
        self.job.direct && self.job.nodes.share(self.index, image)
    }

    /// Where the program called the collective operation that the image is in the middle of, carrying out a function of
    /// the program.
    pub(crate) fn interrupted_call(&self) -> Option<&'static Location<'static>> {
        let team = CURRENT.try_with(|current| current.try_borrow().ok()?.clone());
        let is_in_epoch = team.ok()??.is_in_epoch();
        self.last_call.caller().filter(|_| is_in_epoch)
    }

    /// The number of the node that `image` is on: images of one node share memory.
    #[must_use]
    pub fn node(&self, image: usize) -> usize {
        self.job.nodes.of(image)
    }

    /// The operations for places that are not reached by load and store.
    #[must_use]
    pub fn fabric(&self) -> &(dyn Fabric + 'static) {
        &*self.fabric
    }

    /// Whether that image has failed with all threads that it had, so that nothing of it can reach any memory.
    ///
    /// Where images are threads, those that a failed one has started may go on, with references to what its
    /// neighbours published or share.
    #[must_use]
    pub fn is_gone(&self, image: usize) -> bool {
        self.job.fabric == FabricKind::Processes && self.has_failed(image)
    }

    /// Whether the job has ended, for which the image unwinds when it next waits.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.job.has_ended()
    }

    /// To be called now and then by who waits for other images. If the job has ended, the image unwinds.
    pub fn check_abort(&self) {
        if self.job.has_ended() {
            self.unwind();
        }
    }

    /// Ends this image with the job: it unwinds, or is over at once where that is impossible.
    #[cold]
    pub(crate) fn unwind(&self) -> ! {
        unwinding::unwind(&self.job, self.index)
    }

    /// Where this image sees the first byte of the heap of `image`.
    ///
    /// The pointer is valid for the whole heap, its provenance is exposed, and the mapping lives as
    /// long as `self`. Only the bytes of allocated blocks may be touched.
    #[must_use]
    pub fn heap(&self, image: usize) -> *mut u8 {
        self.job.region.heap(image)
    }

    /// Where in the part of `image` this address is, at which this image sees a place of that one.
    #[inline]
    #[must_use]
    pub fn offset_of(&self, image: usize, address: usize) -> usize {
        address - self.job.region.part_address(image, 0).addr()
    }

    /// Bytes from one image's heap to the next one's.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.job.region.dimensions().stride
    }

    /// Bytes in each image's heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.job.region.heap_bytes()
    }

    pub(crate) fn control(&self, image: usize) -> &ImageControl {
        self.job.region.control(image)
    }

    /// Lets others know in words which collective operation the image is in.
    #[cold]
    pub(crate) fn tell(&self, call: &Call) {
        let control = self.control(self.index);
        if thread::panicking() {
            // A destructor calls. If the others are on other nodes, the panic is why.
            control.note_panic(unwinding::last_panic().as_deref());
        } else if control.panic().is_some() {
            control.note_panic(None);
        }
        control.call.write(call, &self.last_call);
        if control.panic().is_some() {
            // The next call is to come here, too.
            self.last_call.forget();
        }
    }

    /// Has spun in vain. Returns how often to offer the core before sleeping.
    pub(crate) fn yields(&self) -> u32 {
        self.backoff.yields(&self.job.region.job().contention)
    }

    /// Offers the core to other images. Returns whether to do so again.
    pub(crate) fn yield_core(&self) -> bool {
        self.backoff.yield_core(&self.job.region.job().contention)
    }

    /// Whether the image has come to its end, and uses no memory of others again.
    pub(crate) fn is_over(&self) -> bool {
        self.deferred_frees.borrow().is_none()
    }

    /// The reactor, if it was ever needed.
    pub(crate) fn started_reactor(&self) -> Option<&Reactor> {
        self.reactor.get()?.as_ref()
    }

    /// Whether that image has come to the end of the program, after all that it posted or sent.
    pub(crate) fn has_stopped(&self, image: usize) -> bool {
        match &self.network {
            // What it sent to this image may still be under way when another image of this node has heard of its end.
            Some(network) if !self.job.nodes.share(self.index, image) => {
                network.stopped.borrow().contains(&image)
            }
            _ => matches!(
                self.control(image).stage(),
                Stage::Stopped | Stage::Finished
            ),
        }
    }
}

const _: () = assert!(SCRATCH_BYTES.is_multiple_of(64));
