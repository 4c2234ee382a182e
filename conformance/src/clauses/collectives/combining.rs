//! Collectives that combine values.

use std::fmt::Debug;

use coarray::collectives::{
    co_all, co_any, co_count, co_exscan, co_exscan_of, co_max_loc, co_max_loc_of, co_max_loc_to,
    co_max_to, co_min_loc, co_min_loc_of, co_min_loc_to, co_min_to, co_reduce_scatter,
    co_reduce_to, co_scan, co_scan_of, co_sum_to,
};
use coarray::prelude::*;

use super::{LENGTHS, value, values};
use crate::check::Check;

/// The values of images `0..images`, joined by `join`.
fn joined(images: usize, length: usize, join: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    (0..length)
        .map(|index| {
            let values = (0..images).map(|image| value(image, index));
            values.reduce(&join).unwrap_or_default()
        })
        .collect()
}

pub fn sum(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS {
        let mut sums = values(me, length);
        co_sum(&mut sums);
        let expected = joined(images, length, |a, b| a + b);
        check.same_items(format_args!("{length} sums"), &sums, &expected);
    }
    macro_rules! types {
        ($($type:ty)*) => { $(
            let mut sums = [this_image() as $type, 1 as $type, 3 as $type];
            co_sum(&mut sums);
            let first = (0..images).map(|image| image as $type).sum::<$type>();
            let expected = [first, images as $type, (3 * images) as $type];
            check.same(concat!("sums of ", stringify!($type)), sums, expected);
        )* };
    }
    types!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 u128);
    let mut table = [[me; 7]; 5];
    co_sum(&mut table);
    check.same(
        "an array of arrays",
        table,
        [[images * (images - 1) / 2; 7]; 5],
    );
}

pub fn extremes(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS {
        let mut smallest = values(me, length);
        let mut largest = smallest.clone();
        co_min(&mut smallest);
        co_max(&mut largest);
        check.same_items("minima", &smallest, &values(0, length));
        check.same_items("maxima", &largest, &values(images - 1, length));
    }
    let mut found = [-(me as f64), 0.5];
    if me + 1 == images {
        found[1] = f64::NAN;
    }
    let mut largest = found;
    co_min(&mut found);
    co_max(&mut largest);
    check.same("a minimum of floats", found[0], -((images - 1) as f64));
    check.same("a maximum of floats", largest[0], 0.0);
    check.that(found[1].is_nan() && largest[1].is_nan(), || {
        format!("NaN was overlooked: {found:?}, {largest:?}")
    });
}

pub fn located(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS {
        // Image 0 has the smallest, the last the largest; of those that are equal, the first counts.
        let mine = (values(me, length), vec![me as u16; length]);
        let extreme = |image: usize| (values(image, length), vec![image as u16; length]);
        let root = length % images;
        let (mut smallest, mut largest, mut equal) = (mine.clone(), mine.clone(), mine.1.clone());
        co_min_loc(&mut smallest.0, &mut smallest.1);
        co_max_loc(&mut largest.0, &mut largest.1);
        co_max_loc(&mut vec![0.5; length], &mut equal);
        check.same("minima", smallest, extreme(0));
        check.same("maxima", largest, extreme(images - 1));
        check.same_items("places of equal values", &equal, &vec![0; length]);
        let (mut smallest, mut largest) = (mine.clone(), mine.clone());
        co_min_loc_to(&mut smallest.0, &mut smallest.1, root);
        co_max_loc_to(&mut largest.0, &mut largest.1, root);
        let for_root = |extreme| if me == root { extreme } else { mine.clone() };
        check.same("minima for one", smallest, for_root(extreme(0)));
        check.same("maxima for one", largest, for_root(extreme(images - 1)));
    }
    let (mut found, mut at) = (if me + 1 == images { f64::NAN } else { 0.5 }, me);
    co_min_loc(&mut found, &mut at);
    check.that(found.is_nan() && at + 1 == images, || {
        format!("NaN was overlooked: {found} of image {at}")
    });
}

/// The images `first..=last`. Joining images that are not consecutive gives `SPOILT`.
#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
pub struct Span {
    first: u32,
    last: u32,
}

impl Span {
    const SPOILT: Self = Self {
        first: u32::MAX,
        last: u32::MAX,
    };

    pub fn of(first: usize, last: usize) -> Self {
        let (first, last) = (first as u32, last as u32);
        Self { first, last }
    }

    /// Associative and not commutative.
    pub fn join(self, next: Self) -> Self {
        match self.last.checked_add(1) {
            Some(first) if first == next.first => Self {
                first: self.first,
                last: next.last,
            },
            _ => Self::SPOILT,
        }
    }
}

