//! Collectives that move values.

use coarray::collectives::{
    co_allgatherv, co_alltoall, co_alltoallv, co_alltoallv_into, co_gather, co_gatherv, co_scatter,
    co_scatterv,
};
use coarray::prelude::*;

use super::{LENGTHS, values};
use crate::check::Check;

pub fn broadcast(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for root in 0..images {
        for length in LENGTHS {
            let mut received = values(me, length);
            co_broadcast(&mut received, root);
            let what = format!("{length} values of image {root}");
            check.same_items(what, &received, &values(root, length));
        }
    }
}

/// The values of all images, one after the other.
fn all_values(images: usize, length: usize) -> Vec<i64> {
    (0..images)
        .flat_map(|image| values(image, length))
        .collect()
}

pub fn gather(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in LENGTHS.into_iter().filter(|&length| length <= 1000) {
        let mut gathered = vec![0; length * images];
        co_allgather(&values(me, length), &mut gathered);
        check.same_items(
            "values of all for all",
            &gathered,
            &all_values(images, length),
        );
        for root in 0..images {
            let mut gathered = vec![0; if me == root { length * images } else { 0 }];
            co_gather(&values(me, length), &mut gathered, root);
            if me == root {
                let what = format!("{length} values of all for image {root}");
                check.same_items(what, &gathered, &all_values(images, length));
            }
        }
    }
}

pub fn scatter(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for root in 0..images {
        for length in [1, 2, 17, 3000] {
            let parts = match me == root {
                true => values(root, length * images),
                false => vec![],
            };
            let mut mine = vec![0; length];
            co_scatter(&parts, &mut mine, root);
            let all = values(root, length * images);
            let what = format!("{length} values of image {root}");
            check.same_items(what, &mine, &all[me * length..][..length]);
        }
    }
}

pub fn alltoall(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for length in [0, 1, 2, 17, 3000] {
        let send = values(me, length * images);
        let mut received = vec![0; length * images];
        co_alltoall(&send, &mut received);
        for from in 0..images {
            let theirs = values(from, length * images);
            let what = format!("{length} values of image {from}");
            let seen = &received[from * length..][..length];
            check.same_items(what, seen, &theirs[me * length..][..length]);
        }
    }
}

/// How many values image `from` has for image `to`.
fn length(from: usize, to: usize) -> usize {
    match (from + 2 * to) % 4 {
        0 => 0,
        1 => 1,
        2 => 30 + from,
        _ => 2500 + to,
    }
}

pub fn ragged(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let run = |from: usize, to: usize| values(from * images + to, length(from, to));
    for root in 0..images {
        let gathered = co_gatherv(&run(me, root), root);
        let expected: Vec<_> = (0..images).map(|from| run(from, root)).collect();
        if me == root {
            check.same("what was gathered", gathered, expected);
        }
        let parts: Vec<_> = match me == root {
            true => (0..images).map(|to| run(root, to)).collect(),
            false => vec![],
        };
        check.same_items(
            "what was dealt out",
            &co_scatterv(&parts, root),
            &run(root, me),
        );
    }
    let gathered = co_allgatherv(&run(me, 0));
    let expected: Vec<_> = (0..images).map(|from| run(from, 0)).collect();
    check.same("what all gathered", gathered, expected);
    let parts: Vec<_> = (0..images).map(|to| run(me, to)).collect();
    let received = co_alltoallv(&parts);
    let expected: Vec<_> = (0..images).map(|from| run(from, me)).collect();
    check.same("what all sent to all", received, expected.clone());
    let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
    let mut flat = vec![1; me];
    for _ in 0..2 {
        let from = co_alltoallv_into(&parts.concat(), &lengths, &mut flat);
        check.same_items("what came in one run", &flat, &expected.concat());
        let expected: Vec<usize> = expected.iter().map(Vec::len).collect();
        check.same_items("how many from each", &from, &expected);
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Pixel {
    colour: [u8; 3],
    visible: bool,
}

pub fn types(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    for root in 0..images {
        let pixel = |image: usize| Pixel {
            colour: [image as u8, 7, 255],
            visible: image == root,
        };
        let mut picture = vec![pixel(me); 2000];
        co_broadcast(&mut picture, root);
        check.same_items("structs", &picture, &vec![pixel(root); 2000]);
        let mut text = ['a', 'ß', '∂'];
        text.rotate_left(me % 3);
        co_broadcast(&mut text, root);
        let mut expected = ['a', 'ß', '∂'];
        expected.rotate_left(root % 3);
        check.same("characters", text, expected);
        let mut odd = [me as u8; 13];
        co_broadcast(&mut odd, root);
        check.same("an odd number of bytes", odd, [root as u8; 13]);
        let mut large = [me as u128; 3];
        co_broadcast(&mut large, root);
        check.same("large numbers", large, [root as u128; 3]);
    }
    let mut gathered = vec![false; 5 * images];
    co_allgather(&[me % 2 == 0; 5], &mut gathered);
    let expected: Vec<bool> = (0..5 * images).map(|item| item / 5 % 2 == 0).collect();
    check.same_items("truth values", &gathered, &expected);
}

pub fn coarrays(check: &mut Check) {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::<[i64]>::from_fn(5000, |i| (i * me) as i64);
    co_sum(&mut x);
    let factor = images * (images - 1) / 2;
    let expected: Vec<i64> = (0..5000).map(|i| (i * factor) as i64).collect();
    check.same_items("sums in a coarray", &x, &expected);
    let mut y = Coarray::new([[me; 3]; 4]);
    co_broadcast(&mut y, images - 1);
    check.same("a coarray of one root", *y, [[images - 1; 3]; 4]);
    // It still is a coarray.
    let (x, y) = coarray::open((&mut x, &mut y));
    check.same(
        "an item elsewhere",
        x.at(images - 1)[77].get(),
        expected[77],
    );
    check.same("a row elsewhere", y.at(0)[3].get(), [images - 1; 3]);
}
