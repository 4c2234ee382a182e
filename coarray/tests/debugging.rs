//! The `Debug` output of coarrays and their guards, in every phase.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;

#[coarray::test(images = [1, 2])]
fn guards_are_printed_in_their_phase() {
    let mut x = Coarray::new([1u8, 2]);
    let open = x.open();
    let told = format!("{open:?}");
    assert!(told.starts_with("Open<[u8; 2]>, since "), "{told}");
    assert!(told.contains("debugging.rs:"), "{told}");
    drop(open);
    let published = x.publish();
    assert_eq!(format!("{published:?}"), "[1, 2]");
    drop(published);

    let mut run = Ragged::from_fn(2, |i| i);
    let open = run.open();
    let told = format!("{open:?}");
    assert!(told.starts_with("OpenRagged<usize>, since "), "{told}");
    drop(open);
    assert_eq!(format!("{:?}", run.publish()), "[0, 1]");
}

#[coarray::test(images = [1, 3])]
fn an_exchange_is_printed_while_it_is_under_way() {
    let blocks = Blocks::new([9], ImageGrid::balanced_for([9]).unwrap()).unwrap();
    let mut u = HaloArray::filled(&blocks, 1, 0u8).unwrap();
    let exchanging = u.exchange_start();
    assert!(!format!("{exchanging:?}").is_empty());
    exchanging.finish();
}
