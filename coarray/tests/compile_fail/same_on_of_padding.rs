//! Tried: to compare the bits of a generic struct whose parameter leaves a gap.
//! The message should tell: there is a gap between the fields.

use coarray::prelude::*;
use coarray::testing::same_on;

#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
struct Pair<T>(T, u64);

fn main() {
    same_on([1, 2], || Pair(1u8, 5));
}
