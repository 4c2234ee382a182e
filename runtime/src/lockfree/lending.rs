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

/// From whom an image reads, and which of its loans stand.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Lending {
    /// The lender from which this image reads at present, counted from 1; 0 for none.
    reading: AtomicU64,
    loans: Loans,
}

/// Apart from what readers write: this line stays in the caches of all.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Loans {
    /// The number of the barrier that announced the last loan which was withdrawn; 0 for none.
    withdrawn: AtomicU64,
}

impl Lending {
    /// As reader: whether the loan of barrier `number` by `lender`, whose index is `index`, stands. It stands until `end`.
    pub(crate) fn begin(&self, lender: &Self, index: usize, number: u64) -> bool {
        self.reading.store(index as u64 + 1, Ordering::Relaxed);
        // Pairs with the fence in `withdraw`.
        fence(Ordering::SeqCst);
        lender.loans.withdrawn.load(Ordering::Relaxed) < number
    }

    /// As reader: it has finished, or has not begun.
    pub(crate) fn end(&self) {
        // Pairs with the Acquire in `is_reading`: what it read comes before what the lender does then.
        self.reading.store(0, Ordering::Release);
    }

    /// As lender: nobody begins to read the loan of barrier `number` from now on. Those that [read](Self::is_reading) now may go on.
    pub(crate) fn withdraw(&self, number: u64) {
        self.loans.withdrawn.store(number, Ordering::Relaxed);
        // Pairs with the fence in `begin`.
        fence(Ordering::SeqCst);
    }

    /// Whether this image reads from the lender with this index, after that one's `withdraw`.
    pub(crate) fn is_reading(&self, lender: usize) -> bool {
        // Pairs with the Release in `end`.
        self.reading.load(Ordering::Acquire) == lender as u64 + 1
    }
}
