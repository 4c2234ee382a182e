//! The creation of halo arrays.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::Location;

use coarray_coref::Remote;
use coarray_runtime::{AllocError, Call, Team};
use coarray_sync::{Coatomic, Coevent};

use super::agree::agree;
use super::blocks::Blocks;
use super::error::GridError;
use super::halo::Halo;
use super::halo_array::HaloArray;
use super::layout::Layout;
use super::plan::lanes;
use super::receive_window::ReceiveWindows;
use crate::create::create_part;
use crate::storage::Storage;

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Collective. An array all of whose cells, those of the halo included, hold `value`.
    ///
    /// The array belongs to the images of the current team, for which the grid of `blocks` must have been made.
    ///
    /// # Errors
    /// On all images: if the grid is for another number of images, a halo is wider than the smallest block along
    /// an axis with neighbours, the images want different arrays, or there is no room.
    ///
    /// # Panics
    /// On a thread that is not an image. The job ends with a report if an image creates something else, or has failed.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, Halo, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([6, 8], ImageGrid::new([2, 1]).unwrap()).unwrap();
    ///     let square = HaloArray::filled(&blocks, 1, 0.0).unwrap(); // one cell on all sides
    ///     assert_eq!(square.local().dim(), (5, 10));
    ///     let upwind = Halo { lower: [2, 0], upper: [0, 0] };
    ///     let upwind = HaloArray::filled(&blocks, upwind, 0u8).unwrap(); // two rows before, nothing else
    ///     assert_eq!(upwind.local().dim(), (5, 8));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`HaloArray`].
    #[track_caller]
    pub fn filled(
        blocks: &Blocks<D>,
        halo: impl Into<Halo<D>>,
        value: T,
    ) -> Result<Self, GridError> {
        Self::create(blocks, halo.into(), |_| value)
    }

    /// Collective. An array whose cell `[i, j, ..]` is `cell([i, j, ..])`, by its index in the whole array.
    ///
    /// Halos are filled as well, as by an [`exchange`](Self::exchange). Where they lie outside of the whole array, they
    /// get the value of the nearest cell. On an image without cells `cell` is called for the first cell of the array.
    ///
    /// # Errors
    /// As [`filled`](Self::filled).
    ///
    /// # Panics
    /// As [`filled`](Self::filled).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([6], ImageGrid::new([2]).unwrap()).unwrap();
    ///     let u = HaloArray::from_fn(&blocks, 1, |[i]| i as u32).unwrap();
    ///     let expected = [[0, 0, 1, 2, 3], [2, 3, 4, 5, 5]];
    ///     assert_eq!(u.local().to_vec(), expected[this_image()]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`HaloArray`]; [`ndarray::Array::from_shape_fn`].
    #[track_caller]
    pub fn from_fn(
        blocks: &Blocks<D>,
        halo: impl Into<Halo<D>>,
        cell: impl FnMut([usize; D]) -> T,
    ) -> Result<Self, GridError> {
        Self::create(blocks, halo.into(), cell)
    }

    #[track_caller]
    fn create(
        blocks: &Blocks<D>,
        halo: Halo<D>,
        mut cell: impl FnMut([usize; D]) -> T,
    ) -> Result<Self, GridError> {
        const { T::CHECK };
        let caller = Location::caller();
        let team = Team::current();
        agree(&team, blocks, &halo)?;
        check(&team, blocks, &halo)?;
        let blocks = blocks.seen_in(&team);
        let subject = "cells of a halo array";
        let windows =
            ReceiveWindows::new(&blocks, halo, is_direct(&team)).ok_or(AllocError::TooLarge {
                length: usize::MAX,
                subject,
            })?;
        let call = Call::on_part::<Self, [T]>(windows.end(), caller);
        // SAFETY: the call was made from `[T]` and the extent, so images that agree on it agree on both.
        let storage = unsafe { Storage::allocate::<[T]>(&call, windows.end()) }?;
        // A lane has two events: 2 * lane is "my halo is free", and the next is "your halo is filled". The lane of no direction
        // has the two doorbells.
        let events = create_part::<Self, _>(2 * lanes(D), caller, |_| Coevent::new())?;
        let announced = create_part::<Self, _>(lanes(D), caller, |_| Coatomic::new(0))?;
        let layout = Layout::new(blocks.block_shape(team.index()), halo);
        let first = storage.address().cast::<T>().as_ptr();
        let mut cells = 0;
        each_cell(&blocks, &layout, &halo, |global| {
            // SAFETY: the block is aligned and valid for writes of the cells of the largest part; this image's part has no more.
            unsafe { first.add(cells).write(cell(global)) };
            cells += 1;
        });
        if cells == 0 && storage.extent::<[T]>() > 0 {
            // SAFETY: the block is aligned and valid for writes of one cell.
            unsafe { first.write(cell([0; D])) };
            cells = 1;
        }
        // What lies behind the part is initialised, too, so that it always holds valid cells: the receive windows, and the cells that only larger
        // parts have.
        for index in cells..storage.extent::<[T]>() {
            // SAFETY: the block is aligned and valid for writes of `extent` cells. Its first cell was written above.
            unsafe { first.add(index).write(*first) };
        }
        Ok(Self {
            storage,
            created: caller,
            events,
            blocks,
            halo,
            layout,
            plans: RefCell::default(),
            is_abandoned: Cell::default(),
            current: RefCell::default(),
            announced,
            windows,
            last: Cell::new(0),
            is_even: Cell::new(false),
            packed: RefCell::default(),
            spare: Cell::default(),
            cells: PhantomData,
        })
    }
}

