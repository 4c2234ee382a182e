//! The memory of a coatomic: an atomic integer for numbers of up to 64 bits, or a double buffer ([`Locked`](crate::locked)).
//!
//! All operations are relaxed: each is atomic and orders nothing else. Where all images share memory they are instructions;
//! in other jobs [`either`] hands them to the fabric.

use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize, Ordering::Relaxed,
};

use crate::as_word::AsWord;
use crate::fabric_word::{FabricWord, either};
use crate::remote::Remote;

/// Holds a `T` that several images use at the same time, with relaxed atomic operations.
///
/// In a job whose images do not all share memory, a reference to the cell of an image on another node points into the shadow
/// mapping: it names the cell, whose bytes are elsewhere.
///
/// # Safety
/// The type has no drop glue and holds nothing that belongs to one process. All operations are sound from several images at
/// the same time, also if they are different processes.
#[doc(hidden)]
pub unsafe trait AtomicCell<T>: Send + Sync + Sized + 'static {
    fn new(value: T) -> Self;
    fn load(&self) -> T;
    fn store(&self, value: T);
    fn swap(&self, value: T) -> T;
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T>;
}

/// A cell of numbers.
#[doc(hidden)]
pub trait NumberCell<T>: AtomicCell<T> {
    fn fetch_add(&self, value: T) -> T;
    fn fetch_sub(&self, value: T) -> T;
    fn fetch_min(&self, value: T) -> T;
    fn fetch_max(&self, value: T) -> T;
}

/// A cell of bits.
#[doc(hidden)]
pub trait BitsCell<T>: AtomicCell<T> {
    fn fetch_and(&self, value: T) -> T;
    fn fetch_or(&self, value: T) -> T;
    fn fetch_xor(&self, value: T) -> T;
}

/// A value whose atomic operations are instructions on the very place of the value: integers of up to 64
/// bits, `f32`, `f64`, `bool` and copointers.
///
/// # Safety
/// `Self::Cell` has the size and the alignment of `Self`, a value of one is a value of the other, and the
/// cell turns whatever bytes it holds into a valid value.
///
/// # Examples
/// A counter of whatever type, in a coarray of plain numbers:
/// ```
/// use coarray::atomics::{LockFree, Number};
/// use coarray::prelude::*;
///
/// fn count<T: LockFree + Number>(place: &Coref<T>, one: T) {
///     place.as_atomic().add(one);
/// }
///
/// coarray::run(4, || {
///     let mut hits = Coarray::new(0u32);
///     let open = hits.open();
///     count(open.at(0), 1);
///     open.close();
///     assert_eq!(*hits, if this_image() == 0 { 4 } else { 0 });
/// });
/// ```
///
/// # Source
/// `coatomic<T>` with native operations, *Coarray C++* section 5.2; [`std::sync::atomic`].
#[diagnostic::on_unimplemented(
    message = "there are no atomic operations on a plain `{Self}`",
    label = "not an integer of up to 64 bits, `f32`, `f64`, `bool` or `Coptr`",
    note = "make it a coatomic: `Coarray<Coatomic<{Self}>>` has atomic operations at any time, by a lock where \
            there is no instruction"
)]
pub unsafe trait LockFree: Remote {}

/// Fails to compile unless the cell of the type is laid out as the type. A macro, since Rust 1.88 reports a function as unused.
macro_rules! check_layout {
    ($type:ty) => {
        const _: () = assert!(
            size_of::<<$type as Remote>::Cell>() == size_of::<$type>()
                && align_of::<<$type as Remote>::Cell>() == align_of::<$type>()
        );
    };
}

pub(crate) use check_layout;

macro_rules! lock_free {
    ($($type:ty),*) => { $(
        check_layout!($type);

        // SAFETY: size and alignment were just checked. The cell is an atomic integer of the same bits, and any bits are a
        // value: `bool` reads all but zero as true.
        #[diagnostic::do_not_recommend]
        unsafe impl LockFree for $type {}
    )* };
}

lock_free!(
    u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64, bool
);

macro_rules! forward {
    ($($operation:ident)*; $type:ty) => { $(
        #[inline]
        fn $operation(&self, value: $type) -> $type {
            either(
                self,
                move |word: FabricWord<'_, $type>| word.$operation(value),
                move |cell| cell.$operation(value, Relaxed),
            )
        }
    )* };
}

macro_rules! integers {
    ($($type:ty, $cell:ty;)*) => { $(
        // SAFETY: an atomic integer has no drop glue and belongs to no process. All operations are atomic instructions, which
        // work across processes, or, for a job that spans nodes, all are the fabric's.
        unsafe impl AtomicCell<$type> for $cell {
            forward!(swap; $type);

            #[inline]
            fn new(value: $type) -> Self {
                <$cell>::new(value)
            }

            #[inline]
            fn load(&self) -> $type {
                either(
                    self,
                    move |word: FabricWord<'_, $type>| word.load(),
                    move |cell| cell.load(Relaxed),
                )
            }

            #[inline]
            fn store(&self, value: $type) {
                either(
                    self,
                    move |word: FabricWord<'_, $type>| _ = word.swap(value),
                    move |cell| cell.store(value, Relaxed),
                );
            }

            #[inline]
            fn compare_exchange(&self, current: $type, new: $type) -> Result<$type, $type> {
                either(
                    self,
                    move |word: FabricWord<'_, $type>| word.compare_exchange(current, new),
                    move |cell| cell.compare_exchange(current, new, Relaxed, Relaxed),
                )
            }
        }

        impl NumberCell<$type> for $cell {
            forward!(fetch_add fetch_sub fetch_min fetch_max; $type);
        }

        impl BitsCell<$type> for $cell {
            forward!(fetch_and fetch_or fetch_xor; $type);
        }
    )* };
}

integers! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
    usize, AtomicUsize;
    i8, AtomicI8;
    i16, AtomicI16;
    i32, AtomicI32;
    i64, AtomicI64;
    isize, AtomicIsize;
}

macro_rules! floats {
    ($($type:ident)*) => { $(
        impl NumberCell<$type> for AsWord<$type> {
            #[inline]
            fn fetch_add(&self, value: $type) -> $type {
                self.update(|old| old + value)
            }

            #[inline]
            fn fetch_sub(&self, value: $type) -> $type {
                self.update(|old| old - value)
            }

            #[inline]
            fn fetch_min(&self, value: $type) -> $type {
                self.update(|old| old.min(value))
            }

            #[inline]
            fn fetch_max(&self, value: $type) -> $type {
                self.update(|old| old.max(value))
            }
        }
    )* };
}

floats!(f32 f64);
