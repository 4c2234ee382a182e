//! Items that a list of indices names.

use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

const LENGTH: usize = 10_000;

fn item(image: usize, index: usize) -> u32 {
    (LENGTH * image + index) as u32
}

pub fn gather_and_scatter(check: &mut Check) {
    // Some are near each other, some come twice, and they go to and fro.
    let indices: Vec<usize> = (0..500).map(|i| i * i * 37 % LENGTH).collect();
    let mut x = Coarray::<[u32]>::from_fn(LENGTH, |index| item(this_image(), index));
    let values = |image: usize| move |position: usize| !item(image, position);
    {
        let x = x.open();
        let mut seen = vec![0; indices.len()];
        x.at(right(1)).gather_from(&indices, &mut seen);
        let named = indices.iter().map(|&index| item(right(1), index));
        check.same_items("gathered", &seen, &named.collect::<Vec<_>>());
        sync_all();
        let put: Vec<u32> = (0..indices.len()).map(values(this_image())).collect();
        x.at(right(1)).scatter_to(&indices, &put);
        let back = x.at(right(1))[indices[499]].get();
        check.same("the last after the scatter", back, put[499]);
    }
    let mut expected: Vec<u32> = (0..LENGTH).map(|index| item(this_image(), index)).collect();
    for (position, &index) in indices.iter().enumerate() {
        expected[index] = values(left(1))(position);
    }
    check.same_items("the array after the scatter", &x, &expected);
}
