//! Arrays whose extents are known at run time only, and halo arrays that are open: no reference and no place reaches further than
//! the array, and none is there in another phase.

use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coarray::Launch;
use coarray::collectives::co_total_reproducible;
use coarray::grid::{Blocks, HaloArray, ImageGrid};
use coarray::prelude::*;

use crate::{report, text};

/// The text of the panic of `operate`.
#[track_caller]
fn refusal(operate: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(operate)).unwrap_err();
    text(&*panic).to_owned()
}

#[coarray::test(images = [1, 2])]
fn an_array_that_is_too_small_for_its_extents_is_refused() {
    let shrink = |x: &mut NdCoarray<u64, 2>| {
        *x.shape_cast_mut::<[u64; 1]>().unwrap() = Coarray::new([7]);
    };
    let mut x = NdCoarray::<u64, 2>::zeroed([10, 100]);
    shrink(&mut x);
    let mut from_type: NdCoarray<u64, 2> = {
        let mut typed = Coarray::<[[u64; 100]; 10]>::zeroed();
        *typed.shape_cast_mut::<[u64; 1]>() = Coarray::new([7]);
        typed.into()
    };
    for x in [&mut x, &mut from_type] {
        let refused = |operate: &mut dyn FnMut()| {
            let text = refusal(operate);
            assert!(text.contains("a smaller one was assigned to it"), "{text}");
        };
        refused(&mut || drop(x.local().to_owned()));
        refused(&mut || x.local_mut().fill(0x4141));
        refused(&mut || x[[9, 99]] = 1);
        refused(&mut || assert_eq!(x[[0, 0]], 7));
        refused(&mut || x.as_mut_slice()[999] = 1);
        refused(&mut || co_sum(&mut *x));
        refused(&mut || x.open().close());
        refused(&mut || drop(x.try_open()));
        refused(&mut || x.publish().close());
        refused(&mut || {
            let mut other = Coarray::new(1);
            drop(coarray::open((&mut other, &mut *x)));
        });
    }
}

#[coarray::test(images = [1, 2])]
fn a_larger_coarray_than_the_extents_say_is_seen_as_far_as_they_reach() {
    let mut x = NdCoarray::from_coarray([2, 3], Coarray::<[u64]>::from_fn(10, |i| i as u64));
    assert_eq!((x.len(), x.as_slice().len(), x.local().sum()), (6, 6, 15));
    let open = x.open();
    let there = open.at(num_images() - 1);
    assert_eq!(there.to_vec(), [0, 1, 2, 3, 4, 5]);
    let text = refusal(|| _ = there[[2, 0]].get());
    assert!(text.contains("2 is out of bounds of dimension 0"), "{text}");
}

#[coarray::test(images = [1, 2, 3])]
fn extents_that_cannot_be_counted_or_are_nothing_have_no_items() {
    let max = usize::MAX;
    for extents in [[max, 2], [2, max], [max, 0], [0, max], [1 << 40, 1 << 40]] {
        assert!(NdCoarray::<u64, 2>::try_zeroed(extents).is_err());
        let x = Coarray::<[u64]>::zeroed(4);
        let text = refusal(|| drop(NdCoarray::from_coarray(extents, x)));
        assert!(text.contains("they need more items"), "{text}");
        let mut run = Ragged::from_fn(4, |i| i);
        assert!(run.open().at(0).with_extents(extents).is_err());
    }
    let mut empty = NdCoarray::<u64, 3>::zeroed([5, 0, 7]);
    assert!(empty.is_empty() && empty.local().is_empty());
    let open = empty.open();
    let there = open.at(num_images() - 1);
    for place in [
        there,
        there.region((.., .., 7..)),
        there.region((4, .., 6)),
        there.region((5.., .., ..)),
    ] {
        place.fill(1);
        place.put_from(&[]);
        place.copy_from(&place);
        assert_eq!(place.as_coref().unwrap().to_vec(), []);
    }
    let mut plane = NdCoarray::<u64, 2>::zeroed([0, 1 << 30]);
    let plane = plane.open();
    assert_eq!(
        plane
            .here()
            .column((1 << 30) - 1)
            .as_coref()
            .unwrap()
            .to_vec(),
        []
    );
    assert!(refusal(|| _ = plane.here().row(0)).contains("dimension 0"));
}

