//! Tried: values of a generic struct whose parameter leaves a gap, in collectives.
//! The message should tell: there is a gap between the fields.

use coarray::prelude::*;

#[derive(Clone, Copy, Debug, Remote)]
#[repr(C)]
struct Pair<T>(T, u64);

#[coarray::main]
fn main() {
    let mut pair = Pair(1u8, 2);
    co_broadcast(&mut pair, 0);
    let mut all = [pair; 8];
    co_allgather(&[pair][..], &mut all[..]);
    co_reduce(&mut pair, |one, _| one);
}
