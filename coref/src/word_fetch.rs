//! The former value of an atomic operation in flight.

use std::rc::Rc;

use coarray_fabric::AtomicOperation;

use crate::cofuture::Cofuture;
use crate::in_word::{InWord, no_word};

impl<T> InWord<'_, T> {
    /// Starts the operation, if the fabric has it. The result is the former value.
    #[doc(hidden)]
    #[must_use]
    pub fn fetch<'b>(&self, operation: AtomicOperation<T>) -> Option<Cofuture<'b, T>>
    where
        T: 'b,
    {
        let container = self.container(0);
        let operation = self.on_word(&container, operation)?;
        let request = self.issue(&container, operation, true)?;
        let (image, from_bits) = (Rc::clone(&self.image), self.from_bits);
        Some(Cofuture::issued((image, request), move |buffer| {
            let former = buffer.word().unwrap_or_else(|| no_word());
            from_bits(container.bits(former))
        }))
    }
}
