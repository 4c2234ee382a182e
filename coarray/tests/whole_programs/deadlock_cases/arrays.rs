//! What images do together with coarrays and arrays with halos: creation, phases, exchanges.

use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::prelude::*;

use super::{Case, only_the_first};
use crate::deadlocks::is_first;

fn square() -> HaloArray<f64, 2> {
    let grid = ImageGrid::new([num_images(), 1]).unwrap();
    let blocks = Blocks::new([16, 16], grid).unwrap();
    HaloArray::filled(&blocks, 1, 0.0).unwrap()
}

pub const CASES: &[Case] = &[
    Case {
        name: "creation",
        images: 2,
        program: || only_the_first(|| drop(Coarray::new([1u32; 5]))),
        says: &["image 0 is in creation of a coarray of [u32; 5] at HERE, waiting for image 1"],
    },
    Case {
        name: "open",
        images: 2,
        program: || {
            let mut cells = Coarray::new([1u32; 5]);
            only_the_first(|| drop(cells.open()));
        },
        says: &[
            "image 0 is in open of the coarray of [u32; 5] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "close",
        images: 2,
        program: || {
            let mut cells = Coarray::new([1u32; 5]);
            let event = Coarray::new(Coevent::new());
            let _cells = cells.open();
            if !is_first() {
                event.wait();
            }
        },
        says: &[
            "image 0 is in the end of the open phase of the coarray of [u32; 5] created at HERE, which began at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange",
        images: 2,
        program: || {
            let mut cells = square();
            only_the_first(|| cells.exchange());
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange_of_another_array",
        images: 2,
        program: || {
            let (mut one, mut other) = (square(), square());
            match is_first() {
                true => one.exchange(),
                false => other.exchange(),
            }
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
            "image 1 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "exchange_with_two_neighbours",
        images: 3,
        program: || {
            let mut cells = square();
            let event = Coarray::new(Coevent::new());
            match this_image() {
                1 => cells.exchange(),
                _ => event.wait(),
            }
        },
        says: &[
            "image 1 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 0",
        ],
    },
    Case {
        name: "exchange_started",
        images: 2,
        program: || {
            let mut cells = square();
            only_the_first(|| {
                let exchanging = cells.exchange_start();
                exchanging.finish();
            });
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "exchange_at_the_end",
        images: 2,
        program: || {
            let mut cells = square();
            if is_first() {
                cells.exchange();
            }
        },
        says: &[
            "image 0 is in exchange of the halo array of f64 [16, 16] created at HERE, called at HERE, waiting for image 1, which has come to the end of the program",
            "image 1 has come to the end of the program, waiting for image 0",
            "the cycle: image 0 -> image 1 -> image 0",
        ],
    },
    Case {
        name: "gather",
        images: 2,
        program: || {
            let cells = square();
            only_the_first(|| {
                let _ = cells.gather_global(0);
            });
        },
        says: &[
            "image 0 is in gather_global of the HaloArray<f64, 2> created at HERE to image 0, called at HERE, waiting for image 1",
        ],
    },
    Case {
        name: "gmove",
        images: 2,
        program: || {
            let (cells, mut other) = (square(), square());
            only_the_first(|| gmove(&cells, &mut other).unwrap());
        },
        says: &[
            "image 0 is in gmove of the HaloArray<f64, 2> created at HERE to the HaloArray<f64, 2> created at HERE, called at HERE, waiting for image 1",
        ],
    },
];
