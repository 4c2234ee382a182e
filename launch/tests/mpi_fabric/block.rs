//! Bytes at the same place of every image, and calls for all images.

use std::panic::Location;
use std::rc::Rc;

use coarray_runtime::{Call, Image, Layout, Operation, Team};
use mpi_rma::mpi::environment::library_version;
use mpi_rma::mpi::traits::*;

/// How often to repeat what takes `usual` rounds elsewhere; even. MPICH yields no processor while it flushes, so where images share one
/// with each other or with other programs, each operation takes time slices of the scheduler.
pub fn rounds(usual: usize) -> usize {
    let is_mpich = library_version().unwrap().contains("MPICH");
    if is_mpich { usual / 20 * 2 } else { usual }
}

/// Bytes of every image, all zero at first.
pub struct Block {
    pub image: Rc<Image>,
    start: usize,
    length: usize,
}

impl Block {
    /// Collective.
    pub fn new(length: usize) -> Self {
        let team = Team::current();
        let call = Call::on_values::<u8>(Operation::Create, length, 0, Location::caller());
        let layout = Layout {
            size: length,
            align: 64,
            shared: true,
        };
        // SAFETY: all images ask for the same.
        let block = unsafe { team.allocate(&call, layout) }.unwrap();
        let image = Rc::clone(team.image());
        let start = block.offset();
        // SAFETY: the block is this image's; others reach it after the barrier.
        unsafe { image.heap(image.index()).add(start).write_bytes(0, length) };
        let block = Self {
            image,
            start,
            length,
        };
        all_meet();
        block
    }

    /// Where a byte of the block is in the part of an image.
    pub fn at(&self, image: usize, byte: usize) -> usize {
        assert!(byte <= self.length);
        let heap = self.image.heap(image).addr();
        self.image.offset_of(image, heap + self.start + byte)
    }

    /// Where a byte of the block is in the heap of each image.
    pub fn start(&self, byte: usize) -> usize {
        assert!(byte <= self.length);
        self.start + byte
    }

    pub fn put(&self, image: usize, byte: usize, source: &[u8]) {
        assert!(byte + source.len() <= self.length);
        let offset = self.at(image, byte);
        // SAFETY: the place is in the block, to which nobody holds references.
        unsafe {
            self.image
                .fabric()
                .put(image, offset, source.as_ptr(), source.len())
        }
    }

    pub fn get(&self, image: usize, byte: usize, length: usize) -> Vec<u8> {
        assert!(byte + length <= self.length);
        let mut target = vec![0; length];
        let offset = self.at(image, byte);
        // SAFETY: as in `put`.
        unsafe {
            self.image
                .fabric()
                .get(image, offset, target.as_mut_ptr(), length)
        }
        target
    }

    /// This image's own bytes, read one by one.
    pub fn own(&self, byte: usize, length: usize) -> Vec<u8> {
        assert!(byte + length <= self.length);
        let start = self.image.heap(self.image.index());
        let read = |at| {
            // SAFETY: the place is in the block; others may write it.
            unsafe { start.add(self.start + at).read_volatile() }
        };
        (byte..byte + length).map(read).collect()
    }
}

/// Collective. All images come here, and messages of theirs stay where they are.
pub fn all_meet() {
    coarray_launch::mpi::communicator().unwrap().barrier();
}

/// Collective. The same as a program does it.
pub fn sync() {
    let call = Call::plain(Operation::SyncAll, Location::caller());
    // SAFETY: nothing is shared.
    unsafe { Team::current().barrier(&call) }
}

/// Numbers that look like chance.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
