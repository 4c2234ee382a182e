//! The memory of a coatomic: an atomic integer for numbers of up to 64 bits, or a double buffer ([`Locked`](crate::locked)).
//!
//! All operations are relaxed: each is atomic and orders nothing else. A cell has two forms. The operations of the cell itself are
//! instructions, for jobs whose images all share memory. Those of its [`Remote`](AtomicCell::Remote) form are the fabric's.

use std::rc::Rc;
use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize, Ordering::Relaxed,
};

use coarray_fabric::Place;
use coarray_runtime::Image;

use crate::as_word::AsWord;
use crate::fabric_word::FabricWord;
use crate::in_word::InWord;
use crate::remote::Remote;

/// The relaxed atomic operations on a `T`.
#[doc(hidden)]
pub trait Atomic<T> {
    fn load(&self) -> T;
    fn store(&self, value: T);
    fn swap(&self, value: T) -> T;
    /// Replaces the value if its bytes are those of `current`. Returns the old one.
    fn compare_swap(&self, current: T, new: T) -> T;
    /// The word of the fabric that has the value, if one has: for operations in flight.
    fn in_word(&self) -> Option<InWord<'_, T>> {
        None
    }
}

/// Atomic arithmetic.
#[doc(hidden)]
pub trait AtomicNumber<T>: Atomic<T> {
    fn fetch_add(&self, value: T) -> T;
    fn fetch_sub(&self, value: T) -> T;
    fn fetch_min(&self, value: T) -> T;
    fn fetch_max(&self, value: T) -> T;
}

/// Atomic logic.
#[doc(hidden)]
pub trait AtomicBits<T>: Atomic<T> {
    fn fetch_and(&self, value: T) -> T;
    fn fetch_or(&self, value: T) -> T;
    fn fetch_xor(&self, value: T) -> T;
}

/// Holds a `T` that several images use at the same time. Its own operations are instructions.
///
/// # Safety
/// The type has no drop glue and holds nothing that belongs to one process. All operations are sound from several images at
/// the same time, also if they are different processes.
#[doc(hidden)]
pub unsafe trait AtomicCell<T>: Atomic<T> + Send + Sync + Sized + 'static {
    /// The cell by its place, with operations of the fabric.
    type Remote: Atomic<T>;

    fn new(value: T) -> Self;

    /// The cell at `place`, for one operation.
    ///
    /// # Safety
    /// While the result lives a cell of this type, which is aligned, is at `place` in the job of `image`. All images change it by the
    /// operations of the fabric only, or the program allows puts that race with them.
    unsafe fn remote(image: Rc<Image>, place: Place) -> Self::Remote;
}

/// A cell of numbers.
#[doc(hidden)]
pub trait NumberCell<T>: AtomicCell<T, Remote: AtomicNumber<T>> + AtomicNumber<T> {}

impl<T, C: AtomicCell<T, Remote: AtomicNumber<T>> + AtomicNumber<T>> NumberCell<T> for C {}

/// A cell of bits.
#[doc(hidden)]
pub trait BitsCell<T>: AtomicCell<T, Remote: AtomicBits<T>> + AtomicBits<T> {}

impl<T, C: AtomicCell<T, Remote: AtomicBits<T>> + AtomicBits<T>> BitsCell<T> for C {}

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

macro_rules! instructions {
    ($($operation:ident)*; $type:ty, $cell:ty) => { $(
        #[inline]
        fn $operation(&self, value: $type) -> $type {
            <$cell>::$operation(self, value, Relaxed)
        }
    )* };
}

macro_rules! integers {
    ($($type:ty, $cell:ty;)*) => { $(
        impl Atomic<$type> for $cell {
            instructions!(swap; $type, $cell);

            #[inline]
            fn load(&self) -> $type {
                <$cell>::load(self, Relaxed)
            }

            #[inline]
            fn store(&self, value: $type) {
                <$cell>::store(self, value, Relaxed);
            }

            #[inline]
            fn compare_swap(&self, current: $type, new: $type) -> $type {
                match <$cell>::compare_exchange(self, current, new, Relaxed, Relaxed) {
                    Ok(old) | Err(old) => old,
                }
            }
        }

        impl AtomicNumber<$type> for $cell {
            instructions!(fetch_add fetch_sub fetch_min fetch_max; $type, $cell);
        }

        impl AtomicBits<$type> for $cell {
            instructions!(fetch_and fetch_or fetch_xor; $type, $cell);
        }

        // SAFETY: an atomic integer has no drop glue and belongs to no process. All operations are atomic instructions, which
        // work across processes.
        unsafe impl AtomicCell<$type> for $cell {
            type Remote = FabricWord<$type>;

            #[inline]
            fn new(value: $type) -> Self {
                <$cell>::new(value)
            }

            unsafe fn remote(image: Rc<Image>, place: Place) -> FabricWord<$type> {
                // SAFETY: the caller vouches that an atomic integer is at `place`, aligned, and changed by the fabric only.
                unsafe { FabricWord::new(image, place) }
            }
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
    ($($type:ident as $word:ident),*) => { $(
        impl<W: Atomic<$word>> AtomicNumber<$type> for AsWord<$type, W> {
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

floats!(f32 as u32, f64 as u64);
