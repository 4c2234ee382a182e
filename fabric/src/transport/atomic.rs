//! The atomic operations of fabrics.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How wide the word of an atomic operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Four bytes, aligned to four.
    Bits32,
    /// Eight bytes, aligned to eight.
    Bits64,
}

impl Word {
    /// Bytes of the word.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bits32 => 4,
            Self::Bits64 => 8,
        }
    }
}

/// What an atomic operation does to a word, or to the value `V` in it. Of a word of 32 bits, the operands have the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOperation<V = u64> {
    /// Leaves it as it is.
    Load,
    /// Replaces it.
    Swap(V),
    /// Replaces it by `new` if it is `current`.
    CompareExchange {
        /// What it must be.
        current: V,
        /// What it becomes.
        new: V,
    },
    /// Adds, wrapping around.
    Add(V),
    /// Keeps these bits only.
    And(V),
    /// Sets these bits.
    Or(V),
    /// Turns these bits over.
    Xor(V),
}

impl<V> AtomicOperation<V> {
    /// The same operation with other operands.
    #[must_use]
    pub fn map<W>(self, operand: impl Fn(V) -> W) -> AtomicOperation<W> {
        use AtomicOperation::{Add, And, CompareExchange, Load, Or, Swap, Xor};
        match self {
            Load => Load,
            Swap(value) => Swap(operand(value)),
            CompareExchange { current, new } => CompareExchange {
                current: operand(current),
                new: operand(new),
            },
            Add(value) => Add(operand(value)),
            And(bits) => And(operand(bits)),
            Or(bits) => Or(operand(bits)),
            Xor(bits) => Xor(operand(bits)),
        }
    }
}

impl AtomicOperation {
    /// Applies the operation by an instruction of the processor; returns the former value. It acquires and releases, which is more than
    /// [`Fabric::atomic`](crate::transport::fabric::Fabric::atomic) promises: who needs an order has fences around it, and checkers that know
    /// no fences, such as ThreadSanitizer, follow this one.
    ///
    /// # Safety
    /// `place` is a mapped and aligned word of this width, which is used by atomic operations only meanwhile.
    #[inline]
    pub unsafe fn apply(self, place: *mut u8, word: Word) -> u64 {
        use Ordering::{AcqRel, Acquire};
        macro_rules! on {
            ($atomic:ty, $number:ty) => {{
                // SAFETY: the caller vouches that the word is mapped and aligned, and that all other accesses are atomic.
                let word = unsafe { &*place.cast::<$atomic>() };
                let old = match self {
                    Self::Load => word.load(Acquire),
                    Self::Swap(value) => word.swap(value as $number, AcqRel),
                    Self::CompareExchange { current, new } => word
                        .compare_exchange(current as $number, new as $number, AcqRel, Acquire)
                        .unwrap_or_else(|other| other),
                    Self::Add(value) => word.fetch_add(value as $number, AcqRel),
                    Self::And(bits) => word.fetch_and(bits as $number, AcqRel),
                    Self::Or(bits) => word.fetch_or(bits as $number, AcqRel),
                    Self::Xor(bits) => word.fetch_xor(bits as $number, AcqRel),
                };
                u64::from(old)
            }};
        }
        match word {
            Word::Bits32 => on!(AtomicU32, u32),
            Word::Bits64 => on!(AtomicU64, u64),
        }
    }
}
