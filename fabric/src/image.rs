//! One image: its number, its part in collective operations, and its heap.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::call::{Call, LastCall};
use crate::control::{Failure, ImageControl, Stage};
use crate::fabric::Fabric;
use crate::failure;
use crate::heap::Heap;
use crate::job::Job;
use crate::launch::settings::FabricKind;
use crate::process;
use crate::region::SCRATCH_BYTES;
use crate::rendezvous::{self, Refusal};

thread_local! {
    static CURRENT: RefCell<Option<Rc<Image>>> = const { RefCell::new(None) };
    /// Number of this image and of all images; no images outside of a job.
    static POSITION: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// The number of the image that executes this, from 0 to `num_images() - 1`.
///
/// Local: no communication.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Source
/// *Coarray C++* section 2; Fortran `this_image()`, which counts from 1.
#[inline]
#[must_use]
#[track_caller]
pub fn this_image() -> usize {
    let (image, images) = POSITION.get();
    if images == 0 {
        no_image();
    }
    image
}

/// The number of images of the job.
///
/// Local: no communication.
///
/// # Panics
/// On a thread that is not an image of a running job.
///
/// # Source
/// *Coarray C++* section 2; Fortran `num_images()`.
#[inline]
#[must_use]
#[track_caller]
pub fn num_images() -> usize {
    let (_, images) = POSITION.get();
    if images == 0 {
        no_image();
    }
    images
}

#[cold]
#[track_caller]
fn no_image() -> ! {
    panic!(
        "this thread is not an image: start the program with #[coarray::main], or use coarray::run; \
         threads that an image spawns are not images"
    )
}

/// The state of one image. It belongs to the image's thread.
#[derive(Debug)]
pub struct Image {
    pub(crate) index: usize,
    pub(crate) images: usize,
    pub(crate) job: Arc<Job>,
    barriers: Cell<u32>,
    turns: Cell<usize>,
    in_turn: Cell<bool>,
    last_call: LastCall,
    pub(crate) heap: RefCell<Heap>,
}

/// Makes a thread an image for as long as it lives.
pub(crate) struct Presence(());

impl Image {
    pub(crate) fn new(job: Arc<Job>, index: usize) -> io::Result<Self> {
        job.region.commit_scratch(index)?;
        Ok(Self {
            index,
            images: job.region.dimensions().images,
            heap: RefCell::new(Heap::new(job.region.heap_bytes())),
            job,
            barriers: Cell::new(0),
            turns: Cell::new(0),
            in_turn: Cell::new(false),
            last_call: LastCall::default(),
        })
    }

    /// Makes the calling thread this image.
    pub(crate) fn enter(self: Rc<Self>) -> Presence {
        failure::adopt_thread();
        POSITION.set((self.index, self.images));
        if self.job.engine == FabricKind::Processes {
            process::become_image(&self.job, self.index);
        }
        self.control(self.index).set_stage(Stage::Running);
        CURRENT.set(Some(self));
        Presence(())
    }

    /// The image this thread is.
    ///
    /// # Panics
    /// On a thread that is not an image of a running job.
    #[must_use]
    #[track_caller]
    pub fn current() -> Rc<Self> {
        match CURRENT.with_borrow(Clone::clone) {
            Some(image) => image,
            None => no_image(),
        }
    }

    /// The image this thread is, if it is one.
    #[must_use]
    pub fn try_current() -> Option<Rc<Self>> {
        CURRENT
            .try_with(|current| current.borrow().clone())
            .ok()
            .flatten()
    }

    /// This image's number.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of images.
    #[inline]
    #[must_use]
    pub fn images(&self) -> usize {
        self.images
    }

    /// Whether places of `image` are reached by load and store.
    #[inline]
    #[must_use]
    pub fn is_direct(&self, _image: usize) -> bool {
        self.job.direct
    }

    /// The operations for places that are not reached by load and store.
    #[must_use]
    pub fn fabric(&self) -> &dyn Fabric {
        &self.job.region
    }

    /// To be called now and then by who waits for other images. If the job has ended, the image unwinds.
    pub fn check_in(&self) {
        if self.job.has_ended() {
            failure::unwind();
        }
    }

    /// Where this image sees the first byte of the heap of `image`.
    ///
    /// The pointer is valid for the whole heap, its provenance is exposed, and the mapping lives as
    /// long as `self`. Only the bytes of allocated blocks may be touched.
    #[must_use]
    pub fn heap(&self, image: usize) -> *mut u8 {
        self.job.region.heap(image)
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

    /// Where this image sees the scratch space of `image`: [`SCRATCH_BYTES`] that collectives pass data
    /// through.
    #[must_use]
    pub fn scratch(&self, image: usize) -> *mut u8 {
        self.job.region.scratch(image)
    }

    /// Begins a turn in which a collective uses the scratch space, and counts it: the same number on all
    /// images. None while another turn is in progress. If the job has ended, the image unwinds.
    ///
    /// # Safety
    /// Only for the module that passes data through the scratch space: its turns alternate.
    #[must_use]
    pub unsafe fn begin_turn(&self) -> Option<usize> {
        if self.job.has_ended() {
            // The last turn's meeting may not have taken place, so that others still read its half.
            failure::unwind();
        }
        if self.in_turn.replace(true) {
            return None;
        }
        let turn = self.turns.get();
        self.turns.set(turn.wrapping_add(1));
        Some(turn)
    }

    /// Ends the turn in progress.
    ///
    /// # Safety
    /// Only for who began it, when no reference into the scratch space is left.
    pub unsafe fn end_turn(&self) {
        self.in_turn.set(false);
    }

    /// Collective. Waits until every image is in the same call; everything an image wrote before is
    /// visible to all afterwards.
    ///
    /// If an image is in another call, the job ends with a report that names both. If the job has
    /// ended, the image unwinds.
    ///
    /// # Safety
    /// Other layers rely on what an image in this call has done, such as given up its references or
    /// written its part: the caller has done it.
    #[inline]
    pub unsafe fn meet(&self, call: &Call) {
        let region = &self.job.region;
        if self.job.has_ended() {
            failure::unwind();
        }
        self.control(self.index).call.write(call, &self.last_call);
        let number = self.barriers.get().wrapping_add(1);
        self.barriers.set(number);
        let result = rendezvous::meet(
            self.index,
            self.images,
            number,
            call.tag(),
            |image, set, round| &region.control(image).lines[set][round],
            self.job.patience,
            || self.job.has_ended(),
        );
        if let Err(refusal) = result {
            self.refused(refusal);
        }
    }

    #[cold]
    fn refused(&self, refusal: Refusal) -> ! {
        if let Refusal::Mismatch { image: other } = refusal {
            let heap = self.heap.borrow();
            let describe = |image| self.control(image).call.describe(|id| heap.describe(id));
            let (low, high) = (self.index.min(other), self.index.max(other));
            self.fail_silently(
                1,
                format!(
                    "and image {high} are in different collective operations\n  image {low}: {}\n  image {high}: {}\n\
                     every image must make the same collective calls in the same order",
                    describe(low),
                    describe(high),
                ),
                low,
            );
        }
        failure::unwind()
    }

    /// Ends the job with a report that starts with "image N". Does not return to the caller: the image
    /// unwinds.
    pub fn fail(&self, text: String) -> ! {
        self.fail_silently(1, text, self.index);
        failure::unwind()
    }

    /// Ends the job, without unwinding where an image can end by itself: as fast as possible, and not to
    /// be caught.
    pub(crate) fn stop(&self, code: u8, text: String) -> ! {
        self.fail_silently(code, text, self.index);
        match self.job.engine {
            FabricKind::Processes => std::process::exit(i32::from(code)),
            FabricKind::Threads => failure::unwind(),
        }
    }

    pub(crate) fn fail_silently(&self, code: u8, text: String, image: usize) {
        self.job.fail(&Failure { image, code, text });
    }

    pub(crate) fn control(&self, image: usize) -> &ImageControl {
        self.job.region.control(image)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        CURRENT.set(None);
        POSITION.set((0, 0));
        failure::release_thread();
    }
}

const _: () = assert!(SCRATCH_BYTES.is_multiple_of(64));
