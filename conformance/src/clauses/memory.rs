//! 2. Symmetric memory.

use std::fmt::Debug;

use coarray::prelude::*;

use crate::check::Check;
use crate::clause::{Clause, Section};
use crate::ring::{left, right};

/// The section.
pub const SECTION: Section = Section {
    number: 2,
    title: "symmetric memory",
    clauses: &[
        Clause::new(
            "2.1",
            "a coarray holds on each image what this image gave",
            initial_values,
        ),
        Clause::new(
            "2.2",
            "a coarray made by zeroed is zero, also in memory that was used before",
            zeroed,
        ),
        Clause::new(
            "2.3",
            "items of coarrays of both kinds of extents are made by from_fn",
            from_fn,
        ),
        Clause::new("2.4", "no two coarrays that live overlap", no_overlap),
        Clause::new(
            "2.5",
            "memory of coarrays that were dropped is used again",
            reuse,
        ),
        Clause::new(
            "2.6",
            "if there is no room, all images get an error, and can go on",
            no_room,
        ),
        Clause::new(
            "2.7",
            "the parts of a coarray are aligned for its type",
            alignment,
        ),
        Clause::new(
            "2.8",
            "images may drop a coarray at different times",
            dropped_at_different_times,
        ),
        Clause::new(
            "2.9",
            "a coarray in another shape is the same memory",
            shapes,
        ),
        Clause::new(
            "2.10",
            "a coarray of several MiB is reached from end to end",
            large,
        ),
        Clause::new(
            "2.11",
            "a guard that has its coarray gives it back with all that was put",
            owned_guards,
        ),
    ],
};

fn initial_values(check: &mut Check) {
    let mut x = Coarray::new([this_image() * 10, num_images()]);
    check.same("own part", *x, [this_image() * 10, num_images()]);
    let x = x.publish();
    for image in 0..num_images() {
        let theirs = x.at(image).get();
        check.same(
            format_args!("part of image {image}"),
            theirs,
            [image * 10, num_images()],
        );
    }
}

fn zeroed(check: &mut Check) {
    for _ in 0..4 {
        let mut x = Coarray::<[[u32; 33]; 65]>::zeroed();
        let mut y = Coarray::<[u8]>::zeroed(4099);
        check.that(x.iter().flatten().all(|&item| item == 0), || {
            "an array is not zero".into()
        });
        check.that(y.iter().all(|&item| item == 0), || {
            "a run is not zero".into()
        });
        x.iter_mut().flatten().for_each(|item| *item = u32::MAX);
        y.fill(0xFF);
        let (x, y) = coarray::open((&mut x, &mut y));
        x.at(right(1)).fill(0x5555_5555);
        y.at(right(1)).fill(0x55);
    }
}

fn from_fn(check: &mut Check) {
    let mut bounded = Coarray::<[u64; 500]>::from_fn(|i| (1000 * this_image() + i) as u64);
    let mut unbounded = Coarray::<[u64]>::from_fn(501, |i| (2000 * this_image() + i) as u64);
    let bounded = bounded.publish();
    let unbounded = unbounded.publish();
    for image in 0..num_images() {
        let expected: Vec<u64> = (0..500).map(|i| (1000 * image + i) as u64).collect();
        check.same_items("an array", &bounded.at(image)[..].to_vec(), &expected);
        let expected: Vec<u64> = (0..501).map(|i| (2000 * image + i) as u64).collect();
        check.same_items("a run", &unbounded.at(image).to_vec(), &expected);
    }
}

fn no_overlap(check: &mut Check) {
    let lengths = [1, 2, 7, 8, 63, 64, 65, 1000, 4095, 4097, 70_001];
    let pattern = |number: usize, image: usize| (17 * number + 5 * image + 1) as u8;
    let mut coarrays = Vec::new();
    for length in lengths {
        coarrays.push(Coarray::<[u8]>::zeroed(length));
    }
    // Drops every other coarray, so that the next ones take their places.
    let mut number = 0;
    coarrays.retain(|_| {
        number += 1;
        number % 2 == 0
    });
    for length in lengths {
        coarrays.push(Coarray::<[u8]>::zeroed(length));
    }
    for (number, x) in coarrays.iter_mut().enumerate() {
        x.open().at(right(1)).fill(pattern(number, this_image()));
    }
    for (number, x) in coarrays.iter().enumerate() {
        let expected = vec![pattern(number, left(1)); x.len()];
        check.same_items(format_args!("coarray {number}"), x, &expected);
    }
}

