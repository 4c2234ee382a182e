//! The baseline of collectives: data pass between images by loops, `memcpy` and barriers alone, in memory that all map.

use std::hint::black_box;
use std::rc::Rc;
use std::{ptr, slice};

use coarray::collectives::co_max;
use coarray::{num_images, this_image};
use memmap2::MmapRaw;

use super::barrier::Barrier;
use super::mapping::map;

/// So many numbers pass at a time, and stay in the caches of both sides: longer pieces take up to four times as long where these have no cache
/// in common.
const PIECE: usize = (128 << 10) / size_of::<f64>();

/// So many numbers lie beside a flag, and come with it.
const BESIDE_A_FLAG: usize = 7;

/// What an image does with others' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Copies them to its own memory.
    Copied,
    /// Adds them to its own numbers.
    Added,
}

/// Collective. A function that copies `out` bytes of this image to shared memory and takes `into` bytes that the others have just copied there,
/// a number of times: piece by piece, with a barrier in each. The job ends if there is no memory to share.
pub fn pass(
    barrier: &Rc<Barrier>,
    out: usize,
    into: usize,
    taken: Taken,
) -> impl FnMut(usize) + use<> {
    let (source, mut target) = (numbers(out), numbers(into));
    let mut most = source.len();
    co_max(&mut most);
    let is_beside_flag = most <= BESIDE_A_FLAG;
    let rounds = most.div_ceil(PIECE).max(1);
    let shared = Shared::new(2 * most.min(PIECE));
    let half = shared.length / 2;
    let received = target.len().div_ceil(rounds).max(1);
    let barrier = Rc::clone(barrier);
    let mut odd = false;
    move |times| {
        for _ in 0..times {
            if is_beside_flag {
                barrier.wait();
                continue;
            }
            let mut pieces = black_box(&source).chunks(PIECE);
            let mut targets = black_box(&mut target).chunks_mut(received);
            for _ in 0..rounds {
                odd = !odd;
                let start = if odd { half } else { 0 };
                if let Some(piece) = pieces.next() {
                    // SAFETY: others read this half after the barrier; they have come to that barrier after they read it last.
                    unsafe { shared.write(start, piece) };
                }
                barrier.wait();
                if let Some(target) = targets.next() {
                    // SAFETY: the others have written their halves, and write there again after the next barrier.
                    unsafe { shared.take(start, half, target, taken) };
                }
            }
        }
    }
}

/// Collective. A function that copies `into` bytes from where the others have them, `length` bytes each, between two barriers, a number of
/// times. The job ends if there is no memory to share.
pub fn read(barrier: &Rc<Barrier>, length: usize, into: usize) -> impl FnMut(usize) + use<> {
    let (source, mut target) = (numbers(length), numbers(into));
    let shared = Shared::new(source.len());
    // SAFETY: nobody reads before the first barrier.
    unsafe { shared.write(0, &source) };
    let barrier = Rc::clone(barrier);
    move |times| {
        for _ in 0..times {
            barrier.wait();
            // SAFETY: the others have written before the barrier, and never again.
            unsafe { shared.take(0, shared.length, black_box(&mut target), Taken::Copied) };
            barrier.wait();
        }
    }
}

/// So many bytes of numbers, which stay the same however often they are added.
fn numbers(bytes: usize) -> Vec<f64> {
    // Written once, so that the pages exist.
    black_box(vec![-0.0; bytes / size_of::<f64>()])
}

/// Memory of so many numbers for each image.
struct Shared {
    mapping: MmapRaw,
    length: usize,
}

impl Shared {
    fn new(length: usize) -> Self {
        // Pages of its own for each, and no mapping of nothing.
        let bytes = (length * size_of::<f64>()).next_multiple_of(4096).max(4096);
        Self {
            mapping: map(num_images() * bytes),
            length: bytes / size_of::<f64>(),
        }
    }

    fn place(&self, image: usize, start: usize, length: usize) -> *mut f64 {
        assert!(image < num_images() && start + length <= self.length);
        let numbers = self.mapping.as_mut_ptr().cast::<f64>();
        // SAFETY: so many numbers lie in the mapping there.
        unsafe { numbers.add(image * self.length + start) }
    }

    /// # Safety
    /// Nobody reads there now.
    unsafe fn write(&self, start: usize, numbers: &[f64]) {
        let place = self.place(this_image(), start, numbers.len());
        // SAFETY: the numbers lie in the mapping, and only this image writes to its own; the caller vouches for the others.
        unsafe { ptr::copy_nonoverlapping(numbers.as_ptr(), place, numbers.len()) }
    }

    /// Takes as many numbers as `target` has, from `start` on of the images after this one in turn, at most `most` of each.
    ///
    /// # Safety
    /// Nobody writes there now.
    unsafe fn take(&self, start: usize, most: usize, target: &mut [f64], taken: Taken) {
        let images = num_images();
        let others = (1..images).map(|distance| (this_image() + distance) % images);
        for (part, from) in target.chunks_mut(most).zip(others.cycle()) {
            // SAFETY: the numbers lie in the mapping, aligned; the caller vouches that nobody writes there.
            let there =
                unsafe { slice::from_raw_parts(self.place(from, start, part.len()), part.len()) };
            match taken {
                Taken::Copied => part.copy_from_slice(there),
                Taken::Added => part
                    .iter_mut()
                    .zip(there)
                    .for_each(|(sum, number)| *sum += number),
            }
        }
    }
}
