//! Memory that other images may reach has no local references, and no reference reaches further than its coarray.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use coarray::Launch;
use coarray::grid::{Blocks, HaloArray, ImageGrid, gmove};
use coarray::ndarray::Array;
use coarray::prelude::*;

use crate::text;

#[track_caller]
fn assert_too_small(operate: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(operate)).unwrap_err();
    assert!(
        text(&*panic).contains("a smaller one was assigned to it"),
        "{}",
        text(&*panic)
    );
}

#[coarray::test(images = [1, 2])]
fn a_coarray_that_is_too_small_for_its_shape_is_refused() {
    let mut line = Coarray::<[u64; 1000]>::zeroed();
    *line.shape_cast_mut::<[u64; 1]>() = Coarray::new([7]);
    assert_too_small(|| line.fill(0x4141));
    assert_too_small(|| assert_eq!(line[999], 0));
    assert_too_small(|| co_sum(&mut line));
    assert_too_small(|| line.open().close());
    assert_too_small(|| drop(line.try_open()));
    assert_too_small(|| line.publish().close());
    assert_too_small(|| {
        let mut other = Coarray::new(1);
        drop(coarray::open((&mut other, &mut line)));
    });
    // It can be used in a shape that fits.
    assert_eq!(line.as_unbounded()[..], [7]);
    line.shape_cast_mut::<[u64; 1]>().open().close();
}

#[coarray::test(images = [1, 2])]
fn a_coarray_that_was_swapped_for_a_smaller_one_is_refused() {
    let mut bounded = Coarray::<[u64; 1000]>::zeroed();
    let unbounded: &mut Coarray<[u64]> = (&mut bounded).into();
    let mut other = Coarray::<[u64]>::zeroed(1);
    std::mem::swap(unbounded, &mut other);
    assert_eq!((unbounded.len(), other.len()), (1, 1000));
    assert_too_small(|| bounded[1] = 0x4141);
    other[999] = 1;
}

fn blocks() -> Blocks<1> {
    Blocks::new([8], ImageGrid::new([2]).unwrap()).unwrap()
}

/// Tries to read the cells when it is dropped.
struct Saved<'a>(HaloArray<u64, 1>, &'a AtomicUsize);

impl Drop for Saved<'_> {
    fn drop(&mut self) {
        let read = catch_unwind(AssertUnwindSafe(|| self.0.interior().sum()));
        let refused = match read {
            Ok(_) => 0,
            Err(panic) => usize::from(text(&*panic).contains("was broken off by a panic")),
        };
        self.1.fetch_add(refused, Ordering::Relaxed);
    }
}

/// Image 1 calls `operate` on an array of all images; image 0 ends the job instead. Returns how many arrays refused.
fn refusals(operate: impl Fn(&mut HaloArray<u64, 1>) + Sync) -> usize {
    let refused = AtomicUsize::new(0);
    let outcome = Launch::new(2).run(|| {
        let mut array = Saved(HaloArray::filled(&blocks(), 1, 1).unwrap(), &refused);
        if this_image() == 1 {
            operate(&mut array.0);
        } else {
            panic!("image 0 does not come");
        }
    });
    assert!(outcome.unwrap_err().to_string().contains("does not come"));
    refused.load(Ordering::Relaxed)
}

#[test]
fn an_image_that_leaves_in_the_middle_of_a_scatter_does_not_have_its_array_back() {
    let whole = Array::zeros(8);
    let scatter = |array: &mut HaloArray<u64, 1>| {
        let _ = array.scatter_global(1, Some(whole.view()));
    };
    assert_eq!(refusals(scatter), 1);
}

#[test]
fn an_image_that_leaves_in_the_middle_of_a_gather_does_not_have_its_array_back() {
    assert_eq!(refusals(|array| drop(array.gather_global(0))), 1);
    assert_eq!(
        refusals(|array| drop(array.gather_slice(0, std::array::from_fn(|_| 2..6)))),
        1
    );
}

#[test]
fn an_image_that_leaves_in_the_middle_of_a_move_does_not_have_its_array_back() {
    let refused = AtomicUsize::new(0);
    let outcome = Launch::new(2).run(|| {
        let from = Saved(HaloArray::filled(&blocks(), 1, 1).unwrap(), &refused);
        let mut to = HaloArray::filled(&blocks(), 0, 2).unwrap();
        if this_image() == 1 {
            let _ = gmove(&from.0, &mut to);
        } else {
            panic!("image 0 does not come");
        }
    });
    assert!(outcome.is_err());
    assert_eq!(refused.load(Ordering::Relaxed), 1);
}

/// After a creation that panics on all images, its memory is free for the next.
#[test]
fn creations_that_panic_lose_no_memory() {
    for images in [2, 3, 4] {
        let run = Launch::new(images).heap(1 << 20).run(|| {
            for _ in 0..100 {
                let broken = || Coarray::<[Coatomic<u64>]>::from_fn(4000, |_| panic!("no value"));
                let panic = catch_unwind(AssertUnwindSafe(broken)).err().unwrap();
                assert_eq!(text(&*panic), "no value");
            }
        });
        run.unwrap();
    }
}

#[test]
fn a_phase_that_a_stopped_image_has_leaked_never_ends() {
    let outcome = Launch::new(3).keep_going(true).run(|| {
        let mut x = Box::new(Coarray::new([7u64; 4]));
        if this_image() == 1 {
            // A destructor of this thread that runs after the end could use it.
            std::mem::forget(Box::leak(x).open());
            return true;
        }
        x.open().close();
        let panic = catch_unwind(AssertUnwindSafe(|| x[0])).unwrap_err();
        assert!(text(&*panic).contains("still open"), "{}", text(&*panic));
        false
    });
    assert_eq!(outcome.unwrap(), [false, true, false]);
}
