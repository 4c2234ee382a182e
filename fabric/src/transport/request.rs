//! Nonblocking operations: their buffers, and requests to wait for them.

use std::task::Waker;

use crate::transport::completion::{Completer, Completion, completion};

/// The memory of this image that an operation reads from or writes to.
#[derive(Debug)]
pub enum Buffer {
    /// The operation owns the memory until it is complete.
    Owned(Box<[u8]>),
    /// The caller keeps the memory valid until the operation is complete: start and length.
    Lent(*mut u8, usize),
}

impl Buffer {
    /// An owned buffer of `length` bytes, for a get.
    #[must_use]
    pub fn with_length(length: usize) -> Self {
        Self::Owned(vec![0; length].into_boxed_slice())
    }

    /// A buffer with the former value of an atomic operation.
    #[must_use]
    pub fn of_word(former: u64) -> Self {
        Self::Owned(former.to_ne_bytes().into())
    }

    /// The former value, if this is what an atomic operation has left.
    #[must_use]
    pub fn word(&self) -> Option<u64> {
        match self {
            Self::Owned(bytes) => bytes[..].try_into().ok().map(u64::from_ne_bytes),
            Self::Lent(..) => None,
        }
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

/// A nonblocking operation.
///
/// Dropping or leaking a request has no effect on the operation: the fabric keeps what it needs.
#[derive(Debug)]
pub struct Request {
    image: usize,
    completion: Completion<Buffer>,
}

impl Request {
    /// The request for an operation on a place of `image`, and what completes it: for fabrics.
    #[must_use]
    pub fn issue(image: usize) -> (Completer<Buffer>, Self) {
        let (completer, completion) = completion();
        (completer, Self { image, completion })
    }

    /// The request for an atomic operation on a word of `image` that is complete.
    #[must_use]
    pub fn complete(image: usize, former: u64) -> Self {
        let (completer, request) = Self::issue(image);
        // No waker can be registered yet.
        let _ = completer.complete(Buffer::of_word(former));
        request
    }

    /// The target image.
    #[must_use]
    pub fn image(&self) -> usize {
        self.image
    }

    /// Whether this is the request that `completer` completes.
    #[must_use]
    pub fn is_of(&self, completer: &Completer<Buffer>) -> bool {
        self.completion.is_of(completer)
    }

    /// Whether the operation is complete.
    #[inline]
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.completion.is_complete()
    }

    /// The buffer of the operation, once, if it is complete.
    #[must_use]
    pub fn take(&mut self) -> Option<Buffer> {
        self.completion.take()
    }

    /// Registers `waker` in place of an earlier one, to be woken on completion. Returns true, and wakes nothing, if the operation is complete
    /// already.
    #[must_use]
    pub fn register(&mut self, waker: &Waker) -> bool {
        self.completion.register(waker)
    }
}
