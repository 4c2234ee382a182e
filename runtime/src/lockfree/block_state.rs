//! The state of a block of the race check's shadow: a lock, and whether words are there that others may poll.
//!
//! An image that puts such a word has the lock, says that there is one, and moves it. One that gets a word without the lock looks then whether there is
//! one anywhere, and if so whether in the block. If not, it has not got one. If so, it gets the word once more with the lock: then it knows by the stamps of
//! the block whose it is.

use std::cell::Cell;

use crate::primitives::{AtomicU8, Ordering, fence, pause, yield_now};

/// How often an image tries to lock before it yields.
const SPINS: u32 = 100;

/// One image looks at the block.
const LOCKED: u8 = 1;

/// Its granules have stamps of their own. Else all were last accessed by the same operations, and one pair of stamps stands for all.
const SPLIT: u8 = 2;

/// Something was put there that others may poll: what a get returns matters then.
const FLAGS: u8 = 4;

/// The state of a block. Zero if nobody has accessed it yet.
#[derive(Debug, Default)]
pub(crate) struct BlockState(AtomicU8);

impl BlockState {
    /// Keeps others from the block.
    #[inline]
    pub(crate) fn lock(&self) -> Held<'_> {
        let Self(state) = self;
        let mut spins = 0;
        loop {
            let known = state.load(Ordering::Relaxed) & !LOCKED;
            // Acquire pairs with the Release of the former holder: its stamps, and the word that it moved, are seen.
            let locked = state.compare_exchange_weak(
                known,
                known | LOCKED,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if locked.is_ok() {
                let known = Cell::new(known);
                return Held { state, known };
            }
            wait(&mut spins);
        }
    }

    /// Whether something was put into the block that others may poll. Who has got a word before, and is told that this is not so, has not got such a
    /// one.
    #[inline]
    pub(crate) fn has_flags(&self) -> bool {
        // Acquire pairs with the Release of `expect_flag`, by the word that was got.
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) & FLAGS != 0
    }
}

/// Whether something was put anywhere that others may poll. It is read after each get, and written once: the state of a block is on the line of many, which
/// others lock.
#[derive(Debug, Default)]
pub(crate) struct Flagged(AtomicU8);

impl Flagged {
    /// As [`BlockState::has_flags`], of all blocks.
    #[inline(always)]
    pub(crate) fn has_flags(&self) -> bool {
        // Acquire pairs with the Release of `expect_flag`, by the word that was got.
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) != 0
    }
}

#[cold]
fn wait(spins: &mut u32) {
    *spins += 1;
    match *spins < SPINS {
        true => pause(),
        false => yield_now(),
    }
}

/// A block that one image looks at.
pub(crate) struct Held<'a> {
    state: &'a AtomicU8,
    /// The state, without the lock. Who has the lock changes it.
    known: Cell<u8>,
}

impl Held<'_> {
    /// Whether one pair of stamps stands for all granules.
    #[inline]
    pub(crate) fn is_alike(&self) -> bool {
        self.known.get() & SPLIT == 0
    }

    /// From now on it does.
    #[inline]
    pub(crate) fn make_alike(&self) {
        self.known.set(self.known.get() & !SPLIT);
    }

    /// From now on it does not.
    #[inline]
    pub(crate) fn split(&self) {
        self.known.set(self.known.get() | SPLIT);
    }

    /// A word is about to be put that others may poll.
    pub(crate) fn expect_flag(&self, anywhere: &Flagged) {
        self.known.set(self.known.get() | FLAGS);
        self.state
            .store(self.known.get() | LOCKED, Ordering::Relaxed);
        if anywhere.0.load(Ordering::Relaxed) == 0 {
            anywhere.0.store(1, Ordering::Relaxed);
        }
        // Release pairs with the Acquire in `has_flags`.
        fence(Ordering::Release);
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire of the next holder.
        self.state.store(self.known.get(), Ordering::Release);
    }
}
