//! The elements that take part, and the operations that each type has.

use std::fmt::Debug;

use coarray::Remote;
use coarray_proptests::{Particle, Sample, mix};

use crate::movement;
use crate::reductions::{self, joins};
use crate::subject::{Input, Output, Subject};

/// A type of elements.
pub trait Element: Remote<Element = Self> + Debug + Send + Sync {
    /// An element of an image: numbers of which those of 17 images can be added exactly.
    fn element(seed: u64, image: usize) -> Self;

    /// What comes before the elements of all images.
    fn initial() -> Self {
        Self::element(5, 0)
    }

    /// What is done with elements of this type.
    fn subjects() -> Vec<Subject<Self>>;
}

macro_rules! numbers {
    ($($type:ty, $subjects:expr; $seed:ident => $value:expr;)*) => { $(
        impl Element for $type {
            fn element($seed: u64, _image: usize) -> Self {
                $value
            }

            fn subjects() -> Vec<Subject<Self>> {
                $subjects
            }
        }
    )* };
}

numbers! {
    u8, reductions::of_numbers(); seed => (seed % 15) as u8;
    i32, reductions::of_numbers(); seed => (seed as i32) >> 5;
    u64, reductions::of_numbers(); seed => seed >> 5;
    f32, reductions::of_floats(total_of_f32); seed => (seed % (1 << 19)) as f32 - 200_000.0;
    f64, reductions::of_floats(total_of_f64); seed => (seed % (1 << 48)) as f64 - 1e14;
}

/// The elements are integers, so their sum is exact in a longer type.
fn total_of_f32(inputs: &[Input<f32>]) -> Vec<Output<f32>> {
    let exact = |all: &[f32]| all.iter().map(|&value| f64::from(value)).sum::<f64>();
    reductions::total(inputs, |all| (exact(all) + 0.0) as f32)
}

fn total_of_f64(inputs: &[Input<f64>]) -> Vec<Output<f64>> {
    let exact = |all: &[f64]| all.iter().map(|&value| value as i128).sum::<i128>();
    reductions::total(inputs, |all| exact(all) as f64)
}

impl Element for bool {
    fn element(seed: u64, _image: usize) -> Self {
        seed & 1 == 1
    }

    fn subjects() -> Vec<Subject<Self>> {
        [
            joins!(Self, |one, other| one ^ other, false),
            movement::of_all(),
        ]
        .concat()
    }
}

impl Element for Particle {
    fn element(seed: u64, _image: usize) -> Self {
        Self::sample(seed)
    }

    fn subjects() -> Vec<Subject<Self>> {
        movement::of_all()
    }
}

/// Three bytes, as a size that divides no power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(transparent)]
pub struct Colour([u8; 3]);

impl Colour {
    /// The larger of each two bytes.
    fn brightest(self, other: Self) -> Self {
        Self([0, 1, 2].map(|index| self.0[index].max(other.0[index])))
    }
}

impl Element for Colour {
    fn element(seed: u64, _image: usize) -> Self {
        Self([0, 1, 2].map(|index| mix(seed, index) as u8))
    }

    fn subjects() -> Vec<Subject<Self>> {
        [joins!(Self, Self::brightest, false), movement::of_all()].concat()
    }
}

/// Affine maps modulo 2^32, one for each image of a range, that do one after the other. Only neighbours can be
/// joined, and only in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Remote)]
#[repr(C)]
pub struct Maps {
    factor: u32,
    addend: u32,
    /// The first image, and the one after the last.
    images: [u16; 2],
}

impl Maps {
    /// Of no image: before those of all.
    pub const NONE: Self = Self {
        factor: 1,
        addend: 0,
        images: [0; 2],
    };

    /// These maps, and then those.
    ///
    /// # Panics
    /// If these are not the ones before those.
    pub fn then(self, next: Self) -> Self {
        let [(first, end), (start, last)] =
            [self, next].map(|maps| (maps.images[0], maps.images[1]));
        assert_eq!(end, start, "joined {self:?} and {next:?}");
        Self {
            factor: next.factor.wrapping_mul(self.factor),
            addend: next
                .factor
                .wrapping_mul(self.addend)
                .wrapping_add(next.addend),
            images: [first, last],
        }
    }
}

impl Element for Maps {
    fn element(seed: u64, image: usize) -> Self {
        Self {
            factor: seed as u32 | 1,
            addend: (seed >> 32) as u32,
            images: [image as u16, image as u16 + 1],
        }
    }

    fn initial() -> Self {
        Self::NONE
    }

    fn subjects() -> Vec<Subject<Self>> {
        [joins!(Self, Self::then, true), movement::of_all()].concat()
    }
}
