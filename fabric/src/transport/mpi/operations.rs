//! Nonblocking operations, each with a request of MPI. They complete in any order.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;
use std::ptr;
use std::task::Waker;

use mpi_rma::mpi::ffi::{self, MPI_Request};

use super::check::{check, expect};
use crate::transport::completion::Completer;
use crate::transport::deferral::wake;
use crate::transport::request::Buffer;

/// The most requests that one call of [`Operations::advance`] tests.
const AT_ONCE: usize = 8;

/// A put or get in flight, or an atomic operation that returns something.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// None if a local flush completes it.
    pub(crate) request: Option<MPI_Request>,
    pub(crate) image: usize,
    pub(crate) buffer: Loan,
    pub(crate) completer: Completer<Buffer>,
}

/// A buffer that MPI accesses. An owned one is kept as a raw pointer, because a `Box` may only be accessed through itself.
///
/// Dropping it leaks an owned buffer.
#[derive(Debug)]
pub(crate) struct Loan {
    start: *mut u8,
    length: usize,
    owner: Owner,
}

/// Whose memory a loan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Caller,
    /// A boxed slice.
    Slice,
    /// A boxed `u64`: aligned for the former value of an atomic operation, which has `length` bytes.
    Word,
}

impl Loan {
    /// A place for the former value of an atomic operation.
    pub(crate) fn of_word(length: usize) -> Self {
        Self {
            start: Box::into_raw(Box::new(0_u64)).cast(),
            length,
            owner: Owner::Word,
        }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }
}

impl From<Buffer> for Loan {
    fn from(buffer: Buffer) -> Self {
        let length = buffer.length();
        match buffer {
            Buffer::Owned(bytes) => Self {
                start: Box::into_raw(bytes).cast::<u8>(),
                length,
                owner: Owner::Slice,
            },
            Buffer::Lent(start, _) => Self {
                start,
                length,
                owner: Owner::Caller,
            },
        }
    }
}

impl From<Loan> for Buffer {
    fn from(loan: Loan) -> Self {
        let Loan {
            start,
            length,
            owner,
        } = loan;
        match owner {
            Owner::Caller => Self::Lent(start, length),
            Owner::Slice => {
                let bytes = std::ptr::slice_from_raw_parts_mut(start, length);
                // SAFETY: `from` got the pointer from `Box::into_raw` of a slice of this length, and `loan` is consumed.
                Self::Owned(unsafe { Box::from_raw(bytes) })
            }
            Owner::Word => {
                // SAFETY: `of_word` got the pointer from `Box::into_raw` of a `u64`, and `loan` is consumed.
                let former = *unsafe { Box::from_raw(start.cast::<u64>()) };
                let bytes = former.to_ne_bytes();
                Self::of_word(match bytes[..length].try_into() {
                    Ok(bytes) => u64::from(u32::from_ne_bytes(bytes)),
                    Err(_) => former,
                })
            }
        }
    }
}

/// The operations that may be in flight, oldest first.
///
/// If the image ends before they complete, their buffers are leaked, because MPI may still access them.
#[derive(Debug, Default)]
pub(crate) struct Operations(RefCell<VecDeque<Transfer>>);

impl Transfer {
    fn is_complete(&mut self, flush_local: impl Fn(usize)) -> bool {
        let Some(request) = &mut self.request else {
            flush_local(self.image);
            return true;
        };
        let mut is_complete = 0;
        // SAFETY: the request is one of MPI that was not freed, or the null request, which `MPI_Test` takes for complete.
        let code = unsafe {
            ffi::MPI_Test(
                ptr::from_mut(request),
                &raw mut is_complete,
                ffi::RSMPI_STATUS_IGNORE,
            )
        };
        expect(check("MPI_Test", code));
        is_complete != 0
    }

    /// After a flush.
    fn wait(&mut self) {
        if let Some(request) = &mut self.request {
            // SAFETY: the request is one of MPI that was not freed, or the null request, for which `MPI_Wait` returns at once.
            let code = unsafe { ffi::MPI_Wait(ptr::from_mut(request), ffi::RSMPI_STATUS_IGNORE) };
            expect(check("MPI_Wait", code));
        }
    }

    fn complete(self) -> Option<Waker> {
        self.completer.complete(self.buffer.into())
    }
}

impl Operations {
    pub(crate) fn push(&self, operation: Transfer) {
        self.0.borrow_mut().push_back(operation);
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Tests the oldest operations, and completes those that have ended. Returns whether any are left.
    pub(crate) fn advance(&self, flush_local: impl Fn(usize)) -> bool {
        let mut wakers = Vec::new();
        let mut queue = self.0.borrow_mut();
        for _ in 0..queue.len().min(AT_ONCE) {
            let Some(mut operation) = queue.pop_front() else {
                break;
            };
            if operation.is_complete(&flush_local) {
                wakers.extend(operation.complete());
            } else {
                queue.push_back(operation);
            }
        }
        let is_left = !queue.is_empty();
        drop(queue);
        wake(wakers);
        is_left
    }

    /// Completes the operations on `image`, or on all images, after MPI has flushed them.
    #[inline]
    pub(crate) fn finish(&self, image: Option<usize>) {
        if !self.is_empty() {
            self.finish_some(image);
        }
    }

    #[cold]
    #[inline(never)]
    fn finish_some(&self, image: Option<usize>) {
        let mut wakers = Vec::new();
        let mut queue = self.0.borrow_mut();
        for mut operation in mem::take(&mut *queue) {
            if image.is_none_or(|image| image == operation.image) {
                operation.wait();
                wakers.extend(operation.complete());
            } else {
                queue.push_back(operation);
            }
        }
        drop(queue);
        wake(wakers);
    }
}
