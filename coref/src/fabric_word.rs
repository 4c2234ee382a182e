//! Atomic operations on words in jobs whose images do not all share memory.
//!
//! In such a job the fabric carries out all of them, those of the owner too: the atomic operations of a network need not be
//! atomic with respect to the instructions of a processor. Fabrics have words of 32 and 64 bits. An integer of 8 or 16 bits
//! is changed as a part of the aligned word of 32 bits around it, by compare-exchange.

use std::marker::PhantomData;
use std::mem::size_of;
use std::rc::Rc;

use coarray_fabric::{AtomicOperation, Place, Word};
use coarray_runtime::Image;

use crate::atomic_cell::{Atomic, AtomicBits, AtomicNumber};
use crate::in_word::{Container, InWord};

/// An integer of up to 64 bits, as its bits.
pub trait Integer: Copy + 'static {
    fn to_bits(self) -> u64;

    /// The integer with the lowest of these bits.
    fn from_bits(bits: u64) -> Self;
}

macro_rules! integers {
    ($($type:ty as $unsigned:ty),*) => { $(
        impl Integer for $type {
            fn to_bits(self) -> u64 {
                self as $unsigned as u64
            }

            fn from_bits(bits: u64) -> Self {
                bits as Self
            }
        }
    )* };
}

integers!(
    u8 as u8,
    u16 as u16,
    u32 as u32,
    u64 as u64,
    usize as usize,
    i8 as u8,
    i16 as u16,
    i32 as u32,
    i64 as u64,
    isize as usize
);

/// The place of an integer that only the fabric changes.
#[doc(hidden)]
pub struct FabricWord<T> {
    image: Rc<Image>,
    place: Place,
    integer: PhantomData<T>,
}

impl<T: Integer> FabricWord<T> {
    /// The integer at `place`.
    ///
    /// # Safety
    /// While the result lives an integer, which is aligned, is at `place` in the job of `image`, and changed by the fabric only, or the
    /// program allows puts that race with its operations.
    pub(crate) unsafe fn new(image: Rc<Image>, place: Place) -> Self {
        Self {
            image,
            place,
            integer: PhantomData,
        }
    }

    fn container(&self) -> Container {
        Container::of(self.place.offset, size_of::<T>())
    }

    fn is_word(&self) -> bool {
        size_of::<T>() >= Word::Bits32.bytes()
    }

    /// Carries out `operation` on the whole word.
    fn operate(&self, on: &Container, operation: AtomicOperation) -> u64 {
        // SAFETY: the contract of `new`: the integer is there, aligned. `container` rounds the offset down, so the word is aligned; it
        // lies in a block of the image, since blocks are whole cache lines. It is reached in no other way:
        // * A word of its own is a coatomic, or a place that is used as one, and in a job that spans nodes only the fabric's
        //   atomic operations change these.
        // * A word around a smaller integer consists of such places and of the unused rest of a block. What a plain put to one
        //   of them makes of the word at the same moment is unspecified, as `as_atomic` says.
        unsafe {
            self.image
                .fabric()
                .atomic(self.place.image, on.offset, on.word, operation)
        }
    }

    /// Carries out `operation`, or, for an integer smaller than the fabric's words, `change` in a loop of compare-exchange.
    fn perform(&self, operation: AtomicOperation, change: impl Fn(T) -> T) -> T {
        if self.is_word() {
            T::from_bits(self.operate(&self.container(), operation))
        } else {
            self.update(change)
        }
    }

    /// Replaces the integer by `change` of it; returns the old one.
    fn update(&self, change: impl Fn(T) -> T) -> T {
        self.try_update(|old| Some(change(old)))
    }

    /// Replaces the integer by the one that `change` returns, if it returns one; returns the old one.
    fn try_update(&self, change: impl Fn(T) -> Option<T>) -> T {
        let on = self.container();
        let mut seen = self.operate(&on, AtomicOperation::Load);
        loop {
            let old = T::from_bits(seen >> on.shift & on.mask);
            let Some(new) = change(old) else {
                return old;
            };
            let new = seen & !(on.mask << on.shift) | new.to_bits() << on.shift;
            let exchange = AtomicOperation::CompareExchange { current: seen, new };
            match self.operate(&on, exchange) {
                other if other == seen => return old,
                other => seen = other,
            }
        }
    }
}

impl<T: Integer> Atomic<T> for FabricWord<T> {
    fn in_word(&self) -> Option<InWord<'_, T>> {
        let (image, place) = (Rc::clone(&self.image), self.place);
        Some(InWord::new(image, place, T::to_bits, T::from_bits))
    }

    fn load(&self) -> T {
        let on = self.container();
        T::from_bits(self.operate(&on, AtomicOperation::Load) >> on.shift & on.mask)
    }

    fn store(&self, value: T) {
        self.swap(value);
    }

    fn swap(&self, value: T) -> T {
        self.perform(AtomicOperation::Swap(value.to_bits()), |_| value)
    }

    fn compare_swap(&self, current: T, new: T) -> T {
        if !self.is_word() {
            return self.try_update(|old| (old.to_bits() == current.to_bits()).then_some(new));
        }
        let exchange = AtomicOperation::CompareExchange {
            current: current.to_bits(),
            new: new.to_bits(),
        };
        T::from_bits(self.operate(&self.container(), exchange))
    }
}

impl<T: Integer + Ord> AtomicNumber<T> for FabricWord<T> {
    fn fetch_add(&self, value: T) -> T {
        let sum = |old: T| T::from_bits(old.to_bits().wrapping_add(value.to_bits()));
        self.perform(AtomicOperation::Add(value.to_bits()), sum)
    }

    fn fetch_sub(&self, value: T) -> T {
        self.fetch_add(T::from_bits(value.to_bits().wrapping_neg()))
    }

    fn fetch_min(&self, value: T) -> T {
        self.update(|old| old.min(value))
    }

    fn fetch_max(&self, value: T) -> T {
        self.update(|old| old.max(value))
    }
}

impl<T: Integer> AtomicBits<T> for FabricWord<T> {
    fn fetch_and(&self, value: T) -> T {
        let and = |old: T| T::from_bits(old.to_bits() & value.to_bits());
        self.perform(AtomicOperation::And(value.to_bits()), and)
    }

    fn fetch_or(&self, value: T) -> T {
        let or = |old: T| T::from_bits(old.to_bits() | value.to_bits());
        self.perform(AtomicOperation::Or(value.to_bits()), or)
    }

    fn fetch_xor(&self, value: T) -> T {
        let xor = |old: T| T::from_bits(old.to_bits() ^ value.to_bits());
        self.perform(AtomicOperation::Xor(value.to_bits()), xor)
    }
}
