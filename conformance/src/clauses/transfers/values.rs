//! Single values of all types.

use std::fmt::Debug;
use std::num::NonZeroU32;

use coarray::prelude::*;

use crate::check::Check;
use crate::ring::{left, right};

/// Every image puts `value(from, to)` to every image, and all images check all values.
fn exchange<T: Remote + PartialEq + Debug>(
    check: &mut Check,
    empty: T,
    value: impl Fn(usize, usize) -> T,
) {
    let (me, images) = (this_image(), num_images());
    let mut x = Coarray::<[T]>::from_fn(images, |_| empty);
    {
        let x = x.open();
        for to in 0..images {
            x.at(to)[me].put(value(me, to));
        }
        sync_all();
        for to in 0..images {
            for from in 0..images {
                let what = format!("what image {from} put to image {to}");
                check.same(what, x.at(to)[from].get(), value(from, to));
            }
        }
    }
    for from in 0..images {
        let what = format!("what image {from} put here");
        check.same(what, x[from], value(from, me));
    }
}

/// A pattern of 128 bits, different for each pair of images.
fn bits(from: usize, to: usize) -> u128 {
    0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210_u128
        .wrapping_mul(2 * from as u128 + 3)
        .wrapping_add(0x1F1F * to as u128)
}

pub fn numbers(check: &mut Check) {
    macro_rules! exchange_all {
        ($($type:ty)*) => { $( exchange::<$type>(check, 0, |from, to| bits(from, to) as $type); )* };
    }
    exchange_all!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
}

pub fn floats(check: &mut Check) {
    exchange(check, 0.0, |from, to| {
        f64::from(to as u8).mul_add(0.1, from as f64)
    });
    exchange(check, 0.0, |from, to| {
        f32::from(to as u8).mul_add(0.1, from as f32)
    });
    exchange(check, 0.0, |_, _| f64::NEG_INFINITY);
    // Some NaNs change their bits when they are passed as numbers.
    let (quiet, signalling) = (0x7FF8_0000_DEAD_BEEF, 0xFFF0_0000_0000_0001);
    let mut x = Coarray::new([0.0; 2]);
    x.open()
        .at(right(1))
        .put([f64::from_bits(quiet), f64::from_bits(signalling)]);
    check.same("bits of NaN", x.map(f64::to_bits), [quiet, signalling]);
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(u8)]
enum Direction {
    North = 1,
    East = 20,
    South = 200,
}

pub fn checked(check: &mut Check) {
    exchange(check, false, |from, to| (from + to) % 2 == 0);
    exchange(check, 'a', |from, to| {
        ['ß', '∂', '🦀', 'z'][(from + 2 * to) % 4]
    });
    exchange(check, Direction::North, |from, to| {
        [Direction::East, Direction::South, Direction::North][(from + to) % 3]
    });
    exchange(check, NonZeroU32::MIN, |from, to| {
        NonZeroU32::MIN.saturating_add((100 * from + to) as u32)
    });
}

#[derive(Clone, Copy, PartialEq, Debug, Remote)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    charge: f32,
    kind: u16,
    moves: bool,
    direction: Direction,
}

impl Particle {
    fn of(from: usize, to: usize) -> Self {
        Self {
            position: [from as f64, to as f64, 0.25],
            charge: -(from as f32),
            kind: (from * 256 + to) as u16,
            moves: from != to,
            direction: Direction::South,
        }
    }
}

pub fn structs(check: &mut Check) {
    let empty = Particle {
        direction: Direction::North,
        ..Particle::of(0, 0)
    };
    exchange(check, empty, Particle::of);
    exchange(check, [[empty; 2]; 3], |from, to| {
        [
            [Particle::of(from, to), empty],
            [empty; 2],
            [Particle::of(to, from); 2],
        ]
    });
    exchange(check, [[0; 5]; 3], |from, to| {
        [[from as u16; 5], [to as u16; 5], [7; 5]]
    });
    exchange(check, [false; 11], |from, to| {
        std::array::from_fn(|i| i % (from + to + 1) == 0)
    });
}

pub fn members(check: &mut Check) {
    let before = Particle::of(0, 0);
    let mut x = Coarray::<[Particle; 3]>::from_fn(|_| before);
    {
        let x = x.open();
        let place = &x.at(right(1))[1];
        field!(place, charge).put(this_image() as f32 + 0.5);
        field!(place, moves).put(true);
        field!(place, position)[1].put(-1.0);
        sync_all();
        let seen = field!(x.at(right(2))[1], charge).get();
        check.same("a member elsewhere", seen, right(1) as f32 + 0.5);
        let seen = field!(x.at(right(2))[1], position)[1].get();
        check.same("an item of a member elsewhere", seen, -1.0);
    }
    let after = Particle {
        charge: left(1) as f32 + 0.5,
        moves: true,
        position: [0.0, -1.0, 0.25],
        ..before
    };
    check.same("the structs", *x, [before, after, before]);
}
