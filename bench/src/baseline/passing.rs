//! The baseline of collectives: data pass between images by loops, `memcpy` and barriers alone, in memory that all map.

use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;
use std::{ptr, slice};

use coarray::collectives::co_max;
use coarray::{num_images, this_image};
use memmap2::MmapRaw;

use super::barrier::Barrier;
use super::exchange::Exchange;
use super::mapping::map;
use super::values;

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

/// Collective. A function that writes what this image gives, copies it to shared memory, takes there what the others have just copied, and reads
/// it, a number of times: piece by piece, with a barrier in each. The job ends if there is no memory to share.
pub fn pass(barrier: &Rc<Barrier>, exchange: &Exchange, taken: Taken) -> impl FnMut(usize) + use<> {
    let Exchange { out, from, each } = exchange.clone();
    let (mut source, mut target) = (numbers(out), numbers(from.len() * each));
    let mut most = source.len();
    co_max(&mut most);
    let is_beside_flag = most <= BESIDE_A_FLAG;
    let rounds = most.div_ceil(PIECE).max(1);
    let half = most.min(PIECE);
    let shared = Shared::new(2 * half);
    let received = target.len().div_ceil(rounds).max(1);
    let barrier = Rc::clone(barrier);
    let mut odd = false;
    move |times| {
        for time in 0..times {
            values::write(&mut source, time);
            if is_beside_flag {
                barrier.wait();
                values::read(&target);
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
                    unsafe { shared.take(start..start + half, &from, target, taken) };
                }
            }
            values::read(&target);
        }
    }
}

/// Collective. A function that writes what this image gives where others reach it, copies what it gets from there, between two barriers, and
/// reads it, a number of times. The job ends if there is no memory to share.
pub fn read_in_place(barrier: &Rc<Barrier>, exchange: &Exchange) -> impl FnMut(usize) + use<> {
    let Exchange { out, from, each } = exchange.clone();
    let (length, mut target) = (out / size_of::<f64>(), numbers(from.len() * each));
    let mut most = length;
    co_max(&mut most);
    let mut shared = Shared::new(most);
    let barrier = Rc::clone(barrier);
    move |times| {
        for time in 0..times {
            // SAFETY: nobody reads before the first barrier, nor after the second.
            values::write(unsafe { shared.own(length) }, time);
            barrier.wait();
            // SAFETY: the others have written before the barrier, and write again after the second.
            unsafe { shared.take(0..most, &from, black_box(&mut target), Taken::Copied) };
            barrier.wait();
            values::read(&target);
        }
    }
}

/// So many bytes of numbers.
fn numbers(bytes: usize) -> Vec<f64> {
    // Written once, so that the pages exist.
    black_box(vec![0.5; bytes / size_of::<f64>()])
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

    /// The first numbers of this image.
    ///
    /// # Safety
    /// Nobody else reads or writes them as long as they are borrowed.
    unsafe fn own(&mut self, length: usize) -> &mut [f64] {
        // SAFETY: the numbers lie in the mapping, aligned; the caller vouches for the others.
        unsafe { slice::from_raw_parts_mut(self.place(this_image(), 0, length), length) }
    }

    /// Takes as many numbers as `target` has, the same number `from` each of these images, out of a part of its memory. Each image has others at
    /// another place there, if the part is long enough.
    ///
    /// # Safety
    /// Nobody writes there now.
    unsafe fn take(&self, part: Range<usize>, from: &[usize], target: &mut [f64], taken: Taken) {
        let (me, images) = (this_image(), num_images());
        let each = target.len().div_ceil(from.len().max(1)).max(1);
        for (target, &from) in target.chunks_mut(each).zip(from) {
            let blocks = (part.len() / target.len()).max(1);
            let block = (me + images - from - 1) % images % blocks;
            let start = part.start + block * target.len();
            // SAFETY: the numbers lie in the mapping, aligned; the caller vouches that nobody writes there.
            let there = unsafe {
                slice::from_raw_parts(self.place(from, start, target.len()), target.len())
            };
            match taken {
                Taken::Copied => target.copy_from_slice(there),
                Taken::Added => target
                    .iter_mut()
                    .zip(there)
                    .for_each(|(sum, number)| *sum += number),
            }
        }
    }
}
