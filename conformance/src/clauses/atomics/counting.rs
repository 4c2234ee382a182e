//! All images operate on one place: no operation is lost.

use coarray::prelude::*;

use crate::check::Check;

/// How often each image does it.
const TIMES: u64 = 400;

pub fn one_word(check: &mut Check) {
    let images = num_images() as u64;
    // First a word of the first image, then a word of the last one.
    for owner in [0, num_images() - 1] {
        let count = Coarray::new(Coatomic::new(0_u64));
        for _ in 0..TIMES {
            if this_image() == owner {
                count.fetch_add(1);
            } else {
                count.at(owner).fetch_add(1);
            }
        }
        sync_all();
        let what = format!("additions to the word of image {owner}");
        check.same(what, count.at(owner).load(), images * TIMES);
    }
}

pub fn without_result(check: &mut Check) {
    let owner = num_images() - 1;
    let count = Coarray::new(Coatomic::new(0_u32));
    for _ in 0..TIMES {
        count.at(owner).add(3);
        count.at(owner).sub(1);
    }
    sync_all();
    let all = 2 * num_images() as u32 * TIMES as u32;
    check.same("the sum", count.at(owner).load(), all);
}

pub fn all_words(check: &mut Check) {
    const WORDS: usize = 8;
    let images = num_images();
    let table = Coarray::<[Coatomic<i64>; WORDS]>::from_fn(|_| Coatomic::new(0));
    for time in 0..TIMES as usize {
        let hash = (time * 2_654_435_761 + this_image() * 40_503) >> 5;
        let place = table.at((this_image() + time) % images);
        place[hash % WORDS].add(1);
    }
    sync_all();
    let sum: i64 = (0..images)
        .flat_map(|image| (0..WORDS).map(move |word| (image, word)))
        .map(|(image, word)| table.at(image)[word].load())
        .sum();
    check.same("all additions", sum, images as i64 * TIMES as i64);
}

pub fn neighbours(check: &mut Check) {
    let bytes = Coarray::<[Coatomic<u8>; 16]>::from_fn(|_| Coatomic::new(0));
    let shorts = Coarray::<[Coatomic<u16>; 16]>::from_fn(|_| Coatomic::new(0));
    for time in 0..TIMES as usize {
        bytes.at(0)[(time + this_image()) % 16].add(1);
        shorts.at(0)[(time + 5 * this_image()) % 16].fetch_add(1);
    }
    sync_all();
    let each = num_images() * TIMES as usize / 16;
    for item in 0..16 {
        let what = format!("byte {item}");
        check.same(what, bytes.at(0)[item].load(), each as u8);
        let what = format!("short word {item}");
        check.same(what, shorts.at(0)[item].load(), each as u16);
    }
}

pub fn floats(check: &mut Check) {
    let sums = Coarray::new(Coatomic::new(0.0_f64));
    let short_sums = Coarray::new(Coatomic::new(0.0_f32));
    for _ in 0..TIMES {
        sums.at(0).add(0.5);
        short_sums.at(0).fetch_add(0.5);
    }
    sync_all();
    let all = 0.5 * num_images() as f64 * TIMES as f64;
    check.same("the sum", sums.at(0).load(), all);
    check.same("the short sum", short_sums.at(0).load(), all as f32);
}

pub fn structs(check: &mut Check) {
    let pairs = Coarray::new(Coatomic::new([0_u64, 1000, 0]));
    let place = pairs.at(num_images() - 1);
    for _ in 0..TIMES / 4 {
        let mut seen = place.load();
        loop {
            let next = [seen[0] + 1, seen[1] + 1, seen[2] + this_image() as u64];
            match place.compare_exchange(seen, next) {
                Ok(_) => break,
                Err(other) => seen = other,
            }
        }
    }
    sync_all();
    let images = num_images() as u64;
    let count = images * (TIMES / 4);
    let sum = images * (images - 1) / 2 * (TIMES / 4);
    check.same("the struct", place.load(), [count, 1000 + count, sum]);
}

