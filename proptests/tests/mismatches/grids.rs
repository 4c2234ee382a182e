//! Calls that differ, of operations on halo arrays.

use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::prelude::*;

use crate::{divisions, parse, report};

/// Lets the last image do `other` and the rest `one`, with three arrays, and checks what the report says about either.
#[track_caller]
fn differ(
    words: [&str; 2],
    one: impl Fn(&mut [HaloArray<u8, 2>; 3]) + Sync,
    other: impl Fn(&mut [HaloArray<u8, 2>; 3]) + Sync,
) {
    for images in [2, 3, 4].into_iter().flat_map(divisions) {
        let case = format!("{words:?} with {images:?}");
        let report = report(images, &case, || {
            let blocks = Blocks::new([8, 8], ImageGrid::balanced()).unwrap();
            let mut arrays = [1, 2, 3].map(|value| HaloArray::filled(&blocks, 1, value).unwrap());
            if this_image() + 1 == images.count {
                other(&mut arrays);
            } else {
                one(&mut arrays);
            }
        });
        for (image, operation) in parse(&report) {
            let mut words = words[usize::from(image + 1 == images.count)].split("..");
            assert!(
                operation.starts_with(words.next().unwrap_or_default()),
                "{case}: {report}"
            );
            assert!(
                words.all(|word| operation.contains(word)),
                "{case}: {report}"
            );
            assert!(
                operation.contains("tests/mismatches/grids.rs:"),
                "{case}: {report}"
            );
        }
    }
}

#[test]
fn operations_are_told_apart() {
    differ(
        [
            "gather_global of the HaloArray<u8, 2> created at .. to image 0, called at ",
            "scatter_global of the HaloArray<u8, 2> created at .. from image 0, called at ",
        ],
        |arrays| _ = arrays[0].gather_global(0),
        |arrays| _ = arrays[0].scatter_global(0, None),
    );
    differ(
        [
            "gmove of the HaloArray<u8, 2> created at .. to the HaloArray<u8, 2> created at ",
            "sync_all at ",
        ],
        |arrays| {
            let [from, to, _] = arrays;
            gmove(from, to).unwrap();
        },
        |_| sync_all(),
    );
}

#[test]
fn parts_are_told_apart() {
    differ(
        [
            "gather_slice of 6 cells from number 10 on of the HaloArray<u8, 2> ..",
            "gather_slice of 8 cells from number 10 on of the HaloArray<u8, 2> ..",
        ],
        |arrays| _ = arrays[0].gather_slice(1, [1..3, 2..5]),
        |arrays| _ = arrays[0].gather_slice(1, [1..3, 2..6]),
    );
    differ(
        [
            "gather_slice of 6 cells from number 10 on of the HaloArray<u8, 2> .. to image 1, called at ",
            "gather_slice of 6 cells from number 2 on of the HaloArray<u8, 2> .. to image 1, called at ",
        ],
        |arrays| _ = arrays[0].gather_slice(1, [1..3, 2..5]),
        |arrays| _ = arrays[0].gather_slice(1, [0..2, 2..5]),
    );
}

#[test]
fn roots_are_told_apart_also_if_one_does_not_exist() {
    differ(
        [
            "gather_global of .. to image 0, called at ",
            "gather_global of .. to image 1, called at ",
        ],
        |arrays| _ = arrays[0].gather_global(0),
        |arrays| _ = arrays[0].gather_global(1),
    );
    differ(
        [
            "scatter_global of .. from image 1, called at ",
            "scatter_global of .. from image 44, called at ",
        ],
        |arrays| _ = arrays[0].scatter_global(1, None),
        |arrays| _ = arrays[0].scatter_global(44, None),
    );
}

#[test]
fn arrays_are_told_apart() {
    differ(
        ["gather_global of ..", "gather_global of .."],
        |arrays| _ = arrays[0].gather_global(0),
        |arrays| _ = arrays[1].gather_global(0),
    );
    differ(
        ["gmove of ..", "gmove of .."],
        |arrays| {
            let [from, to, _] = arrays;
            gmove(from, to).unwrap();
        },
        |arrays| {
            let [from, _, to] = arrays;
            gmove(from, to).unwrap();
        },
    );
}