#[coarray::test(images = [1, 2])]
fn an_array_whose_open_guard_was_leaked_has_no_local_references() {
    let mut x = NdCoarray::<u64, 2>::zeroed([4, 4]);
    forget(x.open());
    assert!(refusal(|| x[[0, 0]] = 1).contains("still open"));
    assert!(refusal(|| drop(x.local().to_owned())).contains("still open"));
    assert!(refusal(|| x.open().close()).contains("still open"));
    forget(NdCoarray::<u64, 1>::zeroed([4]).publish());
}

#[test]
fn images_that_ask_for_other_extents_get_no_array() {
    let asks = |extents: fn(usize) -> [usize; 2]| {
        report(Launch::new(3), || {
            drop(NdCoarray::<u64, 2>::zeroed(extents(this_image())));
        })
    };
    let text = asks(|image| if image == 2 { [4, 3] } else { [3, 4] });
    assert!(text.contains("different extents"), "{text}");
    assert!(text.contains("[3, 3] to [4, 4]"), "{text}");
    let text = report(Launch::new(2), || {
        match this_image() {
            0 => drop(NdCoarray::<u64, 2>::zeroed([2, 2])),
            _ => drop(co_total_reproducible(&[1.0])),
        };
    });
    assert!(text.contains("the creation of an NdCoarray"), "{text}");
}

#[coarray::test(images = [1, 2])]
fn items_that_panic_make_no_array_and_lose_no_memory() {
    for _ in 0..100 {
        let mut count = 0;
        let text = refusal(|| {
            drop(NdCoarray::<[u64; 64], 2>::from_fn([100, 20], |index| {
                count += 1;
                assert!(index != [99, 19], "no value");
                [0; 64]
            }));
        });
        assert_eq!((text.as_str(), count), ("no value", 2000));
    }
}

fn halo_array() -> HaloArray<u64, 2> {
    let grid = ImageGrid::new([num_images(), 1])
        .unwrap()
        .with_periodic([true, false]);
    let blocks = Blocks::new([3 * num_images() + 1, 4], grid).unwrap();
    HaloArray::filled(&blocks, 1, 5).unwrap()
}

#[coarray::test(images = [1, 2, 3])]
fn a_halo_array_whose_open_guard_was_leaked_has_no_local_references() {
    let mut u = halo_array();
    forget(u.open());
    let refused: [fn(&mut HaloArray<u64, 2>); 6] = [
        |u| drop(u.local().to_owned()),
        |u| u.interior_mut().fill(1),
        |u| u.exchange(),
        |u| u.open().close(),
        |u| drop(u.gather_global(0)),
        |u| {
            drop(coarray::open((
                &mut *u,
                &mut NdCoarray::<u8, 1>::zeroed([1]),
            )))
        },
    ];
    for operate in refused {
        let text = refusal(|| operate(&mut u));
        assert!(
            text.contains("broken off by a panic") || text.contains("still open"),
            "{text}"
        );
    }
}

#[coarray::test(images = [1, 2, 3])]
fn an_open_halo_array_has_no_exchange_in_progress() {
    let mut u = halo_array();
    u.interior_mut().fill(this_image() as u64 + 10);
    forget(u.exchange_start());
    {
        let u = u.open();
        let next = (this_image() + 1) % num_images();
        assert_eq!(u.at(next)[[0, 0]].get(), next as u64 + 10);
        let above = u.with_halo(next)[[0, 1]].get();
        assert_eq!(
            above,
            this_image() as u64 + 10,
            "the exchange has come to its end"
        );
        sync_all();
        u.at(next).row(0).fill(1);
        let rows = u.at(next).extents()[0];
        assert!(refusal(|| _ = u.at(next)[[rows, 0]].get()).contains("dimension 0"));
        assert!(refusal(|| _ = u.at(num_images())).contains("there is no image"));
    }
    u.exchange();
    assert_eq!(u.interior().row(0).to_vec(), [1; 4]);
    let rows = u.interior().nrows();
    assert_eq!(u.local()[[rows + 1, 1]], 1);
}
