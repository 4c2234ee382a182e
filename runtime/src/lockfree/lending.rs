//! Lending: an image lets others read its memory where it is, between two barriers, without a copy in between.
//!
//! After the second barrier nobody reads any more. But a panic may unwind the lender before: because the job has ended, or by an
//! operator of the program. Then its memory may end, or be written again, while others read. So the lender withdraws what it
//! has lent, and waits for those who are reading:
//!
//! ```text
//! reader                               lender that unwinds
//! says that it reads from the lender   withdraws the loan
//! reads if the loan stands             waits until nobody says so
//! says that it has finished
//! ```
//!
//! Each writes before it reads what the other has written (store buffering), so a reader either finds the loan withdrawn, or is
//! waited for. A reader runs nothing of the program meanwhile, so the wait is short.

use crate::primitives::{AtomicU64, Ordering, fence};

/// What an image lends, and from whom it reads.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Lending {
    /// The number of the barrier that announces the loan; 0 if it is withdrawn.
    loan: AtomicU64,
    /// The lender from which this image reads at present, counted from 1; 0 for none.
    reading: AtomicU64,
}

impl Lending {
    /// Lends what barrier `number`, which is not 0, announces.
    pub(crate) fn lend(&self, number: u64) {
        // Relaxed: the barrier publishes it.
        self.loan.store(number, Ordering::Relaxed);
    }

    /// As reader: whether the loan of barrier `number` by `lender`, whose index is `index`, stands. It stands until `end`.
    pub(crate) fn begin(&self, lender: &Self, index: usize, number: u64) -> bool {
        self.reading.store(index as u64 + 1, Ordering::Relaxed);
        // Pairs with the fence in `withdraw`.
        fence(Ordering::SeqCst);
        lender.loan.load(Ordering::Relaxed) == number
    }

    /// As reader: it has finished, or has not begun.
    pub(crate) fn end(&self) {
        // Pairs with the Acquire in `is_reading`: what it read comes before what the lender does then.
        self.reading.store(0, Ordering::Release);
    }

    /// As lender: nobody begins to read from now on. Those that [read](Self::is_reading) now may go on.
    pub(crate) fn withdraw(&self) {
        self.loan.store(0, Ordering::Relaxed);
        // Pairs with the fence in `begin`.
        fence(Ordering::SeqCst);
    }

    /// Whether this image reads from the lender with this index, after that one's `withdraw`.
    pub(crate) fn is_reading(&self, lender: usize) -> bool {
        // Pairs with the Release in `end`.
        self.reading.load(Ordering::Acquire) == lender as u64 + 1
    }
}
