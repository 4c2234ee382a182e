//! Programs that must work, wherever they run.

use std::fmt::Debug;

use coarray::prelude::*;

use crate::coordination;

/// All programs that must work, in one job.
pub fn everything() {
    all_to_all();
    allocation();
    coatomics();
    crate::asynchronous::cofutures();
    crate::asynchronous::collectives();
    collectives();
    coordination::teams();
    coordination::events();
    sync_all();
    if this_image() == 0 {
        println!("everything works");
    }
}

/// Every image puts a value made from both images' numbers into its own place on every image, in coarrays
/// of several types and shapes, and gets it back from everywhere.
pub fn all_to_all() {
    exchange(|from, to| (100 * from + to) as u8);
    exchange(|from, to| (100 * from + to) as i16);
    exchange(|from, to| (100 * from + to) as u32);
    exchange(|from, to| -((100 * from + to) as i64));
    exchange(|from, to| (100 * from + to) as u128 * 0x1_0000_0000_0000_0001);
    exchange(|from, to| from as f32 / (to + 1) as f32);
    exchange(|from, to| from as f64 / (to + 1) as f64);
    exchange(|from, to| (from + to) % 2 == 1);
    exchange(|from, to| char::from_u32((0x3b1 + 9 * from + to) as u32).unwrap());
    exchange(|from, to| [from as f64, to as f64, 0.5]);
    exchange(|from, to| [[from as u16; 3], [to as u16; 3]]);
    exchange(|from, to| Particle {
        position: [from as f64, to as f64],
        charge: Charge::of(from + to),
        mass: 7,
    });
    members();
}

#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 2],
    charge: Charge,
    mass: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Remote)]
#[repr(u32)]
enum Charge {
    Positive = 1,
    Negative = 5,
}

impl Charge {
    fn of(number: usize) -> Self {
        if number.is_multiple_of(2) {
            Self::Positive
        } else {
            Self::Negative
        }
    }
}

fn exchange<T: Remote + PartialEq + Debug>(value: impl Fn(usize, usize) -> T) {
    let (me, images) = (this_image(), num_images());
    let mut inbox = Coarray::<[T]>::from_fn(2 * images, |_| value(0, 0));
    let open = inbox.open();
    for to in 0..images {
        open.at(to)[me].put(value(me, to));
        let row = vec![value(me, to); images - me];
        open.at(to)[images + me..]
            .section(..1, 1)
            .put_from(&row[..1]);
    }
    sync_all();
    for to in 0..images {
        let expected: Vec<T> = (0..images).map(|from| value(from, to)).collect();
        assert_eq!(open.at(to)[..images].to_vec(), expected);
        assert_eq!(open.at(to)[images..].to_vec(), expected);
        assert_eq!(open.at(to)[me].get(), value(me, to));
    }
    sync_all();
    drop(open);
    assert!((0..images).all(|from| inbox[from] == value(from, me)));
}

fn members() {
    let mut particles = Coarray::new(
        [Particle {
            position: [0.0; 2],
            charge: Charge::Positive,
            mass: 1,
        }; 3],
    );
    let open = particles.open();
    let right = (this_image() + 1) % num_images();
    field!(open.at(right)[2], mass).put(this_image() as u32);
    field!(open.at(right)[2], position)[1].put(0.25);
    field!(open.at(right)[2], charge).put(Charge::Negative);
    drop(open);
    let left = (this_image() + num_images() - 1) % num_images();
    let expected = Particle {
        position: [0.0, 0.25],
        charge: Charge::Negative,
        mass: left as u32,
    };
    assert_eq!(particles[2], expected);
}

/// All images count at once on image 0: in a word, in a float, in a struct that takes a lock, and in place.
pub fn coatomics() {
    const TURNS: u64 = 2000;
    let words = Coarray::new(Coatomic::new(0u16));
    let floats = Coarray::new(Coatomic::new(0.0));
    let structs = Coarray::new(Coatomic::new([0u64; 100]));
    let mut plain = Coarray::<[u32; 3]>::zeroed();
    let plain = plain.open();
    for _ in 0..TURNS {
        words.at(0).add(1);
        floats.at(0).add(0.5);
        plain.at(0)[1].as_atomic().add(1);
        let mut seen = structs.at(0).load();
        while let Err(other) = structs.at(0).compare_exchange(seen, [seen[0] + 1; 100]) {
            seen = other;
        }
        assert_eq!(seen, [seen[0]; 100], "half of each of two values");
    }
    sync_all();
    let total = TURNS * num_images() as u64;
    assert_eq!(u64::from(words.at(0).load()), total);
    assert_eq!(floats.at(0).load(), total as f64 / 2.0);
    assert_eq!(structs.at(0).load(), [total; 100]);
    assert_eq!(u64::from(plain.at(0)[1].get()), total);
}

/// Creates and drops coarrays and ragged runs in one random order on all images; each keeps its contents.
pub fn allocation() {
    let mut random = 12345u64;
    let mut next = move |below: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let me = this_image() as u64;
    let mut live: Vec<(u64, Coarray<[u64]>, Ragged<u32>)> = Vec::new();
    for step in 0..400 {
        let victim = next(live.len() + 3);
        if victim < live.len() {
            live.swap_remove(victim);
        } else {
            let length = next(20_000);
            let coarray = Coarray::<[u64]>::from_fn(length, |i| step ^ me ^ i as u64);
            let ragged = Ragged::from_fn(length / 100 * this_image(), |i| i as u32 + step as u32);
            live.push((step, coarray, ragged));
        }
        for (step, coarray, ragged) in &live {
            assert!(
                coarray
                    .iter()
                    .enumerate()
                    .step_by(97)
                    .all(|(i, &value)| value == step ^ me ^ i as u64)
            );
            assert!(
                ragged
                    .iter()
                    .enumerate()
                    .all(|(i, &value)| value == i as u32 + *step as u32)
            );
        }
    }
}

pub fn collectives() {
    let images = num_images() as u64;
    for length in [0, 1, 100, 20_000] {
        let mut values: Vec<u64> = (0..length).map(|i| this_image() as u64 * i).collect();
        co_sum(&mut values);
        assert!(
            (0..length)
                .zip(&values)
                .all(|(i, &sum)| sum == i * images * (images - 1) / 2)
        );
    }
    let mut coarray = Coarray::new([this_image() as i32, -(this_image() as i32)]);
    co_max(&mut coarray);
    assert_eq!(*coarray, [images as i32 - 1, 0]);
    let mut digits = 10 + this_image() as u64;
    co_reduce(&mut digits, |a, b| a.wrapping_mul(31).wrapping_add(b));
    assert_eq!(
        digits,
        (11..10 + images).fold(10, |a: u64, b| a.wrapping_mul(31).wrapping_add(b))
    );
    for root in 0..num_images() {
        let mut value = [this_image(); 7];
        co_broadcast(&mut value, root);
        assert_eq!(value, [root; 7]);
    }
}
