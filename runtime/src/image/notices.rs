//! What an image keeps of puts that signal when they have arrived.

use std::fmt;

use coarray_fabric::transport::completion::Completer;
use coarray_fabric::transport::request::{Buffer, Request};
use coarray_fabric::transport::signal::SignalOperation;

/// A signal that follows a put.
pub(crate) struct Notice {
    pub(crate) put: Request,
    /// The offset of the signal word on the image of the put.
    pub(crate) signal: usize,
    pub(crate) operation: SignalOperation,
    /// Completes the operation as a whole.
    pub(crate) completer: Completer<Buffer>,
}

impl fmt::Debug for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "signal {} after {:?}", self.signal, self.put)
    }
}
