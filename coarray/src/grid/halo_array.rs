//! An array that is divided among images, each with copies of its neighbours' cells.

use std::any::type_name;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::{LeavesItsThread, Remote};
use coarray_sync::{Coatomic, Coevent};
use ndarray::{ArrayView, ArrayViewMut, Dim, Dimension, ShapeBuilder, StrideShape};

use super::blocks::Blocks;
use super::cell_set::CellSet;
use super::exchange::Current;
use super::halo::Halo;
use super::image_grid::ImageGrid;
use super::layout::Layout;
use super::plan::Plan;
use super::receive_window::ReceiveWindows;
use crate::coarray::Coarray;
use crate::dimension::dimension;
use crate::storage::Storage;

/// An array of `D` dimensions that is divided among images by [`Blocks`], each block with a halo around it: room for
/// copies of cells of the neighbours.
///
/// Locally it is an [`ndarray`] view, of the block alone ([`interior`](Self::interior)) or with its halo
/// ([`local`](Self::local)). [`exchange`](Self::exchange) fills the halos with the neighbours' cells.
///
/// The cells are [`Remote`] values. Creating an array is collective; dropping it is not.
///
/// # Examples
/// ```
/// use coarray::grid::{Blocks, HaloArray, ImageGrid};
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let grid = ImageGrid::new([3]).unwrap().with_periodic([true]);
///     let blocks = Blocks::new([12], grid).unwrap();
///     let mut u = HaloArray::filled(&blocks, 1, 0).unwrap();
///     u.interior_mut().fill(this_image());
///     u.exchange();
///     let u = u.local();
///     assert_eq!((u[0], u[1], u[5]), ((this_image() + 2) % 3, this_image(), (this_image() + 1) % 3));
/// });
/// ```
///
/// # Source
/// Arrays with `shadow`, Murai and Sato, PGAS 2013, section 2.3.1; ghost cells.
pub struct HaloArray<T: Remote, const D: usize> {
    pub(super) storage: Storage,
    /// The line of the program that created it.
    pub(super) created: &'static Location<'static>,
    /// Two for each lane, see [`lanes`](super::plan::lanes).
    pub(super) events: Coarray<[Coevent]>,
    pub(super) blocks: Blocks<D>,
    pub(super) halo: Halo<D>,
    pub(super) layout: Layout<D>,
    pub(super) plans: RefCell<Vec<(CellSet<D>, Rc<Plan>)>>,
    /// For each lane, the kind of the exchange that the receiver of this image's cells has announced last.
    pub(super) announced: Coarray<[Coatomic<u64>]>,
    /// The kind of exchange that this image has announced last to its senders.
    pub(super) last: Cell<u64>,
    /// Whether the next exchange has an even number.
    pub(super) is_even: Cell<bool>,
    pub(super) windows: ReceiveWindows,
    /// The send buffer for packed cells.
    pub(super) packed: RefCell<Vec<T>>,
    /// The vector of waiting sends of the last exchange, for the next one.
    pub(super) spare: Cell<Vec<usize>>,
    /// The exchange in progress, which is a phase of the storage.
    pub(super) current: RefCell<Option<Current>>,
    /// Whether an exchange was given up, as an image had failed or stopped. Others may still write to the halo, but not to other cells.
    pub(super) is_abandoned: Cell<bool>,
    pub(super) cells: PhantomData<*mut T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread, const D: usize> Send for HaloArray<T, D> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: Remote + LeavesItsThread, const D: usize> Sync for HaloArray<T, D> {}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Local. How the array is divided.
    #[must_use]
    pub fn blocks(&self) -> &Blocks<D> {
        &self.blocks
    }

    /// Local. The images among which it is divided.
    #[must_use]
    pub fn grid(&self) -> &ImageGrid<D> {
        self.blocks.grid()
    }

    /// Local. How wide the halo is.
    #[must_use]
    pub fn halo(&self) -> Halo<D> {
        self.halo
    }

    /// Local. How far apart in [`local_slice`](Self::local_slice) cells are whose indices differ by 1, along each axis.
    ///
    /// # Examples
    /// See [`local_slice`](Self::local_slice).
    #[must_use]
    pub fn strides(&self) -> [usize; D] {
        self.layout.strides()
    }

    /// Local. The index in the whole array of a cell of this image's block, by its index there.
    ///
    /// # Panics
    /// If the block has no such cell.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let blocks = Blocks::new([9], ImageGrid::new([3]).unwrap()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 0).unwrap();
    ///     for i in 0..3 {
    ///         let [global] = u.global_of([i]); // where a source term is looked up, say
    ///         u.interior_mut()[i] = global * global;
    ///     }
    ///     assert_eq!(u.interior()[2], (3 * this_image() + 2) * (3 * this_image() + 2));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn global_of(&self, local: [usize; D]) -> [usize; D] {
        self.blocks.global(self.grid().image(), local)
    }

    /// This image's first cell, which belongs to the halo if that has any width.
    pub(super) fn first(&self) -> *mut T {
        self.storage.address().cast().as_ptr()
    }
}

