//! The `Debug` output of coarrays and their guards, in every phase.

use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;
use coarray::{OwnedOpen, OwnedPublished};

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

/// A struct that holds coarrays can be printed in whatever phase they are.
#[derive(Debug)]
#[expect(dead_code, reason = "they are printed")]
struct Held {
    open: OwnedOpen<Coarray<[u8; 2]>>,
    published: OwnedPublished<Ragged<i32>>,
    closed: Coarray<f32>,
    leaked: Coarray<[f64]>,
    leaked_run: Ragged<u16>,
}

#[coarray::test(images = [1, 2])]
fn coarrays_are_printed_in_every_phase() {
    let mut held = Held {
        open: Coarray::new([1, 2]).into_open(),
        published: Ragged::from_fn(2, |i| i as i32).into_published(),
        closed: Coarray::new(1.5),
        leaked: Coarray::zeroed(3),
        leaked_run: Ragged::empty(),
    };
    std::mem::forget(held.leaked.open());
    std::mem::forget(held.leaked_run.publish());
    let told = format!("{held:?}");
    for part in [
        "open: Open<[u8; 2]>, since ",
        "published: [0, 1]",
        "closed: 1.5",
        "leaked: Coarray<[f64]>, still open",
        "leaked_run: Ragged<u16>, still open",
    ] {
        assert!(told.contains(part), "{told}");
    }
}

#[coarray::test(images = [1, 3])]
fn an_exchange_is_printed_while_it_is_under_way() {
    let blocks = Blocks::new([9], ImageGrid::balanced_for([9]).unwrap()).unwrap();
    let mut u = HaloArray::filled(&blocks, 1, 0u8).unwrap();
    let exchanging = u.exchange_start();
    assert!(!format!("{exchanging:?}").is_empty());
    exchanging.finish();
}
