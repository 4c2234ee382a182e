//! The operations of a coatomic on a coref: `x.at(2).fetch_add(1)`.

use std::ptr;
use std::time::Duration;

use coarray_coref::{
    Access, Atomic as _, AtomicBits as _, AtomicNumber as _, Cofuture, Coref, Remote,
};
use coarray_fabric::has_notes;

use coarray_runtime::ImageFailed;

use crate::coatomic::{
    Bits, Coatomic, Number, RemoteCell, change, count, exchanged, operate, operate_where_it_is,
    wait_until, wait_until_timeout,
};
use crate::coatomic_late::delay;

/// The operations of a [`Coatomic`] on a coref to one: `x.at(2).fetch_add(1)`.
///
/// # Examples
/// The order in which images arrive, by the counter of image 0:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let arrivals = Coarray::new(Coatomic::new(0u32));
///     let place = arrivals.at(0).fetch_add(1); // no two images get the same
///     assert!((place as usize) < num_images());
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 5.2.
pub trait CoatomicPlace<T: Remote> {
    /// Operates on the value: by an instruction on its cell where the place is direct, otherwise by the fabric.
    #[doc(hidden)]
    #[track_caller]
    fn operate<R>(
        &self,
        changes: bool,
        by_instruction: impl FnOnce(&T::Cell) -> R,
        by_fabric: impl FnOnce(&RemoteCell<T>) -> R,
    ) -> R;

    /// Keeps an asynchronous operation in flight, if the schedule of an explored job has it late; `is_awaited` if its image asks for the old value.
    ///
    /// # Safety
    /// Any thread may call `by_instruction`: it has nothing but values of `T`.
    #[doc(hidden)]
    #[track_caller]
    unsafe fn delay(
        &self,
        changes: bool,
        is_awaited: bool,
        by_instruction: impl Fn(&T::Cell) -> T + 'static,
    ) -> Option<Cofuture<'_, T>>;

    /// The address of the coatomic in this image's mapping.
    #[doc(hidden)]
    fn address(&self) -> usize;

    /// One-sided. The value at some moment.
    ///
    /// # Examples
    /// See [`Coatomic::load`].
    #[inline]
    #[must_use]
    #[track_caller]
    fn load(&self) -> T {
        operate!(self.load())
    }

    /// One-sided. Replaces the value.
    ///
    /// # Examples
    /// See [`Coatomic::store`].
    #[inline]
    #[track_caller]
    fn store(&self, value: T) {
        change!(self.store(value));
    }

    /// One-sided. Replaces the value; returns the old one.
    ///
    /// # Examples
    /// See [`Coatomic::swap`].
    #[inline]
    #[track_caller]
    fn swap(&self, value: T) -> T {
        change!(self.swap(value))
    }

