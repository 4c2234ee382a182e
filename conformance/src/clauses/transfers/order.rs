//! The order of one image's transfers to a place, and several images' transfers side by side.

use coarray::check::racy;
use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

const ROUNDS: u64 = 60;

pub fn last_put_stays(check: &mut Check) {
    let mut x = Coarray::<[u64; ROUNDS as usize]>::zeroed();
    {
        let x = x.open();
        for (round, place) in x.at(right(1)).iter().enumerate() {
            for value in 1..=5 {
                place.put(100 * round as u64 + value);
            }
        }
    }
    let expected: Vec<u64> = (0..ROUNDS).map(|round| 100 * round + 5).collect();
    check.same_items("the values put last", &x[..], &expected);
}

pub fn overlapping_puts(check: &mut Check) {
    let mut x = Coarray::<[[u8; 40]; ROUNDS as usize]>::zeroed();
    let expected = |round: u8| {
        let mut row = [round; 40];
        row[5..21].fill(round + 1);
        row[16..24].fill(round + 2);
        row[23] = round + 3;
        row[0..6].fill(round + 4);
        row
    };
    {
        let x = x.open();
        for (round, row) in x.at(right(1)).iter().enumerate() {
            let round = round as u8;
            row.fill(round);
            row[5..21].put_from(&[round + 1; 16]);
            row[16..24].put_from(&[round + 2; 8]);
            row[23].put(round + 3);
            row[0..6].put_from(&[round + 4; 6]);
        }
    }
    for (round, row) in x.iter().enumerate() {
        check.same_items("a row", row, &expected(round as u8));
    }
}

pub fn get_after_put(check: &mut Check) {
    let mut x = Coarray::<[[u64; 40]]>::zeroed(num_images());
    let x = x.open();
    let place = &x.at(right(1))[this_image()];
    for round in (1..ROUNDS).map(|round| 100 * round) {
        place[7].put(round);
        check.same("the word", place[7].get(), round);
        place.put_from(&[round + 1; 40]);
        place[7].put(round + 2);
        place[10..20].fill(round + 3);
        place.section(30.., 4).put_from(&[round + 4; 3]);
        drop(place[8].put_async(round + 5));
        let mut expected = [round + 1; 40];
        expected[7] = round + 2;
        expected[10..20].fill(round + 3);
        for item in [30, 34, 38] {
            expected[item] = round + 4;
        }
        expected[8] = round + 5;
        check.same_items("the row", &place.get(), &expected);
    }
}

pub fn put_after_get(check: &mut Check) {
    let mut x = Coarray::<[[u64; 40]]>::zeroed(num_images());
    let x = x.open();
    let place = &x.at(right(1))[this_image()];
    for round in 1..ROUNDS {
        let word = place[7].get_async();
        let row = place.get_async();
        place[7].put(round);
        place.put([round; 40]);
        check.same("the word", word.wait(), round - 1);
        check.same_items("the row", &row.wait(), &[round - 1; 40]);
    }
}

pub fn atomics_and_puts(check: &mut Check) {
    let mut x = Coarray::<[u64]>::zeroed(num_images());
    {
        let x = x.open();
        let place = &x.at(right(1))[this_image()];
        for round in (1..ROUNDS).map(|round| 100 * round) {
            place.put(round);
            let before = place.as_atomic().fetch_add(1);
            check.same("what an addition found", before, round);
            check.same("what a get found", place.get(), round + 1);
            drop(place.put_async(round + 2));
            place.as_atomic().add(3);
            check.same("what a load found", place.as_atomic().load(), round + 5);
            place.as_atomic().store(round + 6);
            place.put(round + 7);
        }
    }
    check.same("what stayed", x[left(1)], 100 * (ROUNDS - 1) + 7);
}

pub fn neighbouring_bytes(check: &mut Check) {
    const LENGTH: usize = 203;
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::<[u8]>::zeroed(LENGTH);
    for round in 1..=20 {
        {
            let x = x.open();
            for to in 0..images {
                for item in (me..LENGTH).step_by(images) {
                    x.at(to)[item].put((item ^ round) as u8);
                }
            }
        }
        let expected: Vec<u8> = (0..LENGTH).map(|item| (item ^ round) as u8).collect();
        check.same_items("the bytes", &x, &expected);
    }
}

pub fn racing_words(check: &mut Check) {
    let word = |image: usize, round: u64| (0x0101_0101 * (image as u64 + 1)) | (round << 40);
    let mut x = Coarray::<[u64; ROUNDS as usize]>::zeroed();
    {
        let x = x.open();
        for (round, place) in x.at(0).iter().enumerate() {
            racy("all put there", || {
                place.put(word(this_image(), round as u64))
            });
        }
        sync_all();
        let here = x.at(0).get();
        for (round, &seen) in here.iter().enumerate() {
            let known = (0..num_images()).any(|image| seen == word(image, round as u64));
            check.that(known, || format!("nobody put {seen:#x} in round {round}"));
        }
    }
}
