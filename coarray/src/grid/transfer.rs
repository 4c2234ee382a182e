//! Gets and puts of cells of other images' parts, in operations that all images have entered.

use coarray_coref::{Remote, bytes_are_valid};
use coarray_fabric::{attribute_to, reach};
use coarray_runtime::{Call, ImageFailed, Team, quiet_and_defer};

use super::halo_array::HaloArray;
use super::strided::StridedCopy;

/// The longest gap between two runs that is fetched with them: one get of more bytes is cheaper than two gets.
const GAP_BYTES: usize = 4 << 10;

/// The most bytes that one get fetches for several runs.
const PIECE_BYTES: usize = 256 << 10;

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Collective. Runs `body` after all images have entered and before any leaves. All of them borrow the array, and it is in a
    /// phase, so only `body` changes it. `word` is this image's payload, which `body` can read on all images by `Team::words`.
    ///
    /// # Errors
    /// The images that failed or stopped before they entered, and then `body` is not called, or before they left; the same on all
    /// others.
    ///
    /// # Panics
    /// If an image failed while it wrote to this image's part, and left bytes that are no values.
    #[track_caller]
    pub(super) fn while_all_are_here<R>(
        &self,
        call: &Call,
        word: u64,
        body: impl FnOnce() -> R,
    ) -> Result<R, ImageFailed> {
        // Until the exchange in progress has finished, others write to halos.
        self.settle();
        let team = self.team();
        let deferral = quiet_and_defer();
        // If this image unwinds before the end, because the job has ended, others may still be in `body`.
        self.storage.set_in_phase(true);
        // SAFETY: the others rely on this image not changing its part until the next barrier. The caller borrows the array until
        // this function returns; if it unwinds, the array stays in its phase. No exchange is in progress.
        if let Err(failed) = unsafe { team.try_barrier_with(&deferral, call, [word, 0, 0, 0], 1) } {
            // The error is the same on all other images, so that none is in `body`.
            self.storage.set_in_phase(false);
            return Err(failed);
        }
        let at_call = attribute_to(call.caller());
        let result = body();
        drop(at_call);
        // SAFETY: the others rely on this image having finished with their parts: `body` has returned, and the barrier completes
        // this image's operations.
        let left = unsafe { team.try_barrier(&call.at_step(1)) };
        // Images that have failed access the array no more, but may have been in the middle of a put.
        assert!(
            left.is_ok() || self.is_valid(),
            "an image failed in {}, and left bytes on image {} that are no valid values",
            call.describe(team),
            team.index()
        );
        self.storage.set_in_phase(false);
        left.map(|()| result)
    }

    /// Whether all cells of this image's part, and of its halo, are values; nobody writes to them.
    fn is_valid(&self) -> bool {
        let (elements, count) = self.storage.run::<T::Element>();
        // SAFETY: `elements` is aligned and valid for reads of `count` initialised elements. All images have left the operation or
        // have failed, so nobody writes to them.
        unsafe { bytes_are_valid(elements, count) }
    }

    /// The result of an operation that all images are in, or the end of the job.
    pub(super) fn or_end_job<R>(&self, call: &Call, result: Result<R, ImageFailed>) -> R {
        result.unwrap_or_else(|failed| {
            let team = self.team();
            team.fail_because(&failed, &call.describe(team))
        })
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
            // If the images disagree about the root, the barrier reports that instead.
            // SAFETY: no layer relies on anything that an image did before this barrier: no image completes the call.
            unsafe { self.team().barrier(call) };
            panic!("image {root} is to have the whole array, but there are {images} images");
        }
    }

    /// The number of an image, and the address of its part here, which is mapped if the image is direct.
    fn place_of(&self, image: usize) -> (usize, *mut T) {
        let number = self.team().members()[image] as usize;
        let heap = self.storage.image().heap(number);
        (number, heap.wrapping_add(self.storage.offset()).cast())
    }

    /// One-sided. Copies cells of an image's part to `target`.
    ///
    /// # Safety
    /// Nobody writes to the image's part meanwhile. `copy` is from its layout to that of the memory at `target`, which is
    /// valid for writes of all cells of the copy, and does not overlap the part.
    pub(super) unsafe fn get_cells(&self, image: usize, copy: &StridedCopy, target: *mut T) {
        let (number, part) = self.place_of(image);
        if self.storage.image().is_direct(number) {
            // SAFETY: the part is mapped and has valid cells. The caller vouches for the layouts, that nobody writes to the part,
            // and that `target` is valid for writes and does not overlap it.
            return unsafe { copy.copy(part, target) };
        }
        let mut pieces = Pieces {
            runs: Vec::new(),
            get: |first: usize, length: usize, to: *mut T| {
                let address = part.wrapping_add(first).addr();
                reach(number, address, |fabric, offset| {
                    // SAFETY: the part has `length` cells from `first` on, to which nobody holds an exclusive reference. `to` is
                    // valid for writes of them: it is the target of one run, or the vector for several.
                    unsafe { fabric.get(number, offset, to.cast(), length * size_of::<T>()) }
                });
            },
            target,
        };
        // SAFETY: the caller vouches that `target` is valid for writes of all cells of the copy.
        copy.each_run(|from, to, length| unsafe { pieces.add([from, to, length]) });
        // SAFETY: the caller vouches that `target` is valid for writes of all cells of the copy.
        unsafe { pieces.fetch() };
    }

    /// One-sided. Copies cells at `source` to an image's part. They are there after the next barrier.
    ///
    /// # Safety
    /// Nobody else reads or writes these cells of the part meanwhile. `copy` is from the layout of the memory at `source`,
    /// which has all cells of the copy and does not overlap the part, to that of the part.
    pub(super) unsafe fn put_cells(&self, image: usize, copy: &StridedCopy, source: *const T) {
        let (number, part) = self.place_of(image);
        if self.storage.image().is_direct(number) {
            // SAFETY: the part is mapped. The caller vouches for the layouts, that nobody else accesses the target cells, and that
            // `source` has the source cells and does not overlap the part.
            return unsafe { copy.copy(source, part) };
        }
        copy.each_run(|from, to, length| {
            let address = part.wrapping_add(to).addr();
            reach(number, address, |fabric, offset| {
                // SAFETY: the caller vouches that `source` has `length` valid cells from `from` on, and the part as many from `to`
                // on, to which nobody holds a reference.
                unsafe {
                    let source = source.add(from).cast();
                    fabric.put(number, offset, source, length * size_of::<T>());
                }
            });
        });
    }
}

