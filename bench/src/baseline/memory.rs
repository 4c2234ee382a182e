//! The baseline of collectives: copies in the memory of one image.

use std::hint::black_box;

/// A function that copies `bytes` bytes between two private buffers, a number of times.
pub fn copy(bytes: usize) -> impl FnMut(usize) {
    let source = vec![1u8; bytes];
    let mut target = vec![2u8; bytes];
    move |times| {
        for _ in 0..times {
            target.copy_from_slice(black_box(&source));
            black_box(&mut target);
        }
    }
}
