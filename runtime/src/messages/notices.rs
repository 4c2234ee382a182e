//! Puts in flight that signal when they have arrived.
//!
//! A signal of a fabric comes after all earlier puts to its image. One after a single put, which completes nothing else, is given when that
//! put is complete: the image keeps a notice until then. It looks for what is due when it makes progress, and gives all when it completes
//! what it has issued.

use crate::image::Image;
use crate::image::notices::Notice;
use coarray_fabric::transport::deferral::{Deferral, wake};
use coarray_fabric::transport::pending::{Pending, is_pending, note_pending};
use coarray_fabric::transport::request::Request;
use coarray_fabric::transport::signal::SignalOperation;

impl Image {
    /// Signals when `put` is complete, which this image has issued. The result is complete when that is done, by
    /// [`progress`](Self::progress), [`wait_for`](Self::wait_for), or at the latest by [`quiet`](crate::quiet).
    ///
    /// # Safety
    /// As of `Fabric::put_signal`, for the signal word, until this image has completed what it issued.
    #[must_use]
    pub unsafe fn signal_after(
        &self,
        put: Request,
        signal: usize,
        operation: SignalOperation,
    ) -> Request {
        let (completer, request) = Request::issue(put.image());
        self.notices.borrow_mut().push(Notice {
            put,
            signal,
            operation,
            completer,
        });
        // SAFETY: that something may be pending is always true.
        unsafe { note_pending(Pending::Notices, true) };
        request
    }

    /// Makes progress with what this image has issued. Returns whether operations are left that need calls for that.
    pub fn progress(&self) -> bool {
        let needs_calls = self.fabric().progress();
        self.give_notices(|notice| notice.put.is_complete());
        needs_calls || is_pending(Pending::Notices)
    }

    /// Waits until an operation that this image has issued is complete.
    pub fn wait_for(&self, request: &Request) {
        self.give_notices(|notice| request.is_of(&notice.completer));
        self.fabric().wait(request);
    }

    /// Orders what was put to an image, completes what was issued to it, and gives all notices of that.
    pub fn fence(&self, image: usize) {
        self.fabric().fence(image);
        self.give_notices(|notice| notice.put.image() == image);
    }

    /// Gives these notices, in the order in which the puts were issued, when their puts are complete.
    #[inline]
    pub(crate) fn give_notices(&self, is_due: impl Fn(&Notice) -> bool) {
        if is_pending(Pending::Notices) {
            self.take_and_give(is_due);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_and_give(&self, is_due: impl Fn(&Notice) -> bool) {
        // Wakers run when all notices are given.
        let _deferral = Deferral::new();
        let due: Vec<Notice> = {
            let mut notices = self.notices.borrow_mut();
            let (due, others) = notices.drain(..).partition(is_due);
            *notices = others;
            due
        };
        for notice in due {
            let Notice {
                mut put,
                signal,
                operation,
                completer,
            } = notice;
            self.fabric().wait(&put);
            // SAFETY: `signal_after` was promised that the word is there until this image has completed what it issued, to which this belongs.
            unsafe { self.fabric().signal(put.image(), signal, operation) };
            if let Some(buffer) = put.take() {
                wake(completer.complete(buffer).into_iter().collect());
            }
        }
        if self.notices.borrow().is_empty() {
            // SAFETY: all notices are given.
            unsafe { note_pending(Pending::Notices, false) };
        }
    }
}
