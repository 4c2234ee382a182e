//! The atomic operations of fabrics.

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

/// What an atomic operation does to a word. Of a word of 32 bits, the operands have the lower half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOperation {
    /// Leaves it as it is.
    Load,
    /// Replaces it.
    Swap(u64),
    /// Replaces it by `new` if it is `current`.
    CompareExchange {
        /// What it must be.
        current: u64,
        /// What it becomes.
        new: u64,
    },
    /// Adds, wrapping around.
    Add(u64),
    /// Keeps these bits only.
    And(u64),
    /// Sets these bits.
    Or(u64),
    /// Turns these bits over.
    Xor(u64),
}
