//! Numbers that several images change at the same time.

use std::fmt;
use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed,
};

use coarray_coref::{Access, Coref, Shared, Symmetric};

/// A number with atomic operations, from any image, at any time: a coarray of coatomics needs no opening.
///
/// All operations are relaxed: each is atomic by itself and orders nothing else. Order comes from
/// [`image_fence`](crate::image_fence) and [`sync_all`](crate::sync_all). The same operations exist on
/// `&Coref<Coatomic<T>>`, for the number of another image.
///
/// # Examples
/// ```
/// use coarray_sync::Coatomic;
///
/// let hits = Coatomic::new(40u64);
/// assert_eq!(hits.fetch_add(2), 40);
/// assert_eq!(hits.load(), 42);
/// ```
///
/// # Source
/// *Coarray C++* section 5.2; Fortran 2018 `atomic_add` and its relatives.
#[repr(transparent)]
pub struct Coatomic<T: Number> {
    cell: T::Cell,
}

/// The numbers a [`Coatomic`] can hold: integers of 32 and 64 bits.
pub trait Number: sealed::Sealed + Copy + fmt::Debug + 'static {
    /// What holds it.
    #[doc(hidden)]
    type Cell: Sync + 'static;
    #[doc(hidden)]
    fn cell(self) -> Self::Cell;
    #[doc(hidden)]
    fn load(cell: &Self::Cell) -> Self;
    #[doc(hidden)]
    fn store(cell: &Self::Cell, value: Self);
    #[doc(hidden)]
    fn swap(cell: &Self::Cell, value: Self) -> Self;
    #[doc(hidden)]
    fn compare_exchange(cell: &Self::Cell, current: Self, new: Self) -> Result<Self, Self>;
    #[doc(hidden)]
    fn fetch_add(cell: &Self::Cell, value: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ty, $cell:ty;)*) => { $(
        impl sealed::Sealed for $number {}

        impl Number for $number {
            type Cell = $cell;

            fn cell(self) -> $cell {
                <$cell>::new(self)
            }

            #[inline]
            fn load(cell: &$cell) -> Self {
                cell.load(Relaxed)
            }

            #[inline]
            fn store(cell: &$cell, value: Self) {
                cell.store(value, Relaxed);
            }

            #[inline]
            fn swap(cell: &$cell, value: Self) -> Self {
                cell.swap(value, Relaxed)
            }

            #[inline]
            fn compare_exchange(cell: &$cell, current: Self, new: Self) -> Result<Self, Self> {
                cell.compare_exchange(current, new, Relaxed, Relaxed)
            }

            #[inline]
            fn fetch_add(cell: &$cell, value: Self) -> Self {
                cell.fetch_add(value, Relaxed)
            }
        }
    )* };
}

numbers! {
    i32, AtomicI32;
    u32, AtomicU32;
    i64, AtomicI64;
    u64, AtomicU64;
    isize, AtomicIsize;
    usize, AtomicUsize;
}

// SAFETY: an atomic integer: a number without drop glue.
#[diagnostic::do_not_recommend]
unsafe impl<T: Number> Symmetric for Coatomic<T> {
    const SHARED: bool = true;
}

// SAFETY: every access is an atomic instruction, which works across processes too.
unsafe impl<T: Number> Shared for Coatomic<T> {}

impl<T: Number> Coatomic<T> {
    /// A coatomic that holds `value`.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self { cell: value.cell() }
    }

    /// The value at some moment.
    #[inline]
    #[must_use]
    pub fn load(&self) -> T {
        T::load(&self.cell)
    }

    /// Replaces the value.
    #[inline]
    pub fn store(&self, value: T) {
        T::store(&self.cell, value);
    }

    /// Replaces the value; returns the old one.
    #[inline]
    pub fn swap(&self, value: T) -> T {
        T::swap(&self.cell, value)
    }

    /// Replaces the value by `new` if it is `current`.
    ///
    /// # Errors
    /// The value, if it is another.
    #[inline]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        T::compare_exchange(&self.cell, current, new)
    }

    /// Adds, wrapping around; returns the old value.
    #[inline]
    pub fn fetch_add(&self, value: T) -> T {
        T::fetch_add(&self.cell, value)
    }
}

impl<T: Number> fmt::Debug for Coatomic<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(formatter)
    }
}

/// The operations of a coatomic on a place: `x.at(2).fetch_add(1)`.
pub trait CoatomicPlace<T: Number> {
    /// One-sided. The value at some moment.
    fn load(&self) -> T;
    /// One-sided. Replaces the value.
    fn store(&self, value: T);
    /// One-sided. Replaces the value; returns the old one.
    fn swap(&self, value: T) -> T;
    /// One-sided. Replaces the value by `new` if it is `current`.
    ///
    /// # Errors
    /// The value, if it is another.
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T>;
    /// One-sided. Adds, wrapping around; returns the old value.
    fn fetch_add(&self, value: T) -> T;
}

impl<T: Number, A: Access> CoatomicPlace<T> for Coref<Coatomic<T>, A> {
    #[inline]
    fn load(&self) -> T {
        self.shared().load()
    }

    #[inline]
    fn store(&self, value: T) {
        self.shared().store(value);
    }

    #[inline]
    fn swap(&self, value: T) -> T {
        self.shared().swap(value)
    }

    #[inline]
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        self.shared().compare_exchange(current, new)
    }

    #[inline]
    fn fetch_add(&self, value: T) -> T {
        self.shared().fetch_add(value)
    }
}
