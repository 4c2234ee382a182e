//! Atomic operations in flight, on values whose bits are in a word of the fabric.
//!
//! A value that is a whole word takes all operations of the fabric. Of one that is a part of a word, the bits can be read and changed, and
//! the part around them stays. What the fabric has no operation for, such as arithmetic on floats, is done in rounds by
//! [`word_list`](crate::word_list), or at once by a loop of compare-exchange.

use std::marker::PhantomData;
use std::rc::Rc;

use coarray_fabric::{AtomicOperation, Place, Request, Word};
use coarray_runtime::Image;

/// The aligned word that the fabric operates on, and the bits of a value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    pub(crate) offset: usize,
    pub(crate) word: Word,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
}

impl Container {
    /// Of the value of `size` bytes, at most eight, at an offset.
    pub(crate) fn of(offset: usize, size: usize) -> Self {
        let word = if size == 8 {
            Word::Bits64
        } else {
            Word::Bits32
        };
        let before = offset % word.bytes();
        let behind = word.bytes() - size - before;
        let lower = if cfg!(target_endian = "little") {
            before
        } else {
            behind
        };
        Self {
            offset: offset - before,
            word,
            shift: 8 * lower as u32,
            mask: u64::MAX >> (64 - 8 * size),
        }
    }

    /// The bits of the value in those of the word.
    pub(crate) fn bits(&self, word: u64) -> u64 {
        word >> self.shift & self.mask
    }

    /// The word with other bits for the value.
    pub(crate) fn with(&self, word: u64, bits: u64) -> u64 {
        word & !(self.mask << self.shift) | bits << self.shift
    }
}

/// A value in a word that only the fabric changes.
#[doc(hidden)]
pub struct InWord<'a, T> {
    pub(crate) image: Rc<Image>,
    pub(crate) place: Place,
    size: usize,
    pub(crate) to_bits: fn(T) -> u64,
    pub(crate) from_bits: fn(u64) -> T,
    /// Whether sums of the value are those of its bits.
    is_integer: bool,
    /// The cell, which is there.
    cell: PhantomData<&'a ()>,
}

impl<'a, T> InWord<'a, T> {
    /// An integer. The caller vouches for it as for a `FabricWord`.
    pub(crate) fn new(
        image: Rc<Image>,
        place: Place,
        to_bits: fn(T) -> u64,
        from_bits: fn(u64) -> T,
    ) -> Self {
        Self {
            image,
            place,
            size: size_of::<T>(),
            to_bits,
            from_bits,
            is_integer: true,
            cell: PhantomData,
        }
    }

    /// The same bits as a value of another type, which is no integer.
    pub(crate) fn of_bits<V>(
        self,
        to_bits: fn(V) -> u64,
        from_bits: fn(u64) -> V,
    ) -> InWord<'a, V> {
        InWord {
            image: self.image,
            place: self.place,
            size: self.size,
            to_bits,
            from_bits,
            is_integer: false,
            cell: PhantomData,
        }
    }

    /// The word of the value that lies `distance` bytes behind this one.
    pub(crate) fn container(&self, distance: usize) -> Container {
        Container::of(self.place.offset + distance, self.size)
    }

    /// What the fabric does to the word; none if it has no operation for it.
    pub(crate) fn on_word(
        &self,
        container: &Container,
        operation: AtomicOperation<T>,
    ) -> Option<AtomicOperation> {
        use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
        let is_whole = self.size == container.word.bytes();
        let operation = operation.map(self.to_bits);
        Some(match operation {
            Load => Load,
            And(bits) => And(container.with(u64::MAX, bits)),
            Or(bits) => Or(bits << container.shift),
            Xor(bits) => Xor(bits << container.shift),
            Swap(_) | CompareExchange { .. } if is_whole => operation,
            Add(_) if is_whole && self.is_integer => operation,
            _ => return None,
        })
    }

    /// Starts an operation of the fabric on a word.
    pub(crate) fn issue(
        &self,
        container: &Container,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        let (image, offset, word) = (self.place.image, container.offset, container.word);
        // SAFETY: as for `FabricWord::operate`, from which the place comes: the word is aligned, in a block of the image, and changed by the fabric
        // only. It stays allocated until the operation is complete: a coarray of coatomics is borrowed now, and its memory is freed only after a
        // barrier with this image, which completes its operations first; a phase ends with one, too.
        unsafe {
            self.image
                .fabric()
                .issue_atomic(image, offset, word, operation, fetches)
        }
    }

    /// What to add to subtract `value`, if it is an integer.
    #[doc(hidden)]
    #[must_use]
    pub fn minus(&self, value: T) -> T {
        (self.from_bits)((self.to_bits)(value).wrapping_neg())
    }

    /// Starts the operation, if the fabric has it, and returns whether it does. `quiet` completes it.
    pub fn update(&self, operation: AtomicOperation<T>) -> bool {
        let container = self.container(0);
        let operation = self.on_word(&container, operation);
        operation.is_some_and(|operation| {
            self.issue(&container, operation, false);
            true
        })
    }
}

pub(crate) fn no_word() -> ! {
    unreachable!("an atomic operation that fetches leaves a word")
}
