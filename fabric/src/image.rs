//! One image: its number, its part in collective operations, and its heap.

use std::cell::{Cell, RefCell};
use std::io;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::agreement::Header;
use crate::call::{Call, LastCall};
use crate::control::{Failure, ImageControl, Stage};
use crate::exhausted::AllocError;
use crate::fabric::Fabric;
use crate::failure;
use crate::heap::{Block, Heap, MAX_ALIGN, Purpose, RaggedBlock};
use crate::job::Job;
use crate::region::SCRATCH_BYTES;
use crate::rendezvous::{self, Refusal};
use crate::settings::FabricKind;

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
    index: usize,
    images: usize,
    job: Arc<Job>,
    barriers: Cell<u32>,
    turns: Cell<usize>,
    last_call: LastCall,
    heap: RefCell<Heap>,
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
            last_call: LastCall::default(),
        })
    }

    /// Makes the calling thread this image.
    pub(crate) fn enter(self: Rc<Self>) -> Presence {
        failure::adopt_thread();
        POSITION.set((self.index, self.images));
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

    /// Counts the turns in which collectives use the scratch space; the same number on all images.
    #[must_use]
    pub fn next_turn(&self) -> usize {
        let turn = self.turns.get();
        self.turns.set(turn.wrapping_add(1));
        turn
    }

    /// Collective. Waits until every image is in the same call; everything an image wrote before is
    /// visible to all afterwards.
    ///
    /// If an image is in another call, the job ends with a report that names both. If the job has
    /// ended, the image unwinds.
    #[inline]
    pub fn meet(&self, call: &Call) {
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

    /// Collective. Takes a block of `size` bytes at the same offset of every image's heap. The bytes
    /// hold anything.
    ///
    /// # Errors
    /// If it does not fit or an image gets no memory; then on all images alike, and nothing changed.
    pub fn allocate(&self, call: &Call, size: usize, align: usize) -> Result<Block, AllocError> {
        assert!(
            align <= MAX_ALIGN,
            "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
        );
        let purpose = Purpose {
            subject: call.subject(),
            caller: call.caller(),
        };
        let mut heap = self.heap.borrow_mut();
        heap.allocations += 1;
        let allocation = heap.allocations;
        let parity = (allocation & 1) as usize;
        self.control(self.index).floor[parity].store(heap.floor() as u64, Ordering::Relaxed);
        drop(heap);
        self.meet(call);

        let mut heap = self.heap.borrow_mut();
        let limit = (0..self.images)
            .map(|image| self.control(image).floor[parity].load(Ordering::Relaxed) as usize)
            .min()
            .unwrap_or(0);
        heap.release_limbo();
        heap.collect_dropped(|block| {
            (0..self.images).all(|image| self.header(image, block).is_dropped_at(allocation))
        });
        let mut block = heap.take(size, align, limit, purpose);
        if block.is_none() && heap.has_limbo() {
            drop(heap);
            self.meet(call);
            heap = self.heap.borrow_mut();
            heap.release_limbo();
            block = heap.take(size, align, limit, purpose);
        }
        let Some(block) = block else {
            return Err(self.exhausted(&heap, size, purpose));
        };
        if let Some((offset, length)) = heap.uncommitted(&block) {
            drop(heap);
            self.commit_on_all(call, &block, size, offset, length)?;
        }
        self.header(self.index, &block).revive();
        Ok(block)
    }

    fn commit_on_all(
        &self,
        call: &Call,
        block: &Block,
        size: usize,
        offset: usize,
        length: usize,
    ) -> Result<(), AllocError> {
        let parity = (self.heap.borrow().allocations & 1) as usize;
        let result = self
            .job
            .region
            .commit_heap(self.index, offset, length, self.images);
        self.control(self.index).committed[parity]
            .store(u32::from(result.is_ok()), Ordering::Relaxed);
        self.meet(call);
        let mut heap = self.heap.borrow_mut();
        let without = (0..self.images)
            .find(|&image| self.control(image).committed[parity].load(Ordering::Relaxed) == 0);
        let Some(image) = without else {
            heap.set_committed(offset, length);
            return Ok(());
        };
        heap.untake(block);
        Err(AllocError::NoMemory {
            requested: size,
            subject: call.subject(),
            image,
            reason: result
                .err()
                .map_or_else(|| "see its report".into(), |error| error.to_string()),
            holders: heap.holders(),
        })
    }

    fn exhausted(&self, heap: &Heap, size: usize, purpose: Purpose) -> AllocError {
        AllocError::HeapExhausted {
            requested: size,
            subject: purpose.subject,
            heap: heap.bytes(),
            used: heap.used(),
            holders: heap.holders(),
        }
    }

    /// Local. Notes that this image will not touch `block` again. The memory is used again after a
    /// later [`allocate`](Self::allocate), once every image has said so.
    pub fn free(&self, block: Block) {
        let mut heap = self.heap.borrow_mut();
        self.header(self.index, &block)
            .mark_dropped(heap.allocations);
        heap.drop_block(block);
    }

    /// Local. Takes a block of `size` bytes in this image's heap alone. The bytes hold anything.
    ///
    /// # Errors
    /// If it does not fit or there is no memory.
    pub fn allocate_ragged(
        &self,
        size: usize,
        align: usize,
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Result<RaggedBlock, AllocError> {
        assert!(
            align <= MAX_ALIGN,
            "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
        );
        let purpose = Purpose { subject, caller };
        let mut heap = self.heap.borrow_mut();
        let Some(block) = heap.take_ragged(size, align, purpose) else {
            return Err(self.exhausted(&heap, size, purpose));
        };
        if let Some((offset, length)) = heap.uncommitted_ragged(&block) {
            if let Err(error) = self.job.region.commit_heap(self.index, offset, length, 1) {
                heap.free_ragged(block);
                return Err(AllocError::NoMemory {
                    requested: size,
                    subject,
                    image: self.index,
                    reason: error.to_string(),
                    holders: heap.holders(),
                });
            }
            heap.set_ragged_committed(length);
        }
        Ok(block)
    }

    /// Local. Frees a ragged block at once: no image may touch it any more.
    pub fn free_ragged(&self, block: RaggedBlock) {
        self.heap.borrow_mut().free_ragged(block);
    }

    fn header(&self, image: usize, block: &Block) -> &Header {
        // SAFETY: `Heap::take` left room for a header before the block's first byte, at a multiple of
        // the header's alignment, and the pages were committed before any image got the block. A header
        // is one atomic, for which all bytes are valid, and no reference to this memory as anything
        // else exists: blocks hand out the bytes from `offset` on, and are used again only after all
        // images stopped reading the header (agreement.rs).
        unsafe {
            &*self
                .heap(image)
                .add(block.offset - size_of::<Header>())
                .cast::<Header>()
        }
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
