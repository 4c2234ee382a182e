//! Nonblocking operations of the fabric of MPI, and the atomic ones.
//!
//! MPI keeps the order of the atomic operations of one image on the same word: `accumulate_ordering`, MPI 3.1 section 11.7.2. So only other
//! accesses wait for those in flight.
//!
//! | atomic operation | by | complete after |
//! |---|---|---|
//! | blocking | `MPI_Fetch_and_op`, `MPI_Compare_and_swap` | a flush, on return |
//! | without a result | `MPI_Accumulate` of a staged operand | a flush |
//! | with the former value | `MPI_Rget_accumulate` | its request |
//! | comparison and exchange | `MPI_Compare_and_swap`, which has no request | a local flush |

use mpi_rma::Operation as Action;
use mpi_rma::mpi::ffi::{MPI_Request, RSMPI_REQUEST_NULL};

use super::check::expect;
use super::datatypes::is_countable;
use super::one_sided::OneSided;
use super::operations::{Loan, Transfer};
use crate::transport::access::{Access, Direction};
use crate::transport::atomic::{AtomicOperation, Word};
use crate::transport::request::{Buffer, Request};
use crate::transport::strided::Strided;

/// The most nonblocking operations in flight. Without a limit a program that never waits would fill the memory.
const ISSUED_AT_MOST: usize = 1024;

/// The most bytes of one request: MPI counts them with a C `int`.
const REQUEST_AT_MOST: usize = i32::MAX as usize;

/// The operation of MPI, and its operand. Not for a comparison and exchange, which is a call of its own.
fn action(operation: AtomicOperation) -> (Action, u64) {
    match operation {
        AtomicOperation::Swap(value) => (Action::Replace, value),
        AtomicOperation::Add(value) => (Action::Sum, value),
        AtomicOperation::And(bits) => (Action::And, bits),
        AtomicOperation::Or(bits) => (Action::Or, bits),
        AtomicOperation::Xor(bits) => (Action::Xor, bits),
        AtomicOperation::Load | AtomicOperation::CompareExchange { .. } => (Action::Load, 0),
    }
}

/// An operand of this width, from the first byte on.
fn operand<W>(value: u64) -> [u8; 8] {
    let mut bytes = [0; 8];
    match size_of::<W>() {
        4 => bytes[..4].copy_from_slice(&(value as u32).to_ne_bytes()),
        _ => bytes = value.to_ne_bytes(),
    }
    bytes
}

impl OneSided {
    /// Lets operations make progress; returns whether any are left.
    pub(super) fn advance(&self) -> bool {
        self.operations
            .advance(|image| expect(self.window.flush_local(image as i32)))
    }

    /// Makes room for another operation with a request.
    fn make_room(&self) {
        while self.operations.count() >= ISSUED_AT_MOST {
            self.advance();
        }
    }

    /// Starts a put or get with a request.
    ///
    /// # Safety
    /// As `Fabric::issue_put` or `Fabric::issue_get`.
    pub(super) unsafe fn issue(
        &self,
        image: usize,
        offset: usize,
        buffer: Buffer,
        is_put: bool,
    ) -> Request {
        let buffer = Loan::from(buffer);
        let (start, length) = (buffer.start(), buffer.length());
        let direction = if is_put {
            Direction::Put
        } else {
            Direction::Get
        };
        let access = Access::new(image, direction, offset, length);
        self.flush_if_conflicting(access);
        self.make_room();
        let (completer, request) = Request::issue(image);
        let (rank, place) = self.place(image, offset);
        if length > REQUEST_AT_MOST {
            // SAFETY: as for the request below; the flush completes the operation before the buffer is given back.
            let begun = unsafe {
                if is_put {
                    self.window
                        .start_put(rank, place, start.cast_const(), length)
                } else {
                    self.window.start_get(rank, place, start, length)
                }
            };
            expect(begun.and_then(|()| self.window.flush(rank)));
            // No waker can be registered yet.
            let _ = completer.complete(buffer.into());
            return request;
        }
        self.note(access);
        // SAFETY: the caller vouches for the target, and for a lent buffer until completion; an owned buffer is kept with the operation,
        // and does not move, until the request is complete.
        let transfer = expect(unsafe {
            if is_put {
                self.window
                    .request_put_from(rank, place, start.cast_const(), length)
            } else {
                self.window.request_get_into(rank, place, start, length)
            }
        });
        self.operations.push(Transfer {
            request: Some(transfer.into_raw()),
            image,
            buffer,
            completer,
        });
        request
    }

