//! The cluster of OpenSHMEM: the images of a job, which of them share memory, and a symmetric block for each part.

use std::cell::RefCell;
use std::ffi::{c_int, c_long};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use shmem_sys::{
    SHMEM_COLLECT_SYNC_SIZE, SHMEM_SYNC_VALUE, SHMEM_THREAD_SERIALIZED, shmem_barrier_all,
    shmem_fcollect64, shmem_finalize, shmem_global_exit, shmem_init_thread, shmem_my_pe,
    shmem_n_pes,
};

use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::system::display_size::Bytes;
use crate::system::drain_stdio::await_readers;
use crate::system::process_manager::pmix::end_fabric;
use crate::transport::cluster::Cluster;
use crate::transport::fabric::Fabric;
use crate::transport::shmem::channel::Channel;
use crate::transport::shmem::exit;
use crate::transport::shmem::grouping::{self, Reach};
use crate::transport::shmem::one_sided::OneSided;
use crate::transport::shmem::symmetric::Block;

/// The element size of the library's gather.
const ELEMENT: usize = size_of::<u64>();

/// The library, initialised for this job.
#[derive(Debug)]
pub(super) struct Started {
    image: usize,
    images: usize,
    node: usize,
    /// The most contexts of an image.
    contexts: usize,
    /// The synchronisation array (`pSync`) of the library's collectives.
    synchronisation: Block,
    /// The fabric, from `attach` to `detach`.
    attached: RefCell<Option<Rc<OneSided>>>,
}

impl Started {
    /// Collective. Initialises the library, and then calls `initialized` with the number of this image.
    pub(super) fn new(contexts: usize, initialized: impl FnOnce(usize)) -> Result<Self, String> {
        let mut provided: c_int = 0;
        // All calls come from this thread. A higher level of thread support makes each call a third slower; a lower one would forbid programs to
        // call OpenSHMEM from another thread while this one does not.
        let result = exit::keep_mortal(|| {
            // SAFETY: the first call of the library; the place is valid for writes.
            unsafe { shmem_init_thread(SHMEM_THREAD_SERIALIZED, &mut provided) }
        });
        if result != 0 {
            return Err(format!(
                "the OpenSHMEM library does not start (it says {result}): start the program by its launcher, shmemrun or oshrun"
            ));
        }
        exit::watch();
        // SAFETY: the library is initialised.
        let (image, images) = unsafe { (shmem_my_pe() as usize, shmem_n_pes() as usize) };
        initialized(image);
        let length = SHMEM_COLLECT_SYNC_SIZE * size_of::<c_long>();
        let synchronisation = Block::allocate(align_of::<c_long>().max(ELEMENT), length, 0).ok_or(
            "the symmetric heap of OpenSHMEM has no room at all: see SHMEM_SYMMETRIC_SIZE",
        )?;
        for element in 0..SHMEM_COLLECT_SYNC_SIZE {
            // SAFETY: the block has `SHMEM_COLLECT_SYNC_SIZE` elements, and is aligned for them.
            unsafe {
                synchronisation
                    .start()
                    .cast::<c_long>()
                    .add(element)
                    .write(SHMEM_SYNC_VALUE)
            };
        }
        let mut started = Self {
            image,
            images,
            node: image,
            contexts,
            synchronisation,
            attached: RefCell::default(),
        };
        started.barrier();
        started.node = started.find_node();
        Ok(started)
    }

    fn barrier(&self) {
        // SAFETY: the library is initialised; all images call this in the same order.
        unsafe { shmem_barrier_all() }
    }

    /// Collective. The lowest of the images that reach each other's memory, this one among them.
    fn find_node(&self) -> usize {
        let hosts = self.gather(&host().to_ne_bytes());
        let (hosts, _) = hosts.as_chunks::<ELEMENT>();
        let reach = Reach::new(self.images, |image| {
            image == self.image
                || hosts[image] == hosts[self.image] && !self.synchronisation.of(image).is_null()
        });
        let all = self.gather(reach.as_bytes());
        let all: Vec<_> = all
            .chunks(Reach::bytes(self.images))
            .map(Reach::from_bytes)
            .collect();
        grouping::nodes(&all)[self.image]
    }