impl<T: Remote, const D: usize> HaloArray<T, D>
where
    Dim<[usize; D]>: Dimension,
{
    /// Local. This image's cells with the halo around them. They are contiguous, in row-major order
    /// ([`local_slice`](Self::local_slice)).
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// See [`HaloArray`].
    #[must_use]
    #[track_caller]
    pub fn local(&self) -> ArrayView<'_, T, Dim<[usize; D]>> {
        self.settle();
        let shape = shape(self.layout.shape(), self.layout.strides());
        // SAFETY: the part is aligned and allocated while `self` lives, and all its cells are initialised; shape and strides reach
        // each of them once. Nobody writes to them while the view lives: this image has only shared borrows, and others write
        // only to the halo, in an exchange, and none is in progress.
        unsafe { ArrayView::from_shape_ptr(shape, self.first()) }
    }

    /// Local. This image's cells with the halo around them, to change.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([4, 4], ImageGrid::new([2, 1]).unwrap()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 0.0).unwrap();
    ///     u.local_mut().column_mut(0).fill(1.0); // the boundary value, which exchanges leave alone
    ///     u.exchange();
    ///     assert_eq!(u.local()[[2, 0]], 1.0);
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn local_mut(&mut self) -> ArrayViewMut<'_, T, Dim<[usize; D]>> {
        self.settle();
        let shape = shape(self.layout.shape(), self.layout.strides());
        // SAFETY: the part is aligned, allocated and initialised, and shape and strides reach each cell once, as in `local`. The
        // borrow is exclusive, and no exchange is in progress, so nobody else accesses the cells.
        unsafe { ArrayViewMut::from_shape_ptr(shape, self.first()) }
    }

    /// Local. The cells of [`local`](Self::local) as a slice: they lie side by side, in row-major order, without gaps.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([4, 3], ImageGrid::new([2, 1]).unwrap()).unwrap();
    ///     let mut u = HaloArray::from_fn(&blocks, [1, 0], |[i, j]| 10 * i + j).unwrap();
    ///     assert_eq!(u.strides(), [3, 1]);
    ///     let [down, right] = u.strides();
    ///     for cell in u.local_slice_mut() {
    ///         *cell += 1;
    ///     }
    ///     assert_eq!(u.local_slice()[down + 2 * right], u.local()[[1, 2]]);
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn local_slice(&self) -> &[T] {
        let cells = self.local();
        cells.to_slice().expect("the cells are contiguous")
    }

    /// Local. The cells of [`local_mut`](Self::local_mut) as a slice, to change.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// See [`local_slice`](Self::local_slice).
    #[must_use]
    #[track_caller]
    pub fn local_slice_mut(&mut self) -> &mut [T] {
        let cells = self.local_mut();
        cells.into_slice().expect("the cells are contiguous")
    }

    /// Local. This image's own cells.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// See [`HaloArray`].
    #[must_use]
    #[track_caller]
    pub fn interior(&self) -> ArrayView<'_, T, Dim<[usize; D]>> {
        if !self.is_abandoned.get() {
            self.settle();
        }
        self.own_cells()
    }

    /// Local. This image's own cells, to change.
    ///
    /// # Panics
    /// If a panic has broken off an exchange of this array.
    ///
    /// # Examples
    /// See [`HaloArray`].
    #[must_use]
    #[track_caller]
    pub fn interior_mut(&mut self) -> ArrayViewMut<'_, T, Dim<[usize; D]>> {
        self.settle();
        let shape = shape(self.layout.block(), self.layout.strides());
        // SAFETY: the interior lies in the part, which is aligned, allocated and initialised; shape and strides reach each cell
        // once. The borrow is exclusive, and no exchange is in progress, in which this image would read the cells.
        unsafe { ArrayViewMut::from_shape_ptr(shape, self.first().add(self.layout.interior())) }
    }

    /// This image's own cells, also during an exchange.
    pub(super) fn own_cells(&self) -> ArrayView<'_, T, Dim<[usize; D]>> {
        let shape = shape(self.layout.block(), self.layout.strides());
        // SAFETY: the interior lies in the part, which is aligned, allocated and initialised; shape and strides reach each cell
        // once. Only this image writes to these cells, through an exclusive borrow. A view refers to its own cells only, not to
        // those of the halo that lie between them in memory.
        unsafe { ArrayView::from_shape_ptr(shape, self.first().add(self.layout.interior())) }
    }
}

/// The shape and strides of cells for `ndarray`.
fn shape<const D: usize>(extents: [usize; D], strides: [usize; D]) -> StrideShape<Dim<[usize; D]>>
where
    Dim<[usize; D]>: Dimension,
{
    dimension(extents).strides(dimension(strides))
}

impl<T: Remote, const D: usize> fmt::Debug for HaloArray<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HaloArray")
            .field("cells", &type_name::<T>())
            .field("blocks", &self.blocks)
            .field("halo", &self.halo)
            .finish()
    }
}

/// Finishes an exchange whose guard was leaked; but an image that panics does not wait.
impl<T: Remote, const D: usize> Drop for HaloArray<T, D> {
    fn drop(&mut self) {
        // Otherwise neighbours write no more, or the storage is still in its phase, and does not free its memory.
        if self.current.get_mut().is_some() && !std::thread::panicking() {
            self.settle();
        }
    }
}
