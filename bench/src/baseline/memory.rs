//! The baseline of collectives: copies and additions in the memory of one image.

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

/// A function that adds `bytes` bytes of `f64` to as many others, a number of times.
pub fn add(bytes: usize) -> impl FnMut(usize) {
    // Zero stays zero however often it is added. Written once, so that the pages exist.
    let source = black_box(vec![-0.0f64; bytes / size_of::<f64>()]);
    let mut target = source.clone();
    move |times| {
        for _ in 0..times {
            for (sum, value) in target.iter_mut().zip(black_box(&source)) {
                *sum += *value;
            }
            black_box(&mut target);
        }
    }
}
