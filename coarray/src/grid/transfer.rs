//! Cells between this image's memory and the parts of others, in operations that all images are in.

use coarray_coref::Remote;
use coarray_fabric::reach;
use coarray_runtime::{Call, Team, quiet_and_defer};

use super::halo_array::HaloArray;
use super::strided::StridedCopy;

/// Bytes that are rather fetched in vain than left out, where each call of a fabric takes its time.
const GAP_BYTES: usize = 4 << 10;

/// Most bytes that are fetched at once for the sake of several runs.
const PIECE_BYTES: usize = 256 << 10;

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Collective. Runs `body` when all images have entered, and before any leaves: as the array is borrowed by all of
    /// them, and in a phase, nothing but `body` changes it. `body` can read the word that each image brings, by `Team::words`.
    #[track_caller]
    pub(super) fn while_all_are_here<R>(
        &self,
        call: &Call,
        word: u64,
        body: impl FnOnce() -> R,
    ) -> R {
        // What others write to halos comes before.
        self.settle();
        let team = self.team();
        let deferral = quiet_and_defer();
        // An image that unwinds in between, because the job has ended, leaves others in `body`.
        self.storage.set_in_phase(true);
        // SAFETY: whoever calls this borrows the array until it returns; should it not return, the array is marked. No
        // exchange is under way.
        if let Err(failed) = unsafe { team.try_barrier_with(&deferral, call, [word, 0, 0]) } {
            team.fail_because(&failed, &call.describe(team));
        }
        let result = body();
        // SAFETY: as above; `body` is over.
        unsafe { team.barrier(&call.at_step(1)) };
        self.storage.set_in_phase(false);
        result
    }

    /// The images that the array belongs to.
    pub(super) fn team(&self) -> &Team {
        self.storage.team()
    }

    /// # Panics
    /// On all images if they agree on a root that does not exist.
    #[track_caller]
    pub(super) fn check_root(&self, call: &Call, root: usize) {
        let images = self.team().images();
        if root >= images {
            // A root that exists on other images is rather a disagreement.
            // SAFETY: the meeting promises nothing to anyone.
            unsafe { self.team().barrier(call) };
            panic!("image {root} is to have the whole array, but there are {images} images");
        }
    }

    /// The number of an image, and where its part is in this image's mapping, if it is mapped.
    fn place_of(&self, image: usize) -> (usize, *mut T) {
        let number = self.team().members()[image] as usize;
        let heap = self.storage.image().heap(number);
        (number, heap.wrapping_add(self.storage.offset()).cast())
    }

    /// One-sided. Copies cells of an image's part to `target`.
    ///
    /// # Safety
    /// Nobody writes to the image's part meanwhile. `copy` is from its layout to that of the memory at `target`, which is
    /// valid for writes of all cells of the copy, and not part of the image's.
    pub(super) unsafe fn get_cells(&self, image: usize, copy: &StridedCopy, target: *mut T) {
        let (number, part) = self.place_of(image);
        if self.storage.image().is_direct(number) {
            // SAFETY: the part is mapped and has valid cells. The caller vouches for the rest.
            return unsafe { copy.copy(part, target) };
        }
        let mut pieces = Pieces {
            runs: Vec::new(),
            get: |first: usize, length: usize, to: *mut T| {
                let address = part.wrapping_add(first).addr();
                reach(number, address, |fabric, offset| {
                    // SAFETY: so many cells of the part follow there. `to` has room for them, as whoever adds a run, and
                    // the buffer of several, see to.
                    unsafe { fabric.get(number, offset, to.cast(), length * size_of::<T>()) }
                });
            },
            target,
        };
        // SAFETY: the caller vouches for the target.
        copy.each_run(|from, to, length| unsafe { pieces.add([from, to, length]) });
        // SAFETY: as above.
        unsafe { pieces.fetch() };
    }

    /// One-sided. Copies cells at `source` to an image's part. They are there when all images have met again.
    ///
    /// # Safety
    /// Nobody else reads or writes these cells of the part meanwhile. `copy` is from the layout of the memory at `source`,
    /// which has all cells of the copy, to that of the part, of which it is not a part.
    pub(super) unsafe fn put_cells(&self, image: usize, copy: &StridedCopy, source: *const T) {
        let (number, part) = self.place_of(image);
        if self.storage.image().is_direct(number) {
            // SAFETY: the part is mapped, and the caller vouches for the rest.
            return unsafe { copy.copy(source, part) };
        }
        copy.each_run(|from, to, length| {
            let address = part.wrapping_add(to).addr();
            reach(number, address, |fabric, offset| {
                // SAFETY: so many cells follow in both places, as the caller vouches.
                unsafe {
                    let source = source.add(from).cast();
                    fabric.put(number, offset, source, length * size_of::<T>());
                }
            });
        });
    }
}

/// Runs that lie near each other, and are fetched together with what lies between them.
struct Pieces<T, Get> {
    /// First cell in the part, first cell at the target, length; the first rises.
    runs: Vec<[usize; 3]>,
    /// Fetches cells of the part: the first, how many, and where to.
    get: Get,
    target: *mut T,
}

impl<T: Remote, Get: Fn(usize, usize, *mut T)> Pieces<T, Get> {
    /// # Safety
    /// The target is valid for writes of the run.
    unsafe fn add(&mut self, run: [usize; 3]) {
        if let (Some([first, ..]), Some([last, _, length])) = (self.runs.first(), self.runs.last())
        {
            let gap = (run[0] - (last + length)) * size_of::<T>();
            let bytes = (run[0] + run[2] - first) * size_of::<T>();
            if gap > GAP_BYTES || bytes > PIECE_BYTES {
                // SAFETY: the caller vouched for each run.
                unsafe { self.fetch() };
            }
        }
        self.runs.push(run);
    }

    /// Fetches the runs that were added since the last time.
    ///
    /// # Safety
    /// The target is valid for writes of the runs.
    unsafe fn fetch(&mut self) {
        match *self.runs {
            [] => {}
            [[from, to, length]] => {
                // SAFETY: the caller vouches for it.
                (self.get)(from, length, unsafe { self.target.add(to) });
            }
            [[first, ..], .., [last, _, length]] => {
                let cells = last + length - first;
                let mut piece = Vec::<T>::with_capacity(cells);
                (self.get)(first, cells, piece.as_mut_ptr());
                for [from, to, length] in &self.runs {
                    // SAFETY: the run has arrived in the vector, which is no part of the target, for which the caller
                    // vouches. What lies between runs is not looked at.
                    unsafe {
                        let source = piece.as_ptr().add(from - first);
                        source.copy_to_nonoverlapping(self.target.add(*to), *length);
                    }
                }
            }
        }
        self.runs.clear();
    }
}