    /// Starts a put or get of a block with a request, by datatypes; gives the buffer back if MPI cannot count its items.
    ///
    /// # Safety
    /// As `Fabric::issue_put_strided` or `Fabric::issue_get_strided`.
    pub(super) unsafe fn issue_strided(
        &self,
        image: usize,
        offset: usize,
        buffer: Buffer,
        block: &Strided<'_>,
        is_put: bool,
    ) -> Result<Request, Buffer> {
        if !is_countable(block) {
            return Err(buffer);
        }
        let buffer = Loan::from(buffer);
        let direction = if is_put {
            Direction::Put
        } else {
            Direction::Get
        };
        let access = Access::new(image, direction, offset, block.span());
        self.flush_if_conflicting(access);
        self.make_room();
        let (completer, request) = Request::issue(image);
        let (place, here) = (self.place(image, offset), buffer.start());
        self.note(access);
        // SAFETY: a constant that rsmpi defines.
        let mut transfer = unsafe { RSMPI_REQUEST_NULL };
        // SAFETY: the caller vouches for the places, and for a lent buffer until completion; an owned one is kept with the operation, and does not
        // move, until the request is complete.
        unsafe {
            let window = &self.window;
            self.datatypes
                .start(window, place, here, block, is_put, Some(&mut transfer));
        }
        self.operations.push(Transfer {
            request: Some(transfer),
            image,
            buffer,
            completer,
        });
        Ok(request)
    }

    /// Applies an operation to a word; returns its former value.
    pub(super) fn fetch_and_operate(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
    ) -> u64 {
        self.flush_if_conflicting(Access::new(image, Direction::Atomic, offset, word.bytes()));
        let (rank, place) = self.place(image, offset);
        let window = &self.window;
        expect(match (operation, word) {
            (AtomicOperation::CompareExchange { current, new }, Word::Bits32) => window
                .compare_and_swap(rank, place, current as u32, new as u32)
                .map(u64::from),
            (AtomicOperation::CompareExchange { current, new }, Word::Bits64) => {
                window.compare_and_swap(rank, place, current, new)
            }
            (other, _) => {
                let (action, operand) = action(other);
                match word {
                    Word::Bits32 => window
                        .fetch_and_op(rank, place, action, operand as u32)
                        .map(u64::from),
                    Word::Bits64 => window.fetch_and_op(rank, place, action, operand),
                }
            }
        })
    }

    /// Starts an operation on a word.
    ///
    /// # Safety
    /// As `Fabric::issue_atomic`.
    pub(super) unsafe fn start_atomic(
        &self,
        image: usize,
        offset: usize,
        word: Word,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        if !fetches && operation == AtomicOperation::Load {
            return None;
        }
        let access = Access::new(image, Direction::Atomic, offset, word.bytes());
        self.flush_if_conflicting(access);
        self.make_room();
        if !self.staging.has_room() {
            self.flush_all();
        }
        self.arm();
        self.in_flight.insert_atomic(access);
        // SAFETY: the caller vouches for the word.
        unsafe {
            match word {
                Word::Bits32 => self.start_on::<u32>(image, offset, operation, fetches),
                Word::Bits64 => self.start_on::<u64>(image, offset, operation, fetches),
            }
        }
    }

    /// Starts an operation on a word of type `W`, for which there is room.
    ///
    /// # Safety
    /// As `Fabric::issue_atomic`.
    unsafe fn start_on<W: mpi_rma::Word>(
        &self,
        image: usize,
        offset: usize,
        operation: AtomicOperation,
        fetches: bool,
    ) -> Option<Request> {
        let (rank, place) = self.place(image, offset);
        let window = &self.window;
        if let AtomicOperation::CompareExchange { current, new } = operation {
            let former = Loan::of_word(size_of::<W>());
            let [current, new] = self.stage::<W, 2>([current, new]);
            // SAFETY: both operands are staged, aligned to eight bytes. So is the place of the former value, which is kept with the operation, and
            // does not move, until a local flush.
            let begun = unsafe {
                let former = former.start().cast();
                window.start_compare_and_swap(rank, place, current, new, former)
            };
            expect(begun);
            return Some(self.keep(image, former, None));
        }
        let (action, value) = action(operation);
        let [operand] = self.stage::<W, 1>([value]);
        if !fetches {
            // SAFETY: the operand is staged, aligned to eight bytes.
            expect(unsafe { window.start_accumulate(rank, place, action, operand) });
            return None;
        }
        let former = Loan::of_word(size_of::<W>());
        // SAFETY: as above, until the request is complete.
        let request = expect(unsafe {
            let former = former.start().cast();
            window.request_fetch_and_op(rank, place, action, operand, former)
        });
        Some(self.keep(image, former, Some(request.into_raw())))
    }

    /// Copies operands of type `W` to places that stay until all operations are complete.
    fn stage<W, const N: usize>(&self, operands: [u64; N]) -> [*const W; N] {
        let bytes = operands.map(operand::<W>);
        // SAFETY: the bytes are readable, and there is room, as the caller has seen to.
        let copy = unsafe {
            self.staging
                .copy(bytes.as_ptr().cast(), size_of_val(&bytes))
        };
        std::array::from_fn(|index| copy.wrapping_add(8 * index).cast())
    }

    /// Keeps what belongs to an operation with a result until it is complete.
    fn keep(&self, image: usize, former: Loan, request: Option<MPI_Request>) -> Request {
        let (completer, issued) = Request::issue(image);
        self.operations.push(Transfer {
            request,
            image,
            buffer: former,
            completer,
        });
        issued
    }
}