/// Calls `visit` with the index in the whole array of each cell of this image's part, in row-major order.
fn each_cell<const D: usize>(
    blocks: &Blocks<D>,
    layout: &Layout<D>,
    halo: &Halo<D>,
    mut visit: impl FnMut([usize; D]),
) {
    let corner = blocks.own_range().map(|range| range.start);
    let indices: [Vec<usize>; D] = std::array::from_fn(|axis| {
        let is_periodic = blocks.grid().periodic()[axis];
        let index = |local| {
            wrapped(
                corner[axis] + local,
                halo.lower[axis],
                blocks.shape()[axis],
                is_periodic,
            )
        };
        (0..layout.shape()[axis]).map(index).collect()
    });
    if indices.iter().any(Vec::is_empty) {
        return;
    }
    let mut local = [0; D];
    let mut global = std::array::from_fn(|axis| indices[axis][0]);
    loop {
        visit(global);
        // Increments the index as a number of `D` digits.
        let mut axis = D;
        loop {
            let Some(next) = axis.checked_sub(1) else {
                return;
            };
            axis = next;
            local[axis] += 1;
            if local[axis] < indices[axis].len() {
                break;
            }
            local[axis] = 0;
            global[axis] = indices[axis][0];
        }
        global[axis] = indices[axis][local[axis]];
    }
}

/// The index in the whole array, which has `cells` cells, of the cell at `padded`, which counts a halo of width `lower`.
fn wrapped(padded: usize, lower: usize, cells: usize, is_periodic: bool) -> usize {
    let index = padded as i128 - lower as i128;
    let cells = cells as i128;
    let index = if is_periodic {
        index.rem_euclid(cells)
    } else {
        index.clamp(0, cells - 1)
    };
    index as usize
}

/// # Errors
/// If the blocks are not for `team`, or the halo is too wide for them.
fn check<const D: usize>(team: &Team, blocks: &Blocks<D>, halo: &Halo<D>) -> Result<(), GridError> {
    let grid = blocks.grid();
    if grid.images() != team.images() {
        return Err(GridError::WrongNumberOfImages {
            extents: grid.extents().to_vec(),
            needed: Some(grid.images()),
            images: team.images(),
        });
    }
    let last = grid.images() - 1;
    // The shorter blocks come last.
    let smallest = blocks.block_shape(last);
    for (axis, &block) in smallest.iter().enumerate() {
        let width = halo.lower[axis].max(halo.upper[axis]);
        if block == 0 && width > 0 {
            return Err(GridError::TooFewCells {
                axis,
                cells: blocks.shape()[axis],
                images: grid.extents()[axis],
            });
        }
        if grid.has_neighbours(axis) && width > block {
            return Err(GridError::HaloTooWide {
                axis,
                width,
                block,
                image: last,
            });
        }
    }
    Ok(())
}

/// Whether all images of a team reach each other by load and store; the same on all images.
fn is_direct(team: &Team) -> bool {
    let mut members = team.members().iter();
    members.all(|&number| team.image().is_direct(number as usize))
}