    /// Maps the symmetric blocks of this node in the place of the parts.
    fn overlay(&self, parts: Block, region: &mut Region, nodes: &Nodes) -> Result<(), String> {
        for image in (0..self.images).filter(|&image| nodes.share(self.image, image)) {
            let memory = if image == self.image {
                parts.start()
            } else {
                parts.of(image)
            };
            if memory.is_null() {
                return Err(format!(
                    "OpenSHMEM reaches image {image} no longer, which is on the same machine; set COARRAY_SHARED_MEMORY=0"
                ));
            }
            // SAFETY: the block is page-aligned and as long as a part; its control structures are zero, and the part has not been used. The block is
            // freed in `detach`, after the last use of the region.
            unsafe { region.overlay(image, memory) }.map_err(|error| {
                format!("the symmetric heap of image {image} cannot be mapped a second time ({error}): its memory must be shared between \
                     processes, which Open MPI sees to if OMPI_MCA_sshmem=sysv is set for the whole job")
            })?;
        }
        Ok(())
    }
}

impl Cluster for Started {
    fn image(&self) -> usize {
        self.image
    }

    fn images(&self) -> usize {
        self.images
    }

    fn node(&self) -> usize {
        self.node
    }

    fn gather(&self, mine: &[u8]) -> Vec<u8> {
        let elements = mine.len().div_ceil(ELEMENT);
        let each = elements * ELEMENT;
        let block = Block::allocate(ELEMENT, each * (self.images + 1), each)
            .expect("the symmetric heap has room beside the parts");
        let (all, source) = (block.start(), block.at(each * self.images));
        // SAFETY: all places lie in the block, which has room for the elements of all images and one more. The first barrier makes sure that all
        // images have allocated it, the second that the synchronisation array may be used again.
        unsafe {
            source
                .cast::<u8>()
                .copy_from_nonoverlapping(mine.as_ptr(), mine.len());
            let synchronisation = self.synchronisation.start().cast();
            self.barrier();
            shmem_fcollect64(
                all.cast(),
                source,
                elements,
                0,
                0,
                self.images as c_int,
                synchronisation,
            );
            self.barrier();
        }
        // SAFETY: the collective has initialised these bytes of the block, which nothing changes before `free` below.
        let bytes = unsafe { std::slice::from_raw_parts(all, each * self.images) };
        let gathered = bytes
            .chunks(each.max(1))
            .flat_map(|bytes| &bytes[..mine.len()])
            .copied()
            .collect();
        block.free();
        gathered
    }

    fn attach(&self, region: &mut Region, nodes: &Nodes) -> Result<Rc<dyn Fabric>, String> {
        let length = region.dimensions().stride;
        let page = rustix::param::page_size();
        let parts = Block::allocate(page, length, region.heap_offset()).ok_or_else(|| {
            format!(
                "OpenSHMEM has no room for {} in its symmetric heap: set COARRAY_HEAP to less",
                Bytes(length)
            )
        })?;
        let channel = Channel::new(self.image, self.images).ok_or(
            "OpenSHMEM has no room for messages in its symmetric heap: set COARRAY_HEAP to less",
        )?;
        let overlaid = self.overlay(parts, region, nodes);
        // Also after an error: images that succeeded wait here.
        self.barrier();
        overlaid?;
        let fabric = Rc::new(OneSided::new(parts, channel, self.images, self.contexts));
        *self.attached.borrow_mut() = Some(Rc::clone(&fabric));
        Ok(fabric)
    }

    fn detach(&self) {
        self.barrier();
        if let Some(fabric) = self.attached.take() {
            fabric.end();
        }
    }

    fn finish(&self) {
        self.synchronisation.free();
        exit::forget();
        // SAFETY: the library is initialised, and this is its last call.
        end_fabric(|| unsafe { shmem_finalize() });
    }

    fn abort(&self, code: u8) -> ! {
        await_readers();
        // SAFETY: the library is initialised.
        unsafe { shmem_global_exit(c_int::from(code)) }
    }
}

/// A number that tells the running system of this process from all others.
fn host() -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in ["hostname", "random/boot_id"] {
        // If it cannot be read, the other file tells systems apart; whether memory is shared is tested anyway.
        let text = fs::read_to_string(format!("/proc/sys/kernel/{file}"));
        text.unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
