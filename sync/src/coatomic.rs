//! Values that several images change at the same time.

mod fetch;
mod number;
mod update;
mod wait;

use std::fmt;
use std::panic::Location;

use coarray_coref::{Atomic as _, AtomicCell, Remote, Shared, Symmetric, same};
use coarray_fabric::may_span_nodes;
use coarray_runtime::{Class, count_operations, locate, note_change, operate_noted};

pub use number::{Bits, Number};
pub(crate) use wait::{wait_until, wait_until_timeout};

/// A value with atomic operations, from any image, at any time: a coarray of coatomics needs no opening.
///
/// Any value that travels will do. All can be loaded, stored, swapped, and compared and exchanged; a
/// [`Number`] also takes part in arithmetic, and [`Bits`] in logic. The same operations exist for the
/// coatomics of other images, as [`CoatomicPlace`](crate::CoatomicPlace): `x.at(2).fetch_add(1)`; without waiting, as
/// [`AsyncCoatomicPlace`](crate::AsyncCoatomicPlace): `x.at(2).add_async(1)`; and for lists of indices, as
/// [`CoatomicList`](crate::CoatomicList): `x.at(2).add_at(&indices, &values)`.
///
/// All operations are relaxed: each is atomic by itself and orders nothing else. Order comes from
/// [`image_fence`](crate::image_fence) and [`sync_all`](crate::sync_all). Forms without `fetch_` do not return the old value:
/// `add` is a shorter instruction than `fetch_add`.
///
/// # What they cost
/// For integers of up to 64 bits, `bool` and copointers, operations are instructions of the processor, and a
/// load is a plain one. After an instruction that changes the value comes a load that tells whether an image
/// [waits](Self::wait_until) for it. Arithmetic on floats is a loop of compare-exchange. Everything else, such as arrays
/// and structs with `#[derive(Remote)]`, has a lock in the coatomic: images that change it exclude each other,
/// and loads do not wait. If an image fails in the middle of a change, the value is the old or the new one, and the others
/// go on.
///
/// If the images of a job do not all share memory, all operations on its coatomics are the network's, those of the owner
/// too, because operations of a network need not be atomic with respect to instructions. Values of less than 32 bits, and
/// operations that no network has, such as arithmetic on floats, are loops of compare-exchange there. Only images can
/// carry them out: another thread that tries panics. Operations on a coatomic outside of coarrays, such as a local variable,
/// are always instructions.
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
    pub(crate) cell: T::Cell,
}

// SAFETY: transparent over an atomic cell, which has no drop glue and holds nothing of one process.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Symmetric for Coatomic<T> {
    const SHARED: bool = true;
}

// SAFETY: all access through `&Self` is by the operations of the cell, by instruction if all images share memory and by the fabric
// otherwise. Both are sound from several images at once. `SHARED` is true, and the type is not `Remote`.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote> Shared for Coatomic<T> {}

/// The cell of a coatomic by its place, with operations of the fabric.
pub(crate) type RemoteCell<T> = <<T as Remote>::Cell as AtomicCell<T>>::Remote;

/// Calls an operation of a cell, by either form of the cell: `operate!(x.fetch_add(value))`.
macro_rules! operate {
    ($target:ident.$operation:ident($($argument:ident),*)) => {
        $target.operate(
            false,
            move |cell| cell.$operation($($argument),*),
            move |cell| cell.$operation($($argument),*),
        )
    };
}

/// As [`operate`], for what changes the value: wakes images that wait for that.
macro_rules! change {
    ($target:ident.$operation:ident($($argument:ident),*)) => {
        $target.operate(
            true,
            move |cell| {
                let old = cell.$operation($($argument),*);
                $crate::coatomic::note_change_of(cell);
                old
            },
            move |cell| cell.$operation($($argument),*),
        )
    };
}

pub(crate) use {change, operate};

/// To be called after an instruction that has changed the cell. Images of a job that spans nodes look for themselves.
#[inline]
pub(crate) fn note_change_of<C>(cell: &C) {
    note_change(std::ptr::from_ref(cell).addr());
}

