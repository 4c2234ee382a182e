//! Coarrays and ragged runs come and go, at different moments on different images, and never disturb each
//! other; memory that all have dropped is used again; what does not fit is refused on all images alike.

mod churn;
mod constructors;
mod exhausted;
mod ragged;
mod rows;

use coarray::{Coarray, this_image};
use coarray_proptests::mix;

/// Lets the other images run ahead, for as long as chance will have it.
fn dawdle(seed: u64) {
    let turns = match mix(seed, this_image() as u64) % 4 {
        0 => 0,
        1 => 40,
        turns => turns,
    };
    (0..turns).for_each(|_| std::thread::yield_now());
}

/// A coarray that this image filled with values of its own.
struct Marked {
    coarray: Coarray<[u64]>,
    mark: u64,
}

impl Marked {
    fn new(mut coarray: Coarray<[u64]>, number: usize) -> Self {
        assert!(coarray.iter().all(|&value| value == 0), "not all zeros");
        let mark = mix(number as u64, this_image() as u64);
        coarray.fill(mark);
        Self { coarray, mark }
    }

    fn check(&self) {
        assert!(
            self.coarray.iter().all(|value| *value == self.mark),
            "somebody else wrote here"
        );
    }

    /// First and last address.
    fn span(&self) -> (usize, usize) {
        let range = self.coarray.as_ptr_range();
        (range.start.addr(), range.end.addr())
    }
}
