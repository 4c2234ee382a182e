//! Values in private memory, which the kernel copies from the process of one image to that of another.

use std::process::Command;

use coarray::collectives::{Algorithm, Collective};
use coarray::prelude::*;
use coarray_fabric::system::cross_memory;
use coarray_runtime::Team as Members;

use crate::job::{Check, coarun, on_threads, plain, run};

pub fn trials() -> Vec<Check> {
    vec![
        (
            "images_read_the_memory_of_other_processes_if_the_kernel_lets_them",
            processes,
        ),
        ("none_does_that_if_it_is_off_or_if_images_are_threads", off),
    ]
}

/// Exchanges values in place, and prints whether this image reads the memory of other processes.
pub fn exchange() {
    let (me, images) = (this_image(), num_images());
    let how = Collective::new().algorithm(Algorithm::InPlace);
    for length in [1, 700, 100_000] {
        let blocks = |value: &dyn Fn(usize) -> u64| -> Vec<u64> {
            (0..images)
                .flat_map(|image| vec![value(image); length])
                .collect()
        };
        let mut sent = blocks(&|to| (100 * me + to) as u64);
        let mut received = vec![0; sent.len()];
        how.co_alltoall(&sent, &mut received);
        // Nobody reads these any more.
        sent.fill(u64::MAX);
        assert_eq!(received, blocks(&|from| (100 * from + me) as u64));
        // Not all bytes are a `bool`: they pass through buffers.
        let mut gathered = vec![false; length * images];
        how.co_allgather(&vec![me % 2 == 0; length], &mut gathered);
        let is_even = |(image, block): (usize, &[bool])| block == vec![image % 2 == 0; length];
        assert!(gathered.chunks(length).enumerate().all(is_even));
    }
    println!("{}", Members::current().reads_processes());
}

/// Whether the kernel lets this process read its own memory so. In some containers it does not.
fn kernel_copies() -> bool {
    let (word, mut copy) = (5u64, 0u64);
    let from = (&raw const word).addr();
    // SAFETY: the target is a `u64`.
    unsafe { cross_memory::read(std::process::id(), from, (&raw mut copy).cast(), 8) }.is_ok()
}

#[track_caller]
fn assert_read(program: Command, expected: bool) {
    let output = run(program).success();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines, vec![expected.to_string(); 3], "{output}");
}

fn processes() {
    let expected = kernel_copies();
    assert_read(plain(3, "exchange"), expected);
    assert_read(coarun(&["-n", "3"], "exchange"), expected);
}

fn off() {
    let mut plain = plain(3, "exchange");
    plain.env("COARRAY_CROSS_MEMORY", "0");
    assert_read(plain, false);
    assert_read(on_threads(3, "exchange"), false);
}
