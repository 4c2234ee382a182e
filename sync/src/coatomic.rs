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
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::Number;
///
/// /// The sum over all images of a part of each, on image 0.
/// fn accumulate<T: Number>(total: &Coarray<Coatomic<T>>, part: T) {
///     total.at(0).add(part);
/// }
///
/// coarray::run(3, || {
///     let total = Coarray::new(Coatomic::new(0.5f32));
///     accumulate(&total, this_image() as f32);
///     sync_all();
///     assert_eq!(total.at(0).load(), 3.5);
/// });
/// ```
///
/// # Source
/// Fortran 2018 `atomic_add`, clause 16.9.20; OpenSHMEM 1.5 atomics, which include floats.
#[diagnostic::on_unimplemented(
    message = "there is no atomic arithmetic on `{Self}`",
    label = "not an integer of up to 64 bits, `f32` or `f64`",
    note = "`fetch_and`, `fetch_or` and `fetch_xor` are for `bool`; values of other types change in a loop of \
            `compare_exchange`"
)]
pub trait Number: Remote<Cell: NumberCell<Self>> {}

/// The values whose coatomics do logic bit by bit: integers of up to 64 bits, and `bool`.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
/// use coarray::Bits;
///
/// fn mark<T: Bits + PartialEq>(flags: &Coref<Coatomic<T>>, flag: T) -> bool {
///     flags.fetch_or(flag) != flag // whether this image was the first
/// }
///
/// coarray::run(2, || {
///     let done = Coarray::new(Coatomic::new(false));
///     let first = co_count(mark(done.at(0), true));
///     assert_eq!(first, 1);
/// });
/// ```
///
/// # Source
/// Fortran 2018 `atomic_or` and its relatives, clause 16.9.
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
    /// Local. A coatomic that holds `value`.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self {
            cell: T::Cell::new(value),
        }
    }

    /// One-sided. The value at some moment.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let hottest = Coatomic::new(21.5);
    /// assert_eq!(hottest.load(), 21.5);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_ref`, clause 16.9.29.
    #[inline]
    #[must_use]
    pub fn load(&self) -> T {
        self.cell.load()
    }

    /// One-sided. Replaces the value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let phase = Coatomic::new('a');
    /// phase.store('b');
    /// assert_eq!(phase.load(), 'b');
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_define`, clause 16.9.23.
    #[inline]
    pub fn store(&self, value: T) {
        self.cell.store(value);
    }

    /// One-sided. Replaces the value; returns the old one.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let mailbox = Coatomic::new(0u64);
    /// mailbox.store(7);
    /// assert_eq!(mailbox.swap(0), 7); // taken, by one image only
    /// assert_eq!(mailbox.swap(0), 0);
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_swap`, OpenSHMEM 1.5.
    #[inline]
    pub fn swap(&self, value: T) -> T {
        self.cell.swap(value)
    }

    /// One-sided. Replaces the value by `new` if it is `current`; then returns `current`.
    ///
    /// Values are the same if their bytes are: `NaN` is itself, and `-0.0` is not `0.0`.
    ///
    /// # Errors
    /// The value, if it is another.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let owner = Coatomic::new(u32::MAX); // nobody
    /// assert_eq!(owner.compare_exchange(u32::MAX, 3), Ok(u32::MAX)); // it is 3's now
    /// assert_eq!(owner.compare_exchange(u32::MAX, 5), Err(3));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_cas`, clause 16.9.22; [`AtomicU64::compare_exchange`](std::sync::atomic::AtomicU64::compare_exchange).
    #[inline]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        self.cell.compare_exchange(current, new)
    }

    /// One-sided. Adds, wrapping around; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let next = Coatomic::new(0u8);
    /// assert_eq!((next.fetch_add(200), next.fetch_add(100), next.load()), (0, 200, 44));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_add`, clause 16.9.24.
    #[inline]
    pub fn fetch_add(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_add(value)
    }

    /// One-sided. Subtracts, wrapping around; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let credits = Coatomic::new(2i32);
    /// assert_eq!((credits.fetch_sub(1), credits.load()), (2, 1));
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 5.2.
    #[inline]
    pub fn fetch_sub(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_sub(value)
    }

    /// One-sided. Replaces the value by `value` if that is smaller; returns the old one. As in [`f64::min`], a number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let first = Coatomic::new(9);
    /// assert_eq!((first.fetch_min(12), first.fetch_min(4), first.load()), (9, 9, 4));
    /// ```
    ///
    /// # Source
    /// `MPI_Fetch_and_op` with `MPI_MIN`, MPI 3.1 section 11.3.4.
    #[inline]
    pub fn fetch_min(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_min(value)
    }

    /// One-sided. Replaces the value by `value` if that is larger; returns the old one. As in [`f64::max`], a number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let worst = Coatomic::new(f64::NAN);
    /// worst.fetch_max(0.5);
    /// assert_eq!((worst.fetch_max(0.25), worst.load()), (0.5, 0.5));
    /// ```
    ///
    /// # Source
    /// `MPI_Fetch_and_op` with `MPI_MAX`, MPI 3.1 section 11.3.4.
    #[inline]
    pub fn fetch_max(&self, value: T) -> T
    where
        T: Number,
    {
        self.cell.fetch_max(value)
    }

    /// One-sided. Keeps the bits that `value` has, too; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let all_agree = Coatomic::new(true);
    /// all_agree.fetch_and(false);
    /// assert!(!all_agree.fetch_and(true));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_and`, clause 16.9.25.
    #[inline]
    pub fn fetch_and(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_and(value)
    }

    /// One-sided. Sets the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let arrived = Coatomic::new(0u64);
    /// assert_eq!((arrived.fetch_or(0b0100), arrived.fetch_or(0b0001)), (0, 0b0100));
    /// assert_eq!(arrived.load(), 0b0101);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_or`, clause 16.9.26.
    #[inline]
    pub fn fetch_or(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_or(value)
    }

    /// One-sided. Turns the bits over that `value` has; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let parity = Coatomic::new(false);
    /// assert_eq!((parity.fetch_xor(true), parity.fetch_xor(true)), (false, true));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_xor`, clause 16.9.27.
    #[inline]
    pub fn fetch_xor(&self, value: T) -> T
    where
        T: Bits,
    {
        self.cell.fetch_xor(value)
    }

    /// One-sided. Adds, wrapping around.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let hits = Coatomic::new(40u32);
    /// hits.add(2);
    /// assert_eq!(hits.load(), 42);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_add`, clause 16.9.20.
    #[inline]
    pub fn add(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_add(value);
    }

    /// One-sided. Subtracts, wrapping around.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let left = Coatomic::new(1.5);
    /// left.sub(1.0);
    /// assert_eq!(left.load(), 0.5);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 5.2.
    #[inline]
    pub fn sub(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_sub(value);
    }

    /// One-sided. Replaces the value by `value` if that is smaller; see [`fetch_min`](Self::fetch_min).
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let first = Coatomic::new(9);
    /// first.min(4);
    /// assert_eq!(first.load(), 4);
    /// ```
    ///
    /// # Source
    /// As [`fetch_min`](Self::fetch_min).
    #[inline]
    pub fn min(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_min(value);
    }

    /// One-sided. Replaces the value by `value` if that is larger; see [`fetch_max`](Self::fetch_max).
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let hottest = Coatomic::new(-273.15);
    /// hottest.max(21.5);
    /// assert_eq!(hottest.load(), 21.5);
    /// ```
    ///
    /// # Source
    /// As [`fetch_max`](Self::fetch_max).
    #[inline]
    pub fn max(&self, value: T)
    where
        T: Number,
    {
        self.cell.fetch_max(value);
    }

    /// One-sided. Keeps the bits that `value` has, too.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let mask = Coatomic::new(0b0111u8);
    /// mask.and(0b0011);
    /// assert_eq!(mask.load(), 0b0011);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_and`, clause 16.9.21.
    #[inline]
    pub fn and(&self, value: T)
    where
        T: Bits,
    {
        self.cell.fetch_and(value);
    }

    /// One-sided. Sets the bits that `value` has.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let found = Coatomic::new(false);
    /// found.or(true);
    /// assert!(found.load());
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_or`, clause 16.9.28.
    #[inline]
    pub fn or(&self, value: T)
    where
        T: Bits,
    {
        self.cell.fetch_or(value);
    }

    /// One-sided. Turns the bits over that `value` has.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coatomic;
    ///
    /// let toggled = Coatomic::new(0b01u8);
    /// toggled.xor(0b11);
    /// assert_eq!(toggled.load(), 0b10);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_xor`, clause 16.9.30.
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