fn reuse(check: &mut Check) {
    // Together more than the heap of any job of the driver.
    for round in 0..24_u64 {
        match Coarray::<[u64]>::try_zeroed(1 << 19) {
            Ok(mut x) => x[(1 << 19) - 1] = round,
            Err(error) => check.that(false, || format!("in round {round}: {error}")),
        }
    }
}

fn no_room(check: &mut Check) {
    for extent in [1 << 40, usize::MAX / 8, usize::MAX] {
        let outcome = Coarray::<[u64]>::try_zeroed(extent);
        check.that(outcome.is_err(), || {
            format!("there was room for {extent} words")
        });
    }
    let mut x = Coarray::new(0);
    x.open().at(right(1)).put(1 + this_image());
    check.same("a coarray made afterwards", *x, 1 + left(1));
}

fn alignment(check: &mut Check) {
    fn aligned<T: Remote + Debug>(check: &mut Check, value: T) {
        let _unaligned = Coarray::new(1_u8);
        let mut x = Coarray::new(value);
        let address = std::ptr::from_mut(&mut *x).addr();
        check.same(
            "distance from an aligned place",
            address % align_of::<T>(),
            0,
        );
        let address = x.open().at(right(1)).local_address();
        check.same("the same at a neighbour", address % align_of::<T>(), 0);
    }
    aligned(check, 1_u8);
    aligned(check, 1_u16);
    aligned(check, 1_u32);
    aligned(check, 1_u64);
    aligned(check, 1_u128);
    aligned(check, [1.0_f64; 3]);
    let event = Coarray::new(Coevent::new());
    let address = std::ptr::from_ref(&*event).addr();
    check.same("that of an event", address % align_of::<Coevent>(), 0);
}

fn dropped_at_different_times(check: &mut Check) {
    for _ in 0..10 {
        let mut early = Some(Coarray::new([this_image(); 20]));
        if this_image().is_multiple_of(2) {
            early = None;
        }
        let mut x = Coarray::new([0; 300]);
        x.open().at(right(1)).put([this_image() + 1; 300]);
        if let Some(early) = &early {
            check.same("a coarray that lives", **early, [this_image(); 20]);
        }
        drop(early);
        let y = Coarray::new([7; 300]);
        check.same_items("the second coarray", &x[..], &[left(1) + 1; 300]);
        check.same_items("the third coarray", &y[..], &[7; 300]);
    }
}

fn shapes(check: &mut Check) {
    let mut flat = Coarray::<[i32; 200]>::from_fn(|i| (1000 * this_image() + i) as i32);
    {
        let rows = flat.shape_cast_mut::<[[i32; 20]; 10]>();
        let rows = rows.open();
        let (row, column) = (9, 19);
        let seen = rows.at(right(1))[row][column].get();
        check.same("an item", seen, (1000 * right(1) + 199) as i32);
        sync_all();
        rows.at(right(1))[3][4].put(-1);
    }
    check.same("the item in the other shape", flat[64], -1);
    check.same("the unbounded form", flat.as_unbounded()[64], -1);
}

fn large(check: &mut Check) {
    const WORDS: usize = 1 << 19;
    let mut x = Coarray::<[u64]>::zeroed(WORDS);
    {
        let x = x.open();
        let source: Vec<u64> = (0..WORDS as u64).map(|i| i ^ this_image() as u64).collect();
        x.at(right(1)).put_from(&source);
        sync_all();
        let seen = x.at(right(2)).to_vec();
        let expected: Vec<u64> = (0..WORDS as u64).map(|i| i ^ right(1) as u64).collect();
        check.same_items("at the image after the next", &seen, &expected);
    }
    let expected: Vec<u64> = (0..WORDS as u64).map(|i| i ^ left(1) as u64).collect();
    check.same_items("here", &x, &expected);
}

fn owned_guards(check: &mut Check) {
    let mut x = Coarray::<[usize]>::zeroed(num_images());
    let mut tail = Ragged::from_fn(1 + this_image() % 2, |_| 0);
    for round in 1..5 {
        let (open, open_tail) = (x.into_open(), tail.into_open());
        for image in 0..num_images() {
            open.at(image)[this_image()].put(round * (1 + this_image()));
        }
        open_tail.at(right(1))[0].put(round);
        let published = open.close().into_published();
        let item = published.at(right(1))[right(2)].get();
        check.same("an item", item, round * (1 + right(2)));
        (x, tail) = (published.close(), open_tail.close());
        check.same("the tail", tail[0], round);
        let expected: Vec<usize> = (1..=num_images()).map(|image| round * image).collect();
        check.same_items("the own part", &x, &expected);
    }
}
