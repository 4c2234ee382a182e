//! The operations of a coatomic on a coref: `x.at(2).fetch_add(1)`.

use coarray_coref::{Access, Coref, Remote};

use crate::coatomic::{Bits, Coatomic, Number};

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
    /// One-sided. The value at some moment.
    ///
    /// # Examples
    /// See [`Coatomic::load`].
    #[must_use]
    fn load(&self) -> T;

    /// One-sided. Replaces the value.
    ///
    /// # Examples
    /// See [`Coatomic::store`].
    fn store(&self, value: T);

    /// One-sided. Replaces the value; returns the old one.
    ///
    /// # Examples
    /// See [`Coatomic::swap`].
    fn swap(&self, value: T) -> T;

    /// One-sided. Replaces the value by `new` if it is `current`; then returns `current`.
    ///
    /// # Errors
    /// The value, if it is another; see [`Coatomic::compare_exchange`].
    ///
    /// # Examples
    /// See [`Coatomic::compare_exchange`].
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T>;

    /// One-sided. Adds, wrapping around; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_add`].
    fn fetch_add(&self, value: T) -> T
    where
        T: Number;

    /// One-sided. Subtracts, wrapping around; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_sub`].
    fn fetch_sub(&self, value: T) -> T
    where
        T: Number;

    /// One-sided. Replaces the value by `value` if that is smaller; returns the old one. A number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_min`].
    fn fetch_min(&self, value: T) -> T
    where
        T: Number;

    /// One-sided. Replaces the value by `value` if that is larger; returns the old one. A number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_max`].
    fn fetch_max(&self, value: T) -> T
    where
        T: Number;

    /// One-sided. Clears the bits that `value` does not have; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_and`].
    fn fetch_and(&self, value: T) -> T
    where
        T: Bits;

    /// One-sided. Sets the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_or`].
    fn fetch_or(&self, value: T) -> T
    where
        T: Bits;

    /// One-sided. Flips the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// See [`Coatomic::fetch_xor`].
    fn fetch_xor(&self, value: T) -> T
    where
        T: Bits;

    /// One-sided. Adds, wrapping around.
    ///
    /// # Examples
    /// See [`Coatomic::add`].
    fn add(&self, value: T)
    where
        T: Number;

    /// One-sided. Subtracts, wrapping around.
    ///
    /// # Examples
    /// See [`Coatomic::sub`].
    fn sub(&self, value: T)
    where
        T: Number;

    /// One-sided. Replaces the value by `value` if that is smaller. A number is preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::min`].
    fn min(&self, value: T)
    where
        T: Number;

    /// One-sided. Replaces the value by `value` if that is larger. A number is preferred to `NaN`.
    ///
    /// # Examples
    /// See [`Coatomic::max`].
    fn max(&self, value: T)
    where
        T: Number;

    /// One-sided. Clears the bits that `value` does not have.
    ///
    /// # Examples
    /// See [`Coatomic::and`].
    fn and(&self, value: T)
    where
        T: Bits;

    /// One-sided. Sets the bits that `value` has.
    ///
    /// # Examples
    /// See [`Coatomic::or`].
    fn or(&self, value: T)
    where
        T: Bits;

    /// One-sided. Flips the bits that `value` has.
    ///
    /// # Examples
    /// See [`Coatomic::xor`].
    fn xor(&self, value: T)
    where
        T: Bits;
}

macro_rules! forward {
    ($($name:ident)* -> $result:ty; $kind:ident) => { $(
        #[inline]
        fn $name(&self, value: T) -> $result
        where
            T: $kind,
        {
            // SAFETY: the reference stays on this thread and ends with this call, within the phase of `self`.
            unsafe { self.operand() }.$name(value)
        }
    )* };
}

impl<T: Remote, A: Access> CoatomicPlace<T> for Coref<Coatomic<T>, A> {
    #[inline]
    fn load(&self) -> T {
        // SAFETY: the reference stays on this thread and ends with this call, within the phase of `self`.
        unsafe { self.operand() }.load()
    }

    #[inline]
    fn store(&self, value: T) {
        // SAFETY: the reference stays on this thread and ends with this call, within the phase of `self`.
        unsafe { self.operand() }.store(value);
    }

    #[inline]
    fn swap(&self, value: T) -> T {
        // SAFETY: the reference stays on this thread and ends with this call, within the phase of `self`.
        unsafe { self.operand() }.swap(value)
    }

    #[inline]
    fn compare_exchange(&self, current: T, new: T) -> Result<T, T> {
        // SAFETY: the reference stays on this thread and ends with this call, within the phase of `self`.
        unsafe { self.operand() }.compare_exchange(current, new)
    }

    forward!(fetch_add fetch_sub fetch_min fetch_max -> T; Number);
    forward!(fetch_and fetch_or fetch_xor -> T; Bits);
    forward!(add sub min max -> (); Number);
    forward!(and or xor -> (); Bits);
}
