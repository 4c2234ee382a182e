//! Operations that have been issued and complete later.

use std::task::Waker;

use crate::transport::completion::Completion;

/// The memory of this image that an operation reads or fills.
#[derive(Debug)]
pub enum Buffer {
    /// Memory that belongs to the operation until it is complete.
    Owned(Box<[u8]>),
    /// Memory that somebody keeps until the operation is complete: its start and its length.
    Lent(*mut u8, usize),
}

impl Buffer {
    /// Memory of the operation's own for `length` bytes that arrive.
    #[must_use]
    pub fn with_length(length: usize) -> Self {
        Self::Owned(vec![0; length].into_boxed_slice())
    }

    /// Its first byte.
    #[must_use]
    pub fn start(&mut self) -> *mut u8 {
        match self {
            Self::Owned(bytes) => bytes.as_mut_ptr(),
            Self::Lent(start, _) => *start,
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn length(&self) -> usize {
        match self {
            Self::Owned(bytes) => bytes.len(),
            Self::Lent(_, length) => *length,
        }
    }
}

/// An operation that was issued.
///
/// Dropping or leaking it changes nothing: the fabric keeps what the operation needs.
#[derive(Debug)]
pub struct Request {
    image: usize,
    completion: Completion<Buffer>,
}

impl Request {
    /// The request for an operation on a place of `image`.
    pub(crate) fn new(image: usize, completion: Completion<Buffer>) -> Self {
        Self { image, completion }
    }

    /// The image that the operation is directed at.
    #[must_use]
    pub fn image(&self) -> usize {
        self.image
    }

    /// Whether the operation is complete.
    #[inline]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.completion.is_complete()
    }

    /// What the operation read or filled, once, if it is complete.
    #[must_use]
    pub fn take(&mut self) -> Option<Buffer> {
        self.completion.take()
    }

    /// Asks for `waker` to be woken when the operation completes, in place of an earlier one. Returns true,
    /// and wakes nobody, if it is complete already.
    #[must_use]
    pub fn register(&mut self, waker: &Waker) -> bool {
        self.completion.register(waker)
    }
}
