//! What is done with two objects.

use std::any::Any;
use std::mem;

use coarray::grid::{HaloArray, gmove};
use coarray::ndarray::{Dim, Dimension};
use coarray::prelude::*;

use super::{Lease, Object};
use crate::view::{Lent, View};

fn as_any(object: &mut dyn Object) -> &mut dyn Any {
    object
}

fn both<'a, A: Any, B: Any>(
    one: &'a mut dyn Object,
    other: &'a mut dyn Object,
) -> Option<(&'a mut A, &'a mut B)> {
    Some((as_any(one).downcast_mut()?, as_any(other).downcast_mut()?))
}

type Words = Coarray<[u64]>;

/// Opens two objects together, if their types are such; they close in either order.
pub fn lend_both(
    (one, first): (&mut dyn Object, &Lease<'_>),
    (other, second): (&mut dyn Object, &Lease<'_>),
    is_reversed: bool,
    body: &mut dyn FnMut(&dyn Lent, &dyn Lent),
) -> Option<bool> {
    // Guards of different types have nothing in common but how they are asked.
    macro_rules! opened {
        ($coarrays:expr) => {{
            let (one, other) = open($coarrays);
            {
                let (at_one, at_other) = (|image| one.at(image), |image| other.at(image));
                let parts = |lease: &Lease<'_>| (lease.id, lease.how, lease.images);
                let ((id, how, images), (id2, how2, images2)) = (parts(first), parts(second));
                body(
                    &View::new((first.context, id, how, images), &at_one, &|_| None),
                    &View::new((second.context, id2, how2, images2), &at_other, &|_| None),
                );
            }
            // If the first is dropped by a panic, the second is as well.
            if is_reversed {
                let _one = &one;
                second.finish(other) & first.finish(one)
            } else {
                first.finish(one) & second.finish(other)
            }
        }};
    }
    if let Some(coarrays) = both::<Words, Words>(one, other) {
        return Some(opened!(coarrays));
    }
    let (words, run) = both::<Words, Ragged<u64>>(one, other)?;
    Some(opened!((words, run)))
}

/// Swaps two coarrays, as they are or seen in the shape of one of them.
pub fn swap(one: &mut dyn Object, other: &mut dyn Object) -> bool {
    if let Some((one, other)) = both::<Words, Words>(one, other) {
        mem::swap(one, other);
    } else if let Some((one, other)) = both::<Words, Coarray<[u64; 8]>>(one, other) {
        mem::swap::<Words>(one, other.into());
    } else if let Some((one, other)) = both::<Coarray<[u64; 100]>, Coarray<[u64; 8]>>(one, other) {
        mem::swap(one.shape_cast_mut::<[u64; 8]>(), other);
    } else {
        return false;
    }
    true
}

/// Moves cells from one halo array to another.
pub fn move_cells(from: &mut dyn Object, to: &mut dyn Object) {
    fn cells<const D: usize>(from: &mut dyn Object, to: &mut dyn Object)
    where
        Dim<[usize; D]>: Dimension,
    {
        if let Some((from, to)) = both::<HaloArray<u64, D>, HaloArray<u64, D>>(from, to) {
            let _ = gmove(from, to);
        }
    }
    cells::<1>(from, to);
    cells::<2>(from, to);
}