/// The result of a comparison and exchange that found `old`.
#[inline]
pub(crate) fn exchanged<T: Remote>(old: T, current: T) -> Result<T, T> {
    match same(&old, &current) {
        true => Ok(old),
        false => Err(old),
    }
}

impl<T: Remote> Coatomic<T> {
    /// Operates on the value: by the fabric if it is in the memory of a job that spans nodes, by an instruction otherwise.
    #[inline]
    #[track_caller]
    fn operate<R>(
        &self,
        changes: bool,
        by_instruction: impl FnOnce(&T::Cell) -> R,
        by_fabric: impl FnOnce(&RemoteCell<T>) -> R,
    ) -> R {
        if may_span_nodes() {
            // SAFETY: a reference to the coatomic is to memory that is mapped.
            return unsafe { operate_where_it_is(self, 1, changes, by_instruction, by_fabric) };
        }
        by_instruction(&self.cell)
    }

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
    /// use coarray::atomics::Coatomic;
    ///
    /// let hottest = Coatomic::new(21.5);
    /// assert_eq!(hottest.load(), 21.5);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_ref`, clause 16.9.29.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn load(&self) -> T {
        operate!(self.load())
    }

    /// One-sided. Replaces the value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let phase = Coatomic::new('a');
    /// phase.store('b');
    /// assert_eq!(phase.load(), 'b');
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_define`, clause 16.9.23.
    #[inline]
    #[track_caller]
    pub fn store(&self, value: T) {
        change!(self.store(value));
    }

    /// One-sided. Replaces the value; returns the old one.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
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
    #[track_caller]
    pub fn swap(&self, value: T) -> T {
        change!(self.swap(value))
    }

    /// One-sided. Replaces the value by `new` if it is `current`; then returns `current`.
    ///
    /// Compares bytes: `NaN` equals itself, and `-0.0` is not `0.0`.
    ///
    /// # Errors
    /// The value, if it is another.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let owner = Coatomic::new(u32::MAX); // nobody
    /// assert_eq!(owner.compare_exchange(u32::MAX, 3), Ok(u32::MAX)); // it is 3's now
    /// assert_eq!(owner.compare_exchange(u32::MAX, 5), Err(3));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_cas`, clause 16.9.22; [`AtomicU64::compare_exchange`](std::sync::atomic::AtomicU64::compare_exchange).
    #[inline]
    #[track_caller]
    pub fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        exchanged(change!(self.compare_swap(current, new)), current)
    }
}

/// Operates on the coatomic at an address: by the fabric in a job that spans nodes, else by an instruction. A job that counts counts so many
/// operations; one that is checked notes whether the operation `changes` the value.
///
/// # Safety
/// A coatomic of this type is there as long as the call takes: in a coarray, on whichever node, or in a local variable.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) unsafe fn operate_where_it_is<T: Remote, R>(
    coatomic: *const Coatomic<T>,
    operations: usize,
    changes: bool,
    by_instruction: impl FnOnce(&T::Cell) -> R,
    by_fabric: impl FnOnce(&RemoteCell<T>) -> R,
) -> R {
    let (address, bytes) = (coatomic.addr(), size_of::<T>());
    count(address, bytes, operations);
    let Some((image, place)) = locate(address) else {
        // SAFETY: the caller vouches for the coatomic. `locate` found no place for the fabric: the address is mapped.
        let operate = || by_instruction(&unsafe { &*coatomic }.cell);
        return match operations {
            0 => operate(),
            _ => operate_noted(address, bytes, changes, Location::caller(), operate),
        };
    };
    // The program may poll this coatomic until another image changes it, and that image may need an answer from this one.
    image.poll_throttled();
    // SAFETY: the caller vouches for the coatomic, which is transparent over its cell. It is in a job that spans nodes, as `locate`
    // returned its place: there the fabric alone changes it.
    by_fabric(&unsafe { T::Cell::remote(image, place) })
}

/// Counts operations on coatomics of so many bytes, from this address on.
#[track_caller]
pub(crate) fn count(address: usize, bytes: usize, operations: usize) {
    count_operations(
        Class::Atomic,
        Location::caller(),
        address,
        bytes,
        operations,
    );
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
