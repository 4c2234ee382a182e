//! Puts in flight after which a word of their image is changed by a signal.

use std::panic::Location;
use std::ptr;
use std::slice;

use coarray_fabric::{Buffer, SignalOperation, attribute_notified};

use crate::access::MayPut;
use crate::cofuture::{Cofuture, InFlight};
use crate::coref::Coref;
use crate::region::Region;
use crate::region::issued::AllIssued;
use crate::remote::Remote;
use crate::scope::AsyncScope;
use crate::shape::Shape;
use crate::transfer::issue_put;

impl<T: ?Sized, A: MayPut> Coref<T, A> {
    /// Begins to put a copy of `value`, and to signal when it is there.
    ///
    /// # Safety
    /// As of `Fabric::put_signal`, for the signal word, which is at this offset on the image of the place, until this image has completed
    /// what it issued.
    #[doc(hidden)]
    #[track_caller]
    pub unsafe fn issue_put_signal(
        &self,
        value: T,
        signal: usize,
        operation: SignalOperation,
    ) -> Cofuture<'_, ()>
    where
        T: Remote,
    {
        const { T::CHECK };
        // SAFETY: `value` is valid for reads of `size_of::<T>()` bytes, all initialised: a `Remote` type has no padding. Nobody
        // writes to it while `bytes` lives.
        let bytes = unsafe { slice::from_raw_parts(ptr::from_ref(&value).cast(), size_of::<T>()) };
        let _notifies = attribute_notified(Location::caller());
        // SAFETY: the request owns the buffer, which is as long as the place. The caller vouches for the word.
        unsafe {
            let put = issue_put(self, Buffer::Owned(bytes.into()));
            signal_after(put.into(), signal, operation)
        }
    }

    /// Begins to put `source`, and to signal when it is there.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ.
    ///
    /// # Safety
    /// As of [`issue_put_signal`](Self::issue_put_signal).
    #[doc(hidden)]
    #[track_caller]
    pub unsafe fn issue_put_from_signal<'a, 'scope>(
        &'a self,
        source: &'scope T,
        signal: usize,
        operation: SignalOperation,
        _scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        T: Shape<Item: Remote>,
    {
        const { T::Item::CHECK };
        self.check_extent(source.extent());
        let buffer = Buffer::Lent(ptr::from_ref(source).cast_mut().cast(), self.bytes());
        let _notifies = attribute_notified(Location::caller());
        // SAFETY: the source is as long as the place, and borrowed until the end of the scope, which completes the put. A put only reads its
        // buffer, so the cast to `*mut` is never written through. The caller vouches for the word.
        unsafe { signal_after(issue_put(self, buffer).into(), signal, operation) }
    }
}

impl<'a, T: Remote, const D: usize, A: MayPut> Region<'a, T, D, A> {
    /// Begins to put `source` to the items, in row order, and to signal when all are there; none, and nothing is begun, if there are no bytes.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// # Safety
    /// As of [`Coref::issue_put_signal`].
    #[doc(hidden)]
    #[track_caller]
    pub unsafe fn issue_put_from_signal<'scope>(
        &self,
        source: &'scope [T],
        signal: usize,
        operation: SignalOperation,
        _scope: &'a AsyncScope<'scope, '_>,
    ) -> Option<Cofuture<'a, ()>> {
        self.check_length(source.len());
        let _notifies = attribute_notified(Location::caller());
        // SAFETY: the source has as many items as the region, and is borrowed until the end of the scope, which completes the puts. The caller
        // vouches for the word.
        unsafe {
            Some(signal_after(
                self.issue_puts(source.as_ptr())?,
                signal,
                operation,
            ))
        }
    }
}

/// # Safety
/// As of [`Coref::issue_put_signal`].
unsafe fn signal_after<'a>(
    puts: AllIssued,
    signal: usize,
    operation: SignalOperation,
) -> Cofuture<'a, ()> {
    // SAFETY: the caller vouches for the word.
    let issued = unsafe { puts.signal_after(signal, operation) };
    Cofuture::in_flight(InFlight::new(issued, |_| Ok(())))
}
