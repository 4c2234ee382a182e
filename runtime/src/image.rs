//! One image: its number, its heap, its fabric, and the state of every subsystem.
//!
//! The subsystems' own modules (`messages`, `waiting`, `collective`, `lock`) work on these fields; the files of this
//! folder define their types, so that no file here imports a subsystem.

pub(crate) mod asked;
pub(crate) mod checked;
pub(crate) mod checking;
pub(crate) mod contribution;
pub(crate) mod counting;
pub(crate) mod cross_memory;
pub(crate) mod current;
pub(crate) mod deferred_free;
pub(crate) mod descriptor;
pub(crate) mod descriptors;
pub(crate) mod eager;
mod exploring;
pub(crate) mod held;
pub(crate) mod message;
pub(crate) mod network;
pub(crate) mod node_map;
pub(crate) mod notices;
pub(crate) mod outstanding;
pub(crate) mod peer_timeout;
pub(crate) mod position;
pub(crate) mod pushed_steps;
pub(crate) mod reactor;
pub(crate) mod recording;
pub(crate) mod region;
pub(crate) mod relay;
pub(crate) mod remote_log;
pub(crate) mod scheduled;
pub(crate) mod team;

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::panic::Location;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::thread;

use crate::call::Call;
use crate::call::record::LastCall;
use crate::call::tuning::{Rules, Tuning};
use crate::heap::Heap;
use crate::image::checking::Checking;
use crate::image::counting::Counting;
use crate::image::cross_memory::CrossMemory;
use crate::image::deferred_free::DeferredFree;
use crate::image::held::Held;
use crate::image::network::Network;
use crate::image::notices::Notice;
use crate::image::reactor::Reactor;
use crate::image::scheduled::Scheduled;
use crate::image::team::Team;
use crate::job::Job;
use crate::job::backoff::Backoff;
use crate::job::control::{ImageControl, Stage};
use crate::job::settings::FabricKind;
use crate::job::unwinding;
use crate::profile::recorder::Recorder;
use coarray_fabric::memory::region::SCRATCH_BYTES;
use coarray_fabric::note_issue;
use coarray_fabric::transport::fabric::Fabric;

/// Handles a message that image `from` sent.
pub(crate) type Dispatch = unsafe fn(&Image, from: usize, message: &[u8]);

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
    /// The same for what the program does, which may be counted.
    for_program: Rc<dyn Fabric>,
    /// Signals that follow puts, and were not given yet.
    pub(crate) notices: RefCell<Vec<Notice>>,
    pub(crate) dispatch: Dispatch,
    /// Traffic with other nodes; none if all images share memory.
    pub(crate) network: Option<Network>,
    pub(crate) tuning: &'static Tuning,
    pub(crate) rules: OnceCell<Rc<Rules>>,
    /// The locks that the image holds.
    pub(crate) held: RefCell<Vec<Held>>,
    /// Whether its node with a deadline may be in the queue of a lock that it waits for no more.
    pub(crate) has_left_queue: Cell<bool>,
    /// Blocks of dropped teams that other images still read; none once the image is over.
    pub(crate) deferred_frees: RefCell<Option<Vec<DeferredFree>>>,
    /// Bytes of payloads that the image has posted and not reclaimed.
    pub(crate) unreclaimed_bytes: Cell<usize>,
    /// The teams with such payloads.
    pub(crate) teams_to_reclaim: RefCell<Vec<Weak<Team>>>,
    /// Watches for the contributions that tasks await. Unset before the first await; none if no thread could be started
    /// or if images are on several nodes.
    pub(crate) reactor: OnceCell<Option<Reactor>>,
    /// How often the image has called `sync_images` with each image. The eventcounts in shared memory have the same
    /// counts, but the other image polls their cache lines.
    pub(crate) pairs: Box<[Cell<u64>]>,
    /// Other images' processes; none if images do not read each other's memory.
    pub(crate) cross_memory: Option<CrossMemory>,
    /// What it keeps of its profile; none if the job is not profiled.
    recorder: Option<Recorder>,
    /// Counts what it moves; none if the job does not.
    counting: Option<Counting>,
    /// Checks what it accesses; none if the job is not checked.
    checking: Option<Checking>,
    /// Its way to the scheduler; none if the system decides when it runs.
    scheduled: Option<Rc<Scheduled>>,
}

