//! Images that read the same places again and again, and find the same values: what they wait for, another image must write.
//!
//! The set of places that a loop has read is what Miri's issue 1651 and Lincheck (N. Koval and others, *Lincheck: a practical framework for testing
//! concurrent data structures on JVM*, CAV 2023) watch.

use std::ptr;

use coarray_fabric::direct;

/// An image that has read a place so often, with one value and nothing between but reads that found what they had found, polls.
const LOOKS: u32 = 3;

/// It reads no more than so many places when it polls.
const PLACES: usize = 8;

/// They are no longer than this, in bytes.
pub(super) const LONGEST: usize = 64;

/// A place that an image has read.
#[derive(Debug)]
struct Seen {
    address: usize,
    value: Box<[u8]>,
    times: u32,
}

impl Seen {
    fn has_changed(&self) -> bool {
        let length = self.value.len();
        // SAFETY: who called `Reads::look` vouches for the place while images of the job run, of which one asks here.
        let now = unsafe { read(self.address, length) };
        now[..length] != *self.value
    }
}

/// The bytes at an address, as many as `length`; the others are 0.
///
/// # Safety
/// They can be read there, where provenance is exposed, and others write to them as [`direct`] allows. They are no more than `LONGEST`.
pub(super) unsafe fn read(address: usize, length: usize) -> [u8; LONGEST] {
    let mut bytes = [0; LONGEST];
    let source = ptr::with_exposed_provenance(address);
    // SAFETY: the caller vouches for the source. The target has at least as many bytes.
    unsafe { direct::copy(bytes.as_mut_ptr(), source, length) };
    bytes
}

/// What an image has read since it did anything else; what it has read last is last.
#[derive(Debug, Default)]
pub(super) struct Reads(Vec<Seen>);

impl Reads {
    /// Notes that the image has done something else.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Notes that the image has read so many bytes at an address. Returns whether it polls.
    ///
    /// # Safety
    /// They can be read there, where provenance is exposed, as long as images of the job run, and others write to them as [`direct`] allows.
    pub(super) unsafe fn look(&mut self, address: usize, length: usize) -> bool {
        if length > LONGEST {
            self.forget();
            return false;
        }
        // SAFETY: as the caller vouches.
        let value = &unsafe { read(address, length) }[..length];
        let Some(index) = self.0.iter().position(|seen| seen.address == address) else {
            if self.0.len() == PLACES {
                self.forget();
            }
            self.0.push(Seen {
                address,
                value: value.into(),
                times: 1,
            });
            return false;
        };
        if *self.0[index].value != *value {
            self.forget();
            // SAFETY: as the caller vouches.
            return unsafe { self.look(address, length) };
        }
        // What was read before is no part of the loop, if this is one.
        self.0.drain(..index);
        self.0[0].times += 1;
        let enough = self.0[0].times >= LOOKS;
        self.0.rotate_left(1);
        enough && self.0.iter().all(|seen| seen.times + 1 >= LOOKS)
    }

    /// Whether another value is in any of the places than the image has read there.
    pub(super) fn have_changed(&self) -> bool {
        self.0.iter().any(Seen::has_changed)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;

    use super::*;

    fn look(reads: &mut Reads, place: &UnsafeCell<u32>) -> bool {
        let address = place.get().expose_provenance();
        // SAFETY: this thread alone uses the place, which outlives the reads, by pointers.
        unsafe { reads.look(address, 4) }
    }

    fn write(place: &UnsafeCell<u32>, value: u32) {
        // SAFETY: as in `look`.
        unsafe { place.get().write(value) }
    }

    #[test]
    fn three_reads_of_one_value_are_polling_until_it_changes() {
        let (place, mut reads) = (UnsafeCell::new(4), Reads::default());
        let looks = [(); 3].map(|()| look(&mut reads, &place));
        assert_eq!(looks, [false, false, true]);
        assert!(!reads.have_changed());
        write(&place, 5);
        assert!(reads.have_changed());
        let looks = [(); 3].map(|()| look(&mut reads, &place));
        assert_eq!(looks, [false, false, true]);
        reads.forget();
        assert!(!look(&mut reads, &place));
    }

    #[test]
    fn a_loop_may_read_several_places_but_not_many() {
        let mut reads = Reads::default();
        let places = [(); PLACES + 1].map(|()| UnsafeCell::new(7));
        let mut rounds = |places: &[UnsafeCell<u32>]| {
            reads.forget();
            (0..10).any(|_| places.iter().any(|place| look(&mut reads, place)))
        };
        assert!(rounds(&places[..1]));
        assert!(rounds(&places[..PLACES]));
        assert!(!rounds(&places));
        // Reading an array once after some looks at a flag is no polling.
        let mut reads = Reads::default();
        let flag = [&places[0]; 2];
        let sum = flag.into_iter().chain(&places[1..4]);
        assert!(!sum.chain([&places[0]]).any(|place| look(&mut reads, place)));
        // Nor does what was read before keep a loop from being one.
        let mut reads = Reads::default();
        let before = [&places[1], &places[0], &places[2], &places[0]];
        assert!(!before.into_iter().any(|place| look(&mut reads, place)));
        let looks = [(); 3].map(|()| look(&mut reads, &places[0]));
        assert_eq!(looks, [true; 3]);
    }
}
