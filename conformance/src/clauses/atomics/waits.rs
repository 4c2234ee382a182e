//! Waiting for values.

use std::fmt::Debug;
use std::time::Duration;

use coarray::image_fence;
use coarray::prelude::*;

use crate::check::Check;
use crate::patience::patience;
use crate::ring::{left, right};

const TURNS: u64 = 60;

/// Waits until `until` holds; notes it if that is in vain.
#[track_caller]
fn came<T: Remote + Debug>(check: &mut Check, word: &Coatomic<T>, until: impl Fn(T) -> bool) {
    let seen = word.wait_until_timeout(patience(), until);
    check.that(matches!(seen, Ok(Some(_))), || {
        format!("waited in vain for a value: {seen:?}, and now it is {word:?}")
    });
}

pub fn values(check: &mut Check) {
    let words = Coarray::<[Coatomic<u64>; 3]>::from_fn(|_| Coatomic::new(0));
    let byte = Coarray::new(Coatomic::new(0_u8));
    let long = Coarray::new(Coatomic::new([0_u64; 5]));
    let mut plain = Coarray::new([0_i32; 4]);
    let plain = plain.open();
    for turn in 1..=TURNS {
        words.at(right(1))[turn as usize % 3].add(1);
        came(check, &words[turn as usize % 3], |word| {
            word > (turn - 1) / 3
        });
        byte.at(left(1)).fetch_add(1);
        came(check, &byte, |byte| byte >= turn as u8);
        long.at(right(1)).swap([turn; 5]);
        came(check, &long, |long| long[4] >= turn);
        plain.at(left(1))[2].as_atomic().sub(1);
        let place = plain.here()[2].as_atomic();
        let seen = place.wait_until_timeout(patience(), |number| number <= -(turn as i32));
        check.that(matches!(seen, Ok(Some(_))), || {
            format!("in vain for {turn}: {seen:?}")
        });
    }
    // All tell one image.
    let all = Coarray::new(Coatomic::new(0));
    all.at(num_images() - 1).add(1);
    if this_image() + 1 == num_images() {
        came(check, &all, |all| all == num_images());
    }
}

pub fn data_before_value(check: &mut Check) {
    let [sent, read] = [(); 2].map(|()| Coarray::new(Coatomic::new(0)));
    let mut data = Coarray::new([0; 30]);
    let data = data.open();
    for turn in 1..=TURNS {
        data.at(right(1)).put([turn; 30]);
        fence(right(1));
        sent.at(right(1)).store(turn);
        came(check, &sent, |sent| sent >= turn);
        image_fence();
        check.same("what was put", data.here().get(), [turn; 30]);
        // What was read before the sign that it may be replaced.
        image_fence();
        read.at(left(1)).store(turn);
        came(check, &read, |read| read >= turn);
    }
}

pub fn timeouts(check: &mut Check) {
    const SHORT: Duration = Duration::from_millis(5);
    let word = Coarray::new(Coatomic::new('a'));
    let until = |letter| letter > 'b';
    check.same("at first", word.wait_until_timeout(SHORT, until), Ok(None));
    sync_all();
    word.at(right(1)).store('b');
    sync_all();
    check.same(
        "another value",
        word.wait_until_timeout(SHORT, until),
        Ok(None),
    );
    sync_all();
    word.at(right(1)).store('c');
    sync_all();
    check.same(
        "the value",
        word.wait_until_timeout(SHORT, until),
        Ok(Some('c')),
    );
}
