//! What the library offers around a job: who is there, who shares memory, and one block for each part.

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

/// Bytes of the elements that the library gathers.
const ELEMENT: usize = size_of::<u64>();

/// The library, started for this job.
#[derive(Debug)]
pub(super) struct Started {
    image: usize,
    images: usize,
    node: usize,
    /// How many contexts each image has at most.
    contexts: usize,
    /// What collectives of the library need.
    synchronisation: Block,
    /// What was attached, until it is detached.
    attached: RefCell<Option<Rc<OneSided>>>,
}

impl Started {
    /// Collective. Starts the library.
    pub(super) fn new(contexts: usize) -> Result<Self, String> {
        let mut provided: c_int = 0;
        // All calls come from this thread. More, which the library could provide, makes each of them a third slower; less would
        // be in the way of a program that makes calls from another thread while this one makes none.
        let result = exit::keep_mortal(|| {
            // SAFETY: the first call to the library.
            unsafe { shmem_init_thread(SHMEM_THREAD_SERIALIZED, &mut provided) }
        });
        if result != 0 {
            return Err(format!(
                "the OpenSHMEM library does not start (it says {result}): start the program by its launcher, shmemrun or oshrun"
            ));
        }
        exit::watch();
        // SAFETY: the library is started.
        let (image, images) = unsafe { (shmem_my_pe() as usize, shmem_n_pes() as usize) };
        let length = SHMEM_COLLECT_SYNC_SIZE * size_of::<c_long>();
        let synchronisation = Block::allocate(align_of::<c_long>().max(ELEMENT), length, 0).ok_or(
            "the symmetric heap of OpenSHMEM has no room at all: see SHMEM_SYMMETRIC_SIZE",
        )?;
        for element in 0..SHMEM_COLLECT_SYNC_SIZE {
            // SAFETY: within the block.
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
        // SAFETY: the library is started; all images call this in the same order.
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

    /// Shows the memory of the parts that this image reaches in their places.
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
            // SAFETY: a part is as long as the block, and begins at a page; its control structures are zero; the region
            // is gone, or used by nobody any more, before the block is freed.
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
        // SAFETY: the places lie in the block. One barrier lets all come with memory that is ready; the other is for the next
        // call, which uses the same synchronisation.
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
        // SAFETY: the bytes of all images, which the collective has filled.
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
        // Others may have succeeded, and wait here.
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
        // SAFETY: the last call to the library.
        end_fabric(|| unsafe { shmem_finalize() });
    }

    fn abort(&self, code: u8) -> ! {
        await_readers();
        // SAFETY: the library is started.
        unsafe { shmem_global_exit(c_int::from(code)) }
    }
}

/// A number for the running system that this process is on, which no other has.
fn host() -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in ["hostname", "random/boot_id"] {
        // Without it there is one thing less to tell systems apart by; whether memory is shared is tried anyway.
        let text = fs::read_to_string(format!("/proc/sys/kernel/{file}"));
        text.unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