/// Runs that lie near each other, which are fetched in one piece together with the gaps between them.
struct Pieces<T, Get> {
    /// First cell in the part, in ascending order; first cell at the target; length.
    runs: Vec<[usize; 3]>,
    /// Fetches cells of the part: first cell, number of cells, target.
    get: Get,
    target: *mut T,
}

impl<T: Remote, Get: Fn(usize, usize, *mut T)> Pieces<T, Get> {
    /// Adds a run; may fetch those before it.
    ///
    /// # Safety
    /// The target is valid for writes of the run.
    unsafe fn add(&mut self, run: [usize; 3]) {
        if let (Some([first, ..]), Some([last, _, length])) = (self.runs.first(), self.runs.last())
        {
            let gap = (run[0] - (last + length)) * size_of::<T>();
            let bytes = (run[0] + run[2] - first) * size_of::<T>();
            if gap > GAP_BYTES || bytes > PIECE_BYTES {
                // SAFETY: the caller of each `add` vouched that the target is valid for writes of its run.
                unsafe { self.fetch() };
            }
        }
        self.runs.push(run);
    }

    /// Fetches the runs that were added since the last fetch.
    ///
    /// # Safety
    /// The target is valid for writes of the runs.
    unsafe fn fetch(&mut self) {
        match *self.runs {
            [] => {}
            [[from, to, length]] => {
                // SAFETY: the caller vouches that the target is valid for writes of the run, so the pointer stays in it.
                (self.get)(from, length, unsafe { self.target.add(to) });
            }
            [[first, ..], .., [last, _, length]] => {
                let cells = last + length - first;
                let mut piece = Vec::<T>::with_capacity(cells);
                (self.get)(first, cells, piece.as_mut_ptr());
                for [from, to, length] in &self.runs {
                    // SAFETY: the vector is valid for reads of the run, which `get` has written with all else from `first` on; the
                    // caller vouches that the target is valid for writes of it. The vector does not overlap the target.
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
