//! Objects that images make in different orders, or of different types, are not taken for the same.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::Launch;
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;

use crate::report;

#[track_caller]
fn assert_differ(report: &str, texts: [&str; 2]) {
    assert!(
        report.contains("are in different collective operations"),
        "{report}"
    );
    for text in texts {
        assert!(report.contains(text), "{text}: {report}");
    }
}

#[test]
fn a_plain_coarray_does_not_pose_as_a_ragged_one() {
    let report = report(Launch::new(2), || {
        if this_image() == 0 {
            let _ = Ragged::<u64>::from_fn(4, |i| i as u64).open().at(1).len();
        } else {
            Coarray::new([8usize, 1]).open().close();
        }
    });
    assert_differ(
        &report,
        [
            "image 0: creation of Ragged<u64> at",
            "image 1: creation of a coarray of [usize; 2] at",
        ],
    );
    assert!(report.contains("identity.rs"), "{report}");
}

#[test]
fn ragged_coarrays_of_different_items_are_different() {
    let report = report(Launch::new(2), || {
        if this_image() == 0 {
            drop(Ragged::<bool>::from_fn(8, |_| true));
        } else {
            drop(Ragged::<u8>::from_fn(8, |i| 40 + i as u8));
        }
    });
    assert_differ(
        &report,
        [
            "image 0: creation of Ragged<bool> at",
            "image 1: creation of Ragged<u8> at",
        ],
    );
}

#[test]
fn plain_coarrays_do_not_pose_as_a_halo_array() {
    let report = report(Launch::new(2), || {
        if this_image() == 0 {
            let grid = ImageGrid::new([2]).unwrap();
            let blocks = Blocks::new([8], grid).unwrap();
            HaloArray::filled(&blocks, 1, 7u64).unwrap().exchange();
        } else {
            // The images agree on shape, grid, halos, periodic axes and the order of images.
            let mut agreed = [8u64, 2, 1, 1, 0, 0];
            co_broadcast(&mut agreed[..], 0);
            let _ = coarray::collectives::co_all(true);
            let _cells = Coarray::<[u64]>::zeroed(8);
            let _events = Coarray::<[Coevent]>::from_fn(6, |_| Coevent::new());
            let _told = Coarray::<[Coatomic<u64>]>::from_fn(3, |_| Coatomic::new(0));
            sync_all();
        }
    });
    assert_differ(
        &report,
        [
            "image 0: creation of HaloArray<u64, 1> of length 8 at",
            "image 1: creation of a coarray of 8 x [u64] at",
        ],
    );
}

#[test]
fn halo_arrays_of_different_cells_are_different() {
    let report = report(Launch::new(2), || {
        let blocks = Blocks::new([8], ImageGrid::new([2]).unwrap()).unwrap();
        if this_image() == 0 {
            drop(HaloArray::filled(&blocks, 1, 7u64));
        } else {
            drop(HaloArray::filled(&blocks, 1, 7i64));
        }
    });
    assert_differ(&report, ["HaloArray<u64, 1>", "HaloArray<i64, 1>"]);
}

/// The creation of a coarray makes another coarray, by a closure that panics on image 0.
#[test]
fn the_end_of_a_creation_names_what_was_created() {
    type Shared = Coarray<[Coatomic<NonZeroU64>]>;
    let one = || Coatomic::new(NonZeroU64::MIN);
    let report = report(Launch::new(2), || {
        let inner = Cell::new(None);
        let outer = Shared::from_fn(1, |_| {
            if this_image() == 0 {
                let broken = || Shared::from_fn(1, |_| panic!("no value"));
                assert!(catch_unwind(AssertUnwindSafe(broken)).is_err());
            } else {
                inner.set(Some(Shared::from_fn(1, |_| one())));
            }
            one()
        });
        let there = outer.at(1 - this_image())[0].load();
        assert_eq!(there, NonZeroU64::MIN);
    });
    assert_differ(&report, ["its object number 1", "its object number 2"]);
}