impl Image {
    /// Image `index`, which reaches other images through `fabric` and handles messages with `dispatch`.
    pub(crate) fn new(
        job: Arc<Job>,
        index: usize,
        fabric: Rc<dyn Fabric>,
        dispatch: Dispatch,
        tuning: &'static Tuning,
    ) -> io::Result<Self> {
        job.region.commit_scratch(index)?;
        if job.is_profiled {
            job.region.commit_table(index)?;
        }
        let counting = job.counts.then(|| Counting::new(&job, index));
        let (mut for_program, mut fabric) = (Rc::clone(&fabric), fabric);
        let scheduled = Scheduled::new(&job, index).map(Rc::new);
        if let Some(scheduled) = &scheduled {
            for_program = scheduled.delay_puts(&fabric, true);
            fabric = scheduled.delay_puts(&fabric, false);
        }
        if let Some(counting) = &counting {
            job.region.commit_counts(index)?;
            for_program = counting.for_program(for_program);
            fabric = counting.for_library(fabric);
        }
        let images = job.region.dimensions().images;
        let checked = job.checked.as_ref();
        let checking = checked.map(|checked| Checking::new(&job, checked, index, images));
        if let Some(checking) = &checking {
            for_program = checking.for_program(for_program);
        }
        if let Some(scheduled) = &scheduled {
            for_program = scheduled.switch(for_program);
        }
        let spans_nodes = !job.nodes.share_all();
        let cross_memory = job
            .cross_memory
            .then(|| CrossMemory::offer(job.region.control(index), images));
        Ok(Self {
            index,
            images,
            heap: RefCell::new(Heap::new(job.region.heap_bytes())),
            fabric,
            for_program,
            notices: RefCell::default(),
            dispatch,
            network: spans_nodes.then(|| Network::new(job.peer_timeout, images)),
            backoff: Backoff::new(&job),
            recorder: job.is_profiled.then(|| recording::recorder(&job, index)),
            counting,
            checking,
            scheduled,
            job,
            last_call: LastCall::default(),
            tuning,
            rules: OnceCell::new(),
            held: RefCell::default(),
            has_left_queue: Cell::new(false),
            deferred_frees: RefCell::new(Some(Vec::new())),
            unreclaimed_bytes: Cell::new(0),
            teams_to_reclaim: RefCell::default(),
            reactor: OnceCell::new(),
            pairs: (0..images).map(|_| Cell::new(0)).collect(),
            cross_memory,
        })
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

    /// Whether that image has failed, or has stopped in a job that keeps going: the others go on without it.
    #[must_use]
    pub fn is_out(&self, image: usize) -> bool {
        let job = self.job.region.job();
        job.has_failures()
            && matches!(
                self.control(image).stage(),
                Stage::Failed | Stage::Stopped | Stage::Finished
            )
    }

    /// Whether memory of `image` is reached by load and store.
    #[inline]
    #[must_use]
    pub fn is_direct(&self, image: usize) -> bool {
        self.job.direct && self.job.nodes.share(self.index, image)
    }

    /// The number of the node that `image` is on: images of one node share memory.
    #[must_use]
    pub fn node(&self, image: usize) -> usize {
        self.job.nodes.of(image)
    }

    /// The fabric: operations on memory that is not reached by load and store.
    #[must_use]
    pub fn fabric(&self) -> &(dyn Fabric + 'static) {
        &*self.fabric
    }

    /// The fabric, for an operation of the program at `caller` that goes on while the image computes.
    #[must_use]
    pub fn fabric_for(&self, caller: &'static Location<'static>) -> &(dyn Fabric + 'static) {
        note_issue(caller);
        self.fabric_for_program()
    }

    /// The fabric, for more of the operation for which [`fabric_for`](Self::fabric_for) was called last, and for what
    /// [`reach`](coarray_fabric::reach) begins.
    #[must_use]
    pub fn fabric_for_program(&self) -> &(dyn Fabric + 'static) {
        &*self.for_program
    }

    /// What counts its operations, if the job counts.
    pub(crate) fn counting(&self) -> Option<&Counting> {
        self.counting.as_ref()
    }

    /// Its way to the scheduler, if its job has one.
    pub(crate) fn scheduled(&self) -> Option<&Scheduled> {
        self.scheduled.as_deref()
    }

    /// Whether it counts what it moves.
    #[inline]
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.counting.is_some()
    }

