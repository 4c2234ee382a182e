//! What coatomics promise: alone they are variables, and under contention every operation happens at one
//! moment, between two others.

mod asynchronous;
mod contended;
mod crowded;
mod in_place;
mod lists;
mod references;
mod sequential;
mod slices;
mod strangers;
mod swapped;
mod waits;

use std::any::Any;

use coarray::atomics::{Bits, Number};
use coarray::places::AtomicOnly;
use coarray::prelude::*;
use coarray_proptests::{Sample, bits};

/// An operation with one argument, in all its forms.
struct Operation<T: Remote> {
    /// The operation of the image itself. The old value, if it fetches it.
    local: fn(&Coatomic<T>, T) -> Option<T>,
    /// The operation on the place of an image.
    remote: fn(&Coref<Coatomic<T>>, T) -> Option<T>,
    /// The operation on a plain value of an open coarray.
    in_place: fn(&Coref<Coatomic<T>, AtomicOnly>, T) -> Option<T>,
    /// What becomes of a variable.
    model: fn(T, T) -> T,
}

macro_rules! operation {
    ($name:ident, $model:expr) => {
        Operation {
            local: |coatomic, value| {
                coatomic.$name(value);
                None
            },
            remote: |place, value| {
                place.$name(value);
                None
            },
            in_place: |place, value| {
                place.$name(value);
                None
            },
            model: $model,
        }
    };
    (fetching $name:ident, $model:expr) => {
        Operation {
            local: |coatomic, value| Some(coatomic.$name(value)),
            remote: |place, value| Some(place.$name(value)),
            in_place: |place, value| Some(place.$name(value)),
            model: $model,
        }
    };
}

/// Numbers, and what arithmetic does to them.
trait Arithmetic: Number + Sample {
    /// The number for `count`, which wraps around.
    fn number(count: u64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn smaller(self, other: Self) -> Self;
    fn larger(self, other: Self) -> Self;
}

/// Bits, and what logic does to them.
trait Logic: Bits + Sample {
    fn both(self, other: Self) -> Self;
    fn either(self, other: Self) -> Self;
    fn differing(self, other: Self) -> Self;
}

macro_rules! arithmetic {
    ($($type:ident)*; $plus:ident $minus:ident $smaller:path, $larger:path) => { $(
        impl Arithmetic for $type {
            fn number(count: u64) -> Self {
                count as Self
            }

            fn plus(self, other: Self) -> Self {
                self.$plus(other)
            }

            fn minus(self, other: Self) -> Self {
                self.$minus(other)
            }

            fn smaller(self, other: Self) -> Self {
                $smaller(self, other)
            }

            fn larger(self, other: Self) -> Self {
                $larger(self, other)
            }
        }
    )* };
}

macro_rules! logic {
    ($($type:ident)*) => { $(
        impl Logic for $type {
            fn both(self, other: Self) -> Self {
                self & other
            }

            fn either(self, other: Self) -> Self {
                self | other
            }

            fn differing(self, other: Self) -> Self {
                self ^ other
            }
        }
    )* };
}

mod float {
    use std::ops::{Add, Sub};

    pub(crate) trait Plain: Add<Output = Self> + Sub<Output = Self> + Sized {
        fn plain_add(self, other: Self) -> Self {
            self + other
        }

        fn plain_sub(self, other: Self) -> Self {
            self - other
        }
    }

    impl Plain for f32 {}
    impl Plain for f64 {}
}

use float::Plain as _;

arithmetic!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize; wrapping_add wrapping_sub Ord::min, Ord::max);
arithmetic!(f32; plain_add plain_sub f32::min, f32::max);
arithmetic!(f64; plain_add plain_sub f64::min, f64::max);
logic!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool);

/// What all coatomics do.
fn common<T: Sample>() -> Vec<Operation<T>> {
    vec![
        operation!(store, |_, value| value),
        operation!(fetching swap, |_, value| value),
        Operation {
            local: |coatomic, _| Some(coatomic.load()),
            remote: |place, _| Some(place.load()),
            in_place: |place, _| Some(place.load()),
            model: |old, _| old,
        },
    ]
}

fn arithmetic<T: Arithmetic>() -> Vec<Operation<T>> {
    vec![
        operation!(add, T::plus),
        operation!(sub, T::minus),
        operation!(min, T::smaller),
        operation!(max, T::larger),
        operation!(fetching fetch_add, T::plus),
        operation!(fetching fetch_sub, T::minus),
        operation!(fetching fetch_min, T::smaller),
        operation!(fetching fetch_max, T::larger),
    ]
}

fn logic<T: Logic>() -> Vec<Operation<T>> {
    vec![
        operation!(and, T::both),
        operation!(or, T::either),
        operation!(xor, T::differing),
        operation!(fetching fetch_and, T::both),
        operation!(fetching fetch_or, T::either),
        operation!(fetching fetch_xor, T::differing),
    ]
}

/// Whether a coatomic and its model have the same value. Which `NaN` arithmetic results in, and which of two
/// zeros is the smaller, is up to the compiler, so these are alike.
fn alike<T: Sample>(one: &T, other: &T) -> bool {
    fn of<F: Copy + 'static>(value: &dyn Any) -> Option<F> {
        value.downcast_ref().copied()
    }
    let floats = |value: &T| of::<f32>(value).map(f64::from).or(of::<f64>(value));
    match (floats(one), floats(other)) {
        (Some(one), Some(other)) => one == other || one.is_nan() && other.is_nan(),
        _ => bits(one) == bits(other),
    }
}

/// The bytes of values, in an order that only depends on which they are.
fn sorted<T: Remote>(values: impl IntoIterator<Item = T>) -> Vec<Vec<u8>> {
    let mut values: Vec<_> = values
        .into_iter()
        .map(|value| bits(&[value]).to_vec())
        .collect();
    values.sort_unstable();
    values
}
