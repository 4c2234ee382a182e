//! Coarrays, ragged coarrays and halo arrays, as what they have in common here.

mod cells;
mod coarrays;
mod kept;
mod moved;
mod pairs;
mod runs;

use std::any::Any;
use std::array::from_fn;
use std::cell::{Cell, RefCell};
use std::mem::forget;
use std::num::NonZeroU64;
use std::ops::Range;
use std::panic::panic_any;

use coarray::AllocError;
use coarray::grid::{Blocks, GridError, HaloArray, ImageGrid};
use coarray::prelude::*;

use crate::context::{Context, Noisy, Thrown};
use crate::ledger::{How, Id};
use crate::program::{End, Kind};
use crate::view::Lent;
use crate::word::Word;

pub use kept::Kept;
use moved::Moved;
pub use pairs::{lend_both, move_cells, swap};
use runs::RowAmongOthers;

/// Words of this image, which it lends to others for a phase at a time.
pub trait Object: Any {
    /// All words, through a shared reference to each.
    fn look(&self) -> Vec<u64>;

    /// Where they are.
    fn span(&self) -> Range<usize>;

    /// Writes all words, through an exclusive reference.
    fn write(&mut self, word: &mut dyn FnMut(usize) -> u64);

    /// A phase with that body, and whether its guard came to a regular end.
    fn lend(&mut self, lease: &Lease<'_>, body: &mut dyn FnMut(&dyn Lent)) -> bool;

    /// Broadcasts all words.
    fn broadcast(&mut self, _root: usize) {}

    /// Takes another length.
    fn replace(&mut self, _length: usize, _word: &mut dyn FnMut(usize) -> u64) {}

    /// Scatters or gathers; returns whatever came of it.
    fn global(&mut self, _root: usize, _which: usize, _word: &mut dyn FnMut() -> u64) -> Vec<u64> {
        Vec::new()
    }

    /// Whether neighbours exchange its cells.
    fn is_halo(&self) -> bool {
        false
    }
}

/// How a phase goes.
pub struct Lease<'a> {
    pub context: &'a Context,
    pub id: Id,
    pub how: How,
    pub end: End,
    /// How many images have the object.
    pub images: usize,
}

impl Lease<'_> {
    /// Whether the guard's end was regular.
    fn finish<G>(&self, guard: G) -> bool {
        self.finish_by(guard, drop).is_some()
    }

    /// What its regular end gives back.
    fn finish_by<G, R>(&self, guard: G, end: impl FnOnce(G) -> R) -> Option<R> {
        match self.end {
            End::Drop => return Some(end(guard)),
            End::Forget => forget(guard),
            End::Panic => {
                let _guard = guard;
                panic_any(Thrown);
            }
        }
        None
    }
}

/// Makes an object. `callback` is called for each item.
fn create(
    context: &Context,
    serial: usize,
    kind: Kind,
    length: usize,
    callback: &dyn Fn(usize),
) -> Option<Box<dyn Object>> {
    let noisy = Noisy(context);
    let word = move |index: usize| {
        let _held = &noisy;
        callback(index);
        context.item(serial, index)
    };
    let cells = Cell::new(0);
    let cell = || word(cells.replace(cells.get() + 1));
    let halo_cells = match length {
        1000.. => 40_000,
        300.. => 20_000,
        _ => 6,
    };
    // Without room, or without some image, there is no object.
    Some(match kind {
        Kind::Eight => Box::new(Coarray::<[u64; 8]>::try_new(from_fn(word)).ok()?),
        Kind::Hundred => Box::new(Coarray::<[u64; 100]>::from_fn(word)),
        Kind::Run => Box::new(Coarray::<[u64]>::try_from_fn(length, word).ok()?),
        Kind::NonZeros => {
            let item = |index| NonZeroU64::of(word(index));
            Box::new(Coarray::<[NonZeroU64]>::try_from_fn(length, item).ok()?)
        }
        Kind::Pair => Box::new(Coarray::<[usize; 2]>::from_fn(|index| word(index) as usize)),
        Kind::Ragged => Box::new(Ragged::from_fn(length + context.me, word)),
        Kind::RaggedNonZeros => {
            let item = |index| NonZeroU64::of(word(index));
            Box::new(Ragged::from_fn(length + context.me, item))
        }
        Kind::RaggedRows => {
            let row = |index| from_fn::<u64, 16, _>(|column| word(16 * index + column));
            Box::new(Ragged::from_fn(1 + length % 40, row))
        }
        Kind::RowAmongOthers => {
            let items = RefCell::new(word);
            let row = |row| match row {
                1 => (0..length + context.me)
                    .map(|index| items.borrow_mut()(index))
                    .collect(),
                _ => vec![0; 3],
            };
            Box::new(RowAmongOthers(RaggedRows::from_fn(3, row)))
        }
        Kind::Moved => Box::new(Moved(Some(Coarray::<[u64]>::from_fn(length, word)))),
        Kind::MovedRagged => Box::new(Moved(Some(Ragged::from_fn(length + context.me, word)))),
        Kind::Line => {
            let grid = ImageGrid::new([num_images()]).ok()?.with_periodic([true]);
            let blocks = Blocks::new([halo_cells * num_images()], grid).ok()?;
            Box::new(made(HaloArray::from_fn(&blocks, 1, |_| cell()))?)
        }
        Kind::Plane => {
            let grid = ImageGrid::<2>::balanced();
            let blocks = Blocks::new(grid.extents().map(|images| 5 * images), grid).ok()?;
            Box::new(made(HaloArray::from_fn(&blocks, 2, |_| cell()))?)
        }
    })
}

fn made<T: Remote, const D: usize>(
    array: Result<HaloArray<T, D>, GridError>,
) -> Option<HaloArray<T, D>> {
    match array {
        Ok(array) => Some(array),
        Err(GridError::Allocation(AllocError::ImageFailed(_))) => None,
        Err(error) => panic!("{error}"),
    }
}

fn words<E: Word>(words: &[E]) -> Vec<u64> {
    words.iter().map(|word| word.word()).collect()
}

fn span_of<T>(items: &[T]) -> Range<usize> {
    let range = items.as_ptr_range();
    range.start.addr()..range.end.addr()
}