    /// What checks its accesses, if the job is checked.
    #[inline]
    pub(crate) fn checking(&self) -> Option<&Checking> {
        self.checking.as_ref()
    }

    /// Whether something sees which line each of its operations is for.
    #[inline]
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.is_counted() || self.checking.is_some()
    }

    /// Counts what came from an image in the collective operation that this one is in, if the job counts.
    pub fn count_collective(&self, image: usize, bytes: usize) {
        if let Some(counting) = &self.counting {
            counting.count_collective(image, bytes);
        }
    }

    /// Whether that image has failed together with all its threads, so that nothing of it can access memory any more.
    ///
    /// Where images are threads, threads that a failed image started may go on, with references to what its neighbours
    /// published or share.
    #[must_use]
    pub fn is_gone(&self, image: usize) -> bool {
        self.job.fabric == FabricKind::Processes && self.has_failed(image)
    }

    /// Whether the job has ended; if so, the image unwinds at its next wait.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.job.has_ended()
    }

    /// Unwinds this image if the job has ended. To be called regularly in loops that wait for other images.
    pub fn check_abort(&self) {
        if self.job.has_ended() {
            self.unwind();
        }
    }

    /// Ends this image because the job has ended: unwinds, or exits at once where unwinding is impossible.
    #[cold]
    pub(crate) fn unwind(&self) -> ! {
        unwinding::unwind(&self.job, self.index)
    }

    /// Where this image maps the first byte of the heap of `image`.
    ///
    /// The pointer is valid for the whole heap, its provenance is exposed, and the mapping lives as long as `self`. Only the
    /// bytes of allocated blocks may be accessed.
    #[must_use]
    pub fn heap(&self, image: usize) -> *mut u8 {
        self.job.region.heap(image)
    }

    /// The offset in the part of `image` of `address`, at which this image maps memory of that part.
    #[inline]
    #[must_use]
    pub fn offset_of(&self, image: usize, address: usize) -> usize {
        address - self.job.region.part_address(image, 0).addr()
    }

    /// Distance in bytes between the heaps of consecutive images.
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

    /// Records for reports which collective operation the image calls.
    #[cold]
    pub(crate) fn record_call(&self, call: &Call) {
        let control = self.control(self.index);
        if thread::panicking() {
            // A destructor makes the call. If the other images are elsewhere, the panic is the reason.
            control.note_panic(unwinding::last_panic().as_deref());
        } else if control.panic().is_some() {
            control.note_panic(None);
        }
        control.calls.write(call, &self.last_call);
        if control.panic().is_some() {
            // The next call must be recorded as well, and clear the panic.
            self.last_call.forget();
        }
    }

    /// How often to yield the core before sleeping, after spinning has failed.
    pub(crate) fn yields(&self) -> u32 {
        self.backoff.yields(&self.job.region.job().contention)
    }

    /// Yields the core to other images. Returns whether to yield again.
    pub(crate) fn yield_core(&self) -> bool {
        self.backoff.yield_core(&self.job)
    }

    /// Whether the image has ended, and will not access memory of other images again.
    pub(crate) fn is_over(&self) -> bool {
        self.deferred_frees.borrow().is_none()
    }

    /// The reactor, if it has been started.
    pub(crate) fn started_reactor(&self) -> Option<&Reactor> {
        self.reactor.get()?.as_ref()
    }
}

const _: () = assert!(SCRATCH_BYTES.is_multiple_of(64));
