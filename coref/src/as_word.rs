//! Coatomics of values that are integers in all but name: floats, `bool` and copointers, kept in an atomic integer of the
//! same bits.

use std::marker::PhantomData;
use std::rc::Rc;

use coarray_fabric::Place;
use coarray_runtime::Image;

use crate::atomic_cell::{Atomic, AtomicBits, AtomicCell};
use crate::fabric_word::Integer;
use crate::in_word::InWord;
use crate::remote::Remote;

/// A value with the bits of an integer.
pub trait Word: Copy + 'static {
    /// The integer.
    type Word: Remote + PartialEq + Integer;

    /// The bits.
    fn to_word(self) -> Self::Word;

    /// The value with these bits. Bits that are no value give some value, too.
    fn from_word(word: Self::Word) -> Self;
}

/// The cell of the integer with the bits of a `T`.
type WordCell<T> = <<T as Word>::Word as Remote>::Cell;

/// A cell that keeps a value as the bits of an atomic integer, `word`.
#[doc(hidden)]
#[repr(transparent)]
pub struct AsWord<T: Word, W = WordCell<T>> {
    word: W,
    value: PhantomData<fn() -> T>,
}

impl<T: Word, W: Atomic<T::Word>> AsWord<T, W> {
    /// Replaces the value by `change` of it, in a loop of compare-exchange; returns the old one.
    #[inline]
    pub(crate) fn update(&self, change: impl Fn(T) -> T) -> T {
        let mut seen = self.word.load();
        loop {
            let new = change(T::from_word(seen)).to_word();
            match self.word.compare_swap(seen, new) {
                old if old == seen => return T::from_word(old),
                other => seen = other,
            }
        }
    }
}

// SAFETY: the cell of an integer, which has no drop glue and belongs to no process; all operations are those of that cell.
unsafe impl<T: Word> AtomicCell<T> for AsWord<T> {
    type Remote = AsWord<T, <WordCell<T> as AtomicCell<T::Word>>::Remote>;

    #[inline]
    fn new(value: T) -> Self {
        Self {
            word: AtomicCell::new(value.to_word()),
            value: PhantomData,
        }
    }

    unsafe fn remote(image: Rc<Image>, place: Place) -> Self::Remote {
        AsWord {
            // SAFETY: the caller vouches for a cell of this type at `place`, which is transparent over that of the integer.
            word: unsafe { WordCell::<T>::remote(image, place) },
            value: PhantomData,
        }
    }
}

impl<T: Word, W: Atomic<T::Word>> Atomic<T> for AsWord<T, W> {
    fn in_word(&self) -> Option<InWord<'_, T>> {
        let word = self.word.in_word()?;
        Some(word.of_bits(
            |value: T| value.to_word().to_bits(),
            |bits| T::from_word(Integer::from_bits(bits)),
        ))
    }

    #[inline]
    fn load(&self) -> T {
        T::from_word(self.word.load())
    }

    #[inline]
    fn store(&self, value: T) {
        self.word.store(value.to_word());
    }

    #[inline]
    fn swap(&self, value: T) -> T {
        T::from_word(self.word.swap(value.to_word()))
    }

    #[inline]
    fn compare_swap(&self, current: T, new: T) -> T {
        T::from_word(self.word.compare_swap(current.to_word(), new.to_word()))
    }
}

impl<W: AtomicBits<u8>> AtomicBits<bool> for AsWord<bool, W> {
    #[inline]
    fn fetch_and(&self, value: bool) -> bool {
        bool::from_word(self.word.fetch_and(value.into()))
    }

    #[inline]
    fn fetch_or(&self, value: bool) -> bool {
        bool::from_word(self.word.fetch_or(value.into()))
    }

    #[inline]
    fn fetch_xor(&self, value: bool) -> bool {
        bool::from_word(self.word.fetch_xor(value.into()))
    }
}

macro_rules! floats {
    ($($type:ident as $word:ident),*) => { $(
        impl Word for $type {
            type Word = $word;

            #[inline]
            fn to_word(self) -> $word {
                self.to_bits()
            }

            #[inline]
            fn from_word(word: $word) -> Self {
                Self::from_bits(word)
            }
        }
    )* };
}

floats!(f32 as u32, f64 as u64);

impl Word for bool {
    type Word = u8;

    #[inline]
    fn to_word(self) -> u8 {
        self.into()
    }

    /// Every byte gives a valid `bool`: images may have put any byte there.
    #[inline]
    fn from_word(word: u8) -> Self {
        word != 0
    }
}
