//! A histogram whose bins are divided among the images: the MPI program `originals/histogram.c`, translated.
//!
//!     COARRAY_IMAGES=4 cargo run -p coarray-book --example histogram_from_mpi
//!
//! Each image counts into the bins of all images.

use coarray::collectives::co_max_to;
use coarray::prelude::*;

const BINS: usize = 1000;
const NUMBERS: usize = 60_000;

#[coarray::main]
fn main() {
    let each = BINS.div_ceil(num_images());
    let bins = Coarray::<[Coatomic<u64>]>::from_fn(each, |_| Coatomic::new(0));

    for i in (this_image()..NUMBERS).step_by(num_images()) {
        let bin = i * i % 1009 % BINS;
        bins.at(bin / each)[bin % each].add(1);
    }
    sync_all();

    let mut most = bins.iter().map(Coatomic::load).max().unwrap_or(0);
    co_max_to(&mut most, 0);
    if this_image() == 0 {
        println!("{NUMBERS} numbers, {most} in the fullest of {BINS} bins");
    }
}
