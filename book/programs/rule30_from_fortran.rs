//! Wolfram's rule 30 on a ring of 240 cells: the Fortran program `originals/rule30.f90`, translated.
//!
//!     COARRAY_IMAGES=4 cargo run -p coarray-book --example rule30_from_fortran
//!
//! Prints how many cells are 1 in the end. As the original, it runs on a number of images that divides 240.

use coarray::collectives::co_sum_to;
use coarray::{error_stop_with, prelude::*};

const CELLS: usize = 240;
const GENERATIONS: usize = 100;

#[coarray::main]
fn main() {
    let (me, images) = (this_image(), num_images());
    let (left, right) = ((me + images - 1) % images, (me + 1) % images);
    let n = CELLS / images;
    if n * images != CELLS {
        error_stop_with(1, "the number of images must divide 240");
    }
    let mut c = Coarray::<[u8]>::zeroed(n + 2);
    // A single 1 in the middle: cell 119, counted from 0.
    if (me * n..(me + 1) * n).contains(&119) {
        c[119 - me * n + 1] = 1;
    }

    for _ in 0..GENERATIONS {
        let (first, last) = (c[1], c[n]);
        let open = c.open();
        open.at(left)[n + 1].put(first);
        open.at(right)[0].put(last);
        open.close();
        let rule = |cells: &[u8]| cells[0] ^ (cells[1] | cells[2]);
        let next: Vec<u8> = c.windows(3).map(rule).collect();
        c[1..=n].copy_from_slice(&next);
    }

    let mut ones: u32 = c[1..=n].iter().map(|&cell| u32::from(cell)).sum();
    co_sum_to(&mut ones, 0);
    if me == 0 {
        println!("generation {GENERATIONS}: {ones} cells are 1");
    }
}