    /// One-sided. Replaces the value by `new` if it is `current`; then returns `current`.
    ///
    /// # Errors
    /// The value, if it is another; see [`Coatomic::compare_exchange`].
    ///
    /// # Examples
    /// See [`Coatomic::compare_exchange`].
    #[inline]
    #[track_caller]
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        exchanged(change!(self.compare_swap(current, new)), current)
    }

    /// Local. Waits until `until` is true of the value; returns that value. The place is one of this image.
    ///
    /// See [`Coatomic::wait_until`].
    ///
    /// # Panics
    /// On a thread that is not an image; if the place is on another image.
    ///
    /// # Examples
    /// Plain values of an open coarray:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut steps = Coarray::new([0u32; 8]);
    ///     let open = steps.open();
    ///     open.at(0)[5].as_atomic().add(2);
    ///     if this_image() == 0 {
    ///         open.here()[5].as_atomic().wait_until(|steps| steps >= 6);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coatomic::wait_until`].
    #[inline]
    #[track_caller]
    fn wait_until(&self, until: impl FnMut(T) -> bool) -> T {
        wait_until(self.address(), || self.load(), until)
    }

    /// Local. As [`wait_until`](Self::wait_until), unless that takes longer than `timeout`: then none.
    ///
    /// See [`Coatomic::wait_until_timeout`].
    ///
    /// # Errors
    /// If the value is not there, and images of the current team have failed.
    ///
    /// # Panics
    /// On a thread that is not an image; if the place is on another image.
    ///
    /// # Examples
    /// See [`Coatomic::wait_until_timeout`].
    ///
    /// # Source
    /// As [`Coatomic::wait_until`].
    #[inline]
    #[track_caller]
    fn wait_until_timeout(
        &self,
        timeout: Duration,
        until: impl FnMut(T) -> bool,
    ) -> Result<Option<T>, ImageFailed> {
        wait_until_timeout(self.address(), || self.load(), timeout, until)
    }

    /// One-sided. Adds, wrapping around; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_add`].
    #[inline]
    #[track_caller]
    fn fetch_add(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_add(value))
    }

    /// One-sided. Subtracts, wrapping around; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_sub`].
    #[inline]
    #[track_caller]
    fn fetch_sub(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_sub(value))
    }

    /// One-sided. Replaces the value by `value` if that is smaller; returns the old one. A number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_min`].
    #[inline]
    #[track_caller]
    fn fetch_min(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_min(value))
    }

    /// One-sided. Replaces the value by `value` if that is larger; returns the old one. A number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_max`].
    #[inline]
    #[track_caller]
    fn fetch_max(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_max(value))
    }

    /// One-sided. Clears the bits that `value` does not have; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_and`].
    #[inline]
    #[track_caller]
    fn fetch_and(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_and(value))
    }

    /// One-sided. Sets the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_or`].
    #[inline]
    #[track_caller]
    fn fetch_or(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_or(value))
    }

    /// One-sided. Flips the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_xor`].
    #[inline]
    #[track_caller]
    fn fetch_xor(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_xor(value))
    }

    /// One-sided. Adds, wrapping around.
    ///
    /// # Examples
    /// See [`Coatomic::add`].
    #[inline]
    #[track_caller]
    fn add(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_add(value));
    }

    /// One-sided. Subtracts, wrapping around.
    ///
    /// # Examples
    /// See [`Coatomic::sub`].
    #[inline]
    #[track_caller]
    fn sub(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_sub(value));
    }

    /// One-sided. Replaces the value by `value` if that is smaller. A number is preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::min`].
    #[inline]
    #[track_caller]
    fn min(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_min(value));
    }

    /// One-sided. Replaces the value by `value` if that is larger. A number is preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::max`].
    #[inline]
    #[track_caller]
    fn max(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_max(value));
    }

    /// One-sided. Clears the bits that `value` does not have.
    ///
    /// # Examples
    /// See [`Coatomic::and`].
    #[inline]
    #[track_caller]
    fn and(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_and(value));
    }

    /// One-sided. Sets the bits that `value` has.
    ///
    /// # Examples
    /// See [`Coatomic::or`].
    #[inline]
    #[track_caller]
    fn or(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_or(value));
    }

    /// One-sided. Flips the bits that `value` has.
    ///
    /// # Examples
    /// See [`Coatomic::xor`].
    #[inline]
    #[track_caller]
    fn xor(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_xor(value));
    }
}

impl<T: Remote, A: Access> CoatomicPlace<T> for Coref<Coatomic<T>, A> {
    #[inline]
    #[track_caller]
    fn operate<R>(
        &self,
        changes: bool,
        by_instruction: impl FnOnce(&T::Cell) -> R,
        by_fabric: impl FnOnce(&RemoteCell<T>) -> R,
    ) -> R {
        if self.is_direct() {
            // SAFETY: a direct place is mapped. The reference stays on this thread and ends with this call, within the phase of `self`.
            return by_instruction(&unsafe { self.operand() }.cell);
        }
        // By the address alone: to keep the number of the image for this cold path costs loops over direct places a tenth of their time.
        let coatomic = ptr::with_exposed_provenance::<Coatomic<T>>(self.local_address());
        // SAFETY: the coatomic of `self` is at this address, on whichever node, and its place is allocated as long as `self` lives.
        unsafe { operate_where_it_is(coatomic, 1, changes, by_instruction, by_fabric) }
    }

    #[inline]
    #[track_caller]
    unsafe fn delay(
        &self,
        changes: bool,
        is_awaited: bool,
        by_instruction: impl Fn(&T::Cell) -> T + 'static,
    ) -> Option<Cofuture<'_, T>> {
        if self.is_direct() || !has_notes() {
            return None;
        }
        let coatomic = ptr::with_exposed_provenance::<Coatomic<T>>(self.local_address());
        // SAFETY: as in `operate`; and the memory is freed only after a barrier with this image, which completes its operations first. The caller
        // vouches for `by_instruction`.
        unsafe { delay(coatomic, changes, is_awaited, by_instruction) }
    }

    #[inline]
    fn address(&self) -> usize {
        self.local_address()
    }
}

/// Carries out so many operations on a coatomic and those behind it, none of which is direct, if that is by the fabric. Returns whether it was.
#[track_caller]
pub(crate) fn operate_at_once<T: Remote, A: Access>(
    first: &Coref<Coatomic<T>, A>,
    operations: usize,
    by_fabric: impl FnOnce(&RemoteCell<T>) -> bool,
) -> bool {
    let coatomic = ptr::with_exposed_provenance::<Coatomic<T>>(first.local_address());
    // SAFETY: the coatomic of `first` is at this address, on whichever node, and its place is allocated as long as that lives.
    let is_done = unsafe { operate_where_it_is(coatomic, 0, true, |_| false, by_fabric) };
    if is_done {
        count(coatomic.addr(), size_of::<T>(), operations);
    }
    is_done
}