pub fn tickets(check: &mut Check) {
    let next = Coarray::new(Coatomic::new(0_usize));
    let mut taken = Coarray::<[u32]>::zeroed(TIMES as usize * num_images());
    {
        let taken = taken.open();
        for _ in 0..TIMES {
            let ticket = next.at(0).fetch_add(1);
            check.that(ticket < taken.at(0).len(), || format!("ticket {ticket}"));
            if ticket < taken.at(0).len() {
                taken.at(0)[ticket].put(this_image() as u32 + 1);
            }
        }
    }
    if this_image() == 0 {
        for image in 0..num_images() {
            let tickets = taken.iter().filter(|&&owner| owner as usize == image + 1);
            let what = format!("different tickets of image {image}");
            check.same(what, tickets.count(), TIMES as usize);
        }
    }
}

pub fn exchanges(check: &mut Check) {
    const ROUNDS: usize = 60;
    let images = num_images();
    let winner = Coarray::<[Coatomic<u64>; ROUNDS]>::from_fn(|_| Coatomic::new(0));
    let mut won = 0;
    for round in 0..ROUNDS {
        let mine = this_image() as u64 + 1;
        won += u64::from(
            winner.at(round % images)[round]
                .compare_exchange(0, mine)
                .is_ok(),
        );
    }
    let wins = Coarray::new(Coatomic::new(0));
    wins.at(0).fetch_add(won);
    // A value that is swapped in comes out by another swap, or stays.
    let token = Coarray::new(Coatomic::new(0_u64));
    let (put, got) = (
        Coarray::new(Coatomic::new(0)),
        Coarray::new(Coatomic::new(0)),
    );
    for time in 0..TIMES {
        let mine = time * images as u64 + this_image() as u64 + 1;
        let other = token.at(images - 1).swap(mine);
        put.at(0).add(mine);
        got.at(0).add(other);
    }
    sync_all();
    check.same("images that won", wins.at(0).load(), ROUNDS as u64);
    let left = token.at(images - 1).load();
    check.same("what came out", got.at(0).load() + left, put.at(0).load());
}

pub fn bits(check: &mut Check) {
    let images = num_images();
    // Each image has the bits whose numbers have the image's number as remainder.
    let all_bits = || (0..64).filter(|bit| bit % images == this_image());
    let set = Coarray::new(Coatomic::new(0_u64));
    let cleared = Coarray::new(Coatomic::new(!0_u64));
    let turned = Coarray::new(Coatomic::new(0_u64));
    for bit in all_bits() {
        set.at(0).fetch_or(1 << bit);
        cleared.at(0).and(!(1 << bit));
        for _ in 0..7 {
            turned.at(0).xor(1 << bit);
        }
    }
    sync_all();
    check.same("bits set", set.at(0).load(), !0);
    check.same("bits not cleared", cleared.at(0).load(), 0);
    check.same("bits turned over", turned.at(0).load(), !0);
}

pub fn extremes(check: &mut Check) {
    let images = num_images() as i64;
    let smallest = Coarray::new(Coatomic::new(i64::MAX));
    let largest = Coarray::new(Coatomic::new(f64::NEG_INFINITY));
    for time in (0..TIMES as i64).rev() {
        let value = time * images + this_image() as i64;
        smallest.at(0).fetch_min(value - 1000);
        largest.at(0).max(value as f64);
    }
    sync_all();
    check.same("the smallest", smallest.at(0).load(), -1000);
    let most = (TIMES as i64 * images - 1) as f64;
    check.same("the largest", largest.at(0).load(), most);
}

pub fn words_of_open_coarrays(check: &mut Check) {
    let mut x = Coarray::<[u64; 3]>::zeroed();
    {
        let x = x.open();
        for time in 0..TIMES {
            let place = x.at(0);
            place[1].as_atomic().fetch_add(1);
            // Plain puts to the words beside it go on meanwhile.
            if this_image() == num_images() - 1 {
                place[0].put(time);
                place[2].put(time);
            }
        }
    }
    if this_image() == 0 {
        let all = TIMES * num_images() as u64;
        check.same("the words", *x, [TIMES - 1, all, TIMES - 1]);
    }
}
