//! Values that several images change at the same time.

use std::fmt;

use coarray_coref::{AtomicCell as _, BitsCell, NumberCell, Remote, Shared, Symmetric};

/// A value with atomic operations, from any image, at any time: a coarray of coatomics needs no opening.
///
/// Any value that travels will do. All can be loaded, stored, swapped, and compared and exchanged; a
/// [`Number`] also takes part in arithmetic, and [`Bits`] in logic. The same operations exist for the
/// coatomics of other images, as [`CoatomicPlace`](crate::CoatomicPlace): `x.at(2).fetch_add(1)`.
///
/// All operations are relaxed: each is atomic by itself and orders nothing else. Order comes from
/// [`image_fence`](crate::image_fence) and [`sync_all`](crate::sync_all). Forms without `fetch_` are for
/// who does not need the old value: `add` is a shorter instruction than `fetch_add`.
///
/// # What they cost
/// For integers of up to 64 bits, `bool` and copointers, operations are instructions of the processor, and a
/// load is a plain one. Arithmetic on floats is a loop of compare-exchange. Everything else, such as arrays
/// and structs with `#[derive(Remote)]`, goes through a lock in the coatomic: images that change it take
/// turns, and those that load it wait for nobody. If an image fails in the middle of it, the value is
/// the old or the new one, and the others go on.
///
/// If the images of a job do not all share memory, all operations on its coatomics are the network's, those of the owner
/// and its neighbours too, because a network's operations and instructions may not know of each other. Values of less than
/// 32 bits, and what no network does, such as arithmetic on floats, are loops of compare-exchange there. Only images can
/// carry them out: another thread that tries panics. A coatomic outside of coarrays, such as a local variable, stays what
/// it is everywhere.
///
/// # Examples
/// ```
/// use coarray_sync::Coatomic;
///
/// let hits = Coatomic::new(40u64);
/// assert_eq!(hits.fetch_add(2), 40);
/// assert_eq!(hits.load(), 42);
///
/// let hottest = Coatomic::new(-273.15);
/// hottest.max(21.5);
/// assert_eq!(hottest.load(), 21.5);
///
/// let alarm = Coatomic::new(false);
/// assert!(!alarm.fetch_or(true));
///
/// let best = Coatomic::new([f64::INFINITY, 0.0]); // an error and who found it, never one without the other
/// best.store([0.5, 3.0]);
/// assert_eq!(best.load(), [0.5, 3.0]);
/// ```
///
/// # Source
/// *Coarray C++* section 5.2; Fortran 2018 `atomic_add`, `atomic_fetch_or`, `atomic_cas` and their relatives;
/// OpenSHMEM's atomic memory operations, which include those on floats.
#[repr(transparent)]
pub struct Coatomic<T: Remote> {
    cell: T::Cell,
}

/// The values whose coatomics add, subtract, and find the smaller and the larger: integers of up to 64
/// bits, which wrap around, `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic arithmetic on `{Self}`",
    label = "not an integer of up to 64 bits, `f32` or `f64`",
    note = "`fetch_and`, `fetch_or` and `fetch_xor` are for `bool`; values of other types change in a loop of \
            `compare_exchange`"
)]
pub trait Number: Remote<Cell: NumberCell<Self>> {}

/// The values whose coatomics do logic bit by bit: integers of up to 64 bits, and `bool`.
#[diagnostic::on_unimplemented(
    message = "there is no atomic logic on the bits of `{Self}`",
    label = "not an integer of up to 64 bits or `bool`",
    note = "values of other types change in a loop of `compare_exchange`"
)]
pub trait Bits: Remote<Cell: BitsCell<Self>> {}

macro_rules! implement {
    ($interface:ident for $($type:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl $interface for $type {}
    )* };
}

implement!(Number for u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);
implement!(Bits for u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool);

// SAFETY: an atomic cell: no drop glue, and nothing of one process.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Symmetric for Coatomic<T> {
    const SHARED: bool = true;
}

// SAFETY: all access is through the operations of the cell, which are sound from several images at once.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Shared for Coatomic<T> {}

impl<T: Remote> Coatomic<T> {
    /// A coatomic that holds `value`.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self {
            cell: T::Cell::new(value),
        }
    }

    /// The value at some moment.
    #[inline]
    #[must_use]
    pub fn load(&self) -> T {
        self.cell.load()
    }

    /// Replaces the value.
    #[inline]
    pub fn store(&self, value: T) {
        self.cell.store(value);
    }

    /// Replaces the value; returns the old one.
    #[inline]
    pub fn swap(&self, value: T) -> T {
        self.cell.swap(value)
    }

    /// Replaces the value by `new` if it is `current`; then returns `current`.
    ///
    /// Values are the same if their bytes are: `NaN` is itself, and `-0.0` is not `0.0`.
    ///
    /// # Errors
    /// The value, if it is another.
    #[inline]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        self.cell.compare_exchange(current, new)
    }

    /// Adds, wrapping around; returns the old value.
    #[inline]
    pub fn fetch_add(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_add(value)
    }

    /// Subtracts, wrapping around; returns the old value.
    #[inline]
    pub fn fetch_sub(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_sub(value)
    }

    /// Replaces the value by `value` if that is smaller; returns the old one. As in [`f64::min`], a number is
    /// preferred to `NaN`.
    #[inline]
    pub fn fetch_min(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_min(value)
    }

    /// Replaces the value by `value` if that is larger; returns the old one. As in [`f64::max`], a number is
    /// preferred to `NaN`.
    #[inline]
    pub fn fetch_max(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_max(value)
    }

    /// Keeps the bits that `value` has, too; returns the old value.
    #[inline]
    pub fn fetch_and(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_and(value)
    }

    /// Sets the bits that `value` has; returns the old value.
    #[inline]
    pub fn fetch_or(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_or(value)
    }

    /// Turns the bits over that `value` has; returns the old value.
    #[inline]
    pub fn fetch_xor(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_xor(value)
    }

    /// Adds, wrapping around.
    #[inline]
    pub fn add(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_add(value);
    }

    /// Subtracts, wrapping around.
    #[inline]
    pub fn sub(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_sub(value);
    }

    /// Replaces the value by `value` if that is smaller; see [`fetch_min`](Self::fetch_min).
    #[inline]
    pub fn min(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_min(value);
    }

    /// Replaces the value by `value` if that is larger; see [`fetch_max`](Self::fetch_max).
    #[inline]
    pub fn max(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_max(value);
    }

    /// Keeps the bits that `value` has, too.
    #[inline]
    pub fn and(&self, value: T)
    where
        T: Bits,
    {
        self.cell.fetch_and(value);
    }

    /// Sets the bits that `value` has.
    #[inline]
    pub fn or(&self, value: T)
    where
        T: Bits,
    {
        self.cell.fetch_or(value);
    }

    /// Turns the bits over that `value` has.
    #[inline]
    pub fn xor(&self, value: T)
    where
        T: Bits,
    {
        self.cell.fetch_xor(value);
    }
}

impl<T: Remote + Default> Default for Coatomic<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Remote> From<T> for Coatomic<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Remote + fmt::Debug> fmt::Debug for Coatomic<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.load().fmt(formatter)
    }
}
