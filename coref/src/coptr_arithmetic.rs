//! Order, sums and differences of copointers.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use crate::access::Access;
use crate::coptr::{Coptr, OFFSET_BITS};

impl<T, A: Access> PartialOrd for Coptr<T, A> {
    /// By place, if both are on one image.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let on_one_image =
            (self.bits ^ other.bits) >> OFFSET_BITS == 0 && !self.is_null() && !other.is_null();
        (on_one_image || self == other).then(|| self.bits.cmp(&other.bits))
    }
}

/// As [`offset`](Coptr::offset).
impl<T, A: Access> Add<isize> for Coptr<T, A> {
    type Output = Self;

    fn add(self, count: isize) -> Self {
        self.offset(count)
    }
}

/// As [`offset`](Coptr::offset).
impl<T, A: Access> AddAssign<isize> for Coptr<T, A> {
    fn add_assign(&mut self, count: isize) {
        *self = *self + count;
    }
}

/// As [`offset`](Coptr::offset), the other way.
impl<T, A: Access> Sub<isize> for Coptr<T, A> {
    type Output = Self;

    fn sub(self, count: isize) -> Self {
        self.offset(count.wrapping_neg())
    }
}

/// As [`offset`](Coptr::offset), the other way.
impl<T, A: Access> SubAssign<isize> for Coptr<T, A> {
    fn sub_assign(&mut self, count: isize) {
        *self = *self - count;
    }
}

impl<T, A: Access> Sub for Coptr<T, A> {
    type Output = isize;

    /// How many values this lies behind `origin`.
    ///
    /// # Panics
    /// Where [`offset_from`](Coptr::offset_from) gives `None`.
    #[track_caller]
    fn sub(self, origin: Self) -> isize {
        match self.offset_from(origin) {
            Some(count) => count,
            None => no_distance(self.bits, origin.bits, size_of::<T>()),
        }
    }
}

/// Not generic, so that programs have it once.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn no_distance(end: u64, start: u64, size: usize) -> ! {
    let [start, end] = [start, end].map(Coptr::<u8>::of_bits);
    panic!(
        "from {start:?} to {end:?} is no number of values of {size} bytes: both must be in one array, on one image"
    )
}
