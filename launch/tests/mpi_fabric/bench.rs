//! What the fabric costs beyond the same calls of MPI: `cargo test --release --features mpi --test mpi_fabric bench`.

use std::hint::black_box;
use std::time::Instant;

use coarray_runtime::this_image;
use mpi_rma::mpi::ffi::{self, MPI_Win};
use mpi_rma::{Initialized, Window};

use crate::block::{Block, all_meet};

const ROUNDS: usize = 7;
const LARGE: usize = 4 << 20;

pub fn all() {
    let block = Block::new(LARGE);
    let fabric = block.image.fabric();
    let communicator = coarray_launch::mpi::communicator().unwrap();
    // SAFETY: images run between the beginning and the end of MPI, and the window is freed before their end.
    let initialized = unsafe { Initialized::assume() };
    let window = Window::allocate(initialized, &communicator, LARGE).unwrap();
    let source = vec![7_u8; LARGE];
    all_meet();
    if this_image() == 0 {
        let offset = block.at(1, 0);
        for (length, count) in [(8, 30_000), (256, 10_000), (8192, 3000), (LARGE, 20)] {
            let own = || {
                // SAFETY: the place is in the block, to which nobody holds references.
                unsafe { fabric.put(1, offset, black_box(source.as_ptr()), length) };
                fabric.quiet();
            };
            let raw = || put_and_flush(window.as_raw(), black_box(&source[..length]));
            compare(&format!("put of {length} bytes and quiet"), count, own, raw);
        }
        let get = || {
            let mut target = 0_u64;
            // SAFETY: as above; the target has eight bytes.
            unsafe { fabric.get(1, offset, (&raw mut target).cast(), 8) };
            black_box(target);
        };
        compare("get of 8 bytes", 30_000, get, || {
            get_and_flush(window.as_raw())
        });
    }
    all_meet();
    window.free().unwrap();
}

/// Prints how long each takes: the shortest of some rounds, in turn.
fn compare(what: &str, count: usize, own: impl Fn(), raw: impl Fn()) {
    let time = |action: &dyn Fn()| {
        let start = Instant::now();
        (0..count).for_each(|_| action());
        start.elapsed().as_secs_f64() / count as f64 * 1e9
    };
    let (mut shortest, mut shortest_raw) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        shortest = shortest.min(time(&own));
        shortest_raw = shortest_raw.min(time(&raw));
    }
    let ratio = shortest / shortest_raw;
    println!("{what}: {shortest:.1} ns, MPI alone {shortest_raw:.1} ns, ratio {ratio:.2}");
}

fn put_and_flush(window: MPI_Win, source: &[u8]) {
    let (start, length) = (source.as_ptr().cast(), source.len() as i32);
    // SAFETY: the window has as many bytes, in an epoch; the flush completes the operation.
    unsafe {
        let bytes = ffi::RSMPI_UINT8_T;
        ffi::MPI_Put(start, length, bytes, 1, 0, length, bytes, window);
        ffi::MPI_Win_flush(1, window);
    }
}

fn get_and_flush(window: MPI_Win) {
    let mut target = 0_u64;
    // SAFETY: as in `put_and_flush`.
    unsafe {
        let (start, bytes) = ((&raw mut target).cast(), ffi::RSMPI_UINT8_T);
        ffi::MPI_Get(start, 8, bytes, 1, 0, 8, bytes, window);
        ffi::MPI_Win_flush(1, window);
    }
    black_box(target);
}