pub fn reduce(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS {
        let mut spans = vec![Span::of(me, me); length];
        co_reduce(&mut spans, Span::join);
        let expected = vec![Span::of(0, images - 1); length];
        check.same_items(format_args!("{length} spans"), &spans, &expected);
    }
    let mut product = me as u64 + 1;
    co_reduce(&mut product, |a, b| a * b);
    check.same("a product", product, (1..=images as u64).product());
}

pub fn to_one_image(check: &mut Check) {
    fn one<T: Copy + PartialEq + Debug>(
        check: &mut Check,
        what: &str,
        root: usize,
        (before, after): (&[T], &[T]),
        expected: &[T],
    ) {
        let expected = if this_image() == root {
            expected
        } else {
            before
        };
        check.same_items(format_args!("{what} to image {root}"), after, expected);
    }
    let (me, images) = (this_image(), num_images());
    for root in 0..images {
        for length in [1, 3, 17, 5000] {
            let before = values(me, length);
            let mut after = before.clone();
            co_sum_to(&mut after, root);
            let expected = joined(images, length, |a, b| a + b);
            one(check, "sum", root, (&before, &after), &expected);

            let mut after = before.clone();
            co_min_to(&mut after, root);
            one(
                check,
                "minimum",
                root,
                (&before, &after),
                &values(0, length),
            );

            let mut after = before.clone();
            co_max_to(&mut after, root);
            let expected = values(images - 1, length);
            one(check, "maximum", root, (&before, &after), &expected);

            let before = vec![Span::of(me, me); length];
            let mut after = before.clone();
            co_reduce_to(&mut after, root, Span::join);
            let expected = vec![Span::of(0, images - 1); length];
            one(check, "reduction", root, (&before, &after), &expected);
        }
    }
}

pub fn conditions(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    check.same("all", co_all(true), true);
    check.same("none", co_any(false), false);
    for image in 0..images {
        check.same("all but one", co_all(me != image), false);
        check.same("one", co_any(me == image), true);
        check.same("those up to one", co_count(me <= image), image + 1);
    }
}

pub fn scan(check: &mut Check) {
    let me = this_image();
    for length in LENGTHS {
        let mut spans = vec![Span::of(me + 1, me + 1); length];
        co_scan(&mut spans, Span::join);
        let expected = vec![Span::of(1, me + 1); length];
        check.same_items(
            format_args!("{length} spans up to this image"),
            &spans,
            &expected,
        );

        let mut spans = vec![Span::of(me + 1, me + 1); length];
        co_exscan(&mut spans, Span::of(0, 0), Span::join);
        let expected = vec![Span::of(0, me); length];
        check.same_items(
            format_args!("{length} spans before this image"),
            &spans,
            &expected,
        );
    }
}

pub fn reduce_scatter(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in [1, 2, 17, 3000] {
        let blocks = values(me, length * images);
        let mut mine = vec![0; length];
        co_reduce_scatter(&blocks, &mut mine, |a, b| a + b);
        let all = joined(images, length * images, |a, b| a + b);
        check.same_items("sums", &mine, &all[me * length..][..length]);

        let blocks = vec![Span::of(me, me); length * images];
        let mut mine = vec![Span::SPOILT; length];
        co_reduce_scatter(&blocks, &mut mine, Span::join);
        check.same_items("spans", &mine, &vec![Span::of(0, images - 1); length]);
    }
}

pub fn by_value(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS {
        let mine = || values(me, length);
        let changed = |change: fn(&mut Vec<i64>)| {
            let mut values = mine();
            change(&mut values);
            values
        };
        // Every second image calls the other form.
        let either = |change: fn(&mut Vec<i64>), value: fn(Vec<i64>) -> Vec<i64>| match me % 2 {
            0 => value(mine()),
            _ => changed(change),
        };
        let add = |a: i64, b: i64| a.wrapping_add(b);
        let sums = either(|x| co_sum(x), |x| co_sum_of(x));
        check.same_items("sums", &sums, &joined(images, length, add));
        let least = either(|x| co_min(x), |x| co_min_of(x));
        check.same_items("minima", &least, &values(0, length));
        let most = either(|x| co_max(x), |x| co_max_of(x));
        check.same_items("maxima", &most, &values(images - 1, length));
        let first = either(|x| co_reduce(x, |a, _| a), |x| co_reduce_of(x, |a, _| a));
        check.same_items("the first values", &first, &values(0, length));
        let root = either(|x| co_broadcast(x, 0), |x| co_broadcast_of(x, 0));
        check.same_items("the root's values", &root, &values(0, length));
        let up_to = co_scan_of(mine(), add);
        check.same_items("sums up to here", &up_to, &joined(me + 1, length, add));
        let before = co_exscan_of(mine(), 0, add);
        check.same_items("sums before", &before, &joined(me, length, add));
    }
    check.same("where the least is", co_min_loc_of(me, me), (0, 0));
    let last = images - 1;
    check.same("where the most is", co_max_loc_of(me, me), (last, last));
}
