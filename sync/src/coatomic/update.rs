//! Arithmetic and logic that do not return the old value.

use coarray_coref::{AtomicBits as _, AtomicNumber as _, Remote};

use super::{Bits, Coatomic, Number, change};

impl<T: Remote> Coatomic<T> {
    /// One-sided. Adds, wrapping around.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let hits = Coatomic::new(40u32);
    /// hits.add(2);
    /// assert_eq!(hits.load(), 42);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_add`, clause 16.9.20.
    #[inline]
    #[track_caller]
    pub fn add(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_add(value));
    }

    /// One-sided. Subtracts, wrapping around.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let left = Coatomic::new(1.5);
    /// left.sub(1.0);
    /// assert_eq!(left.load(), 0.5);
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 5.2.
    #[inline]
    #[track_caller]
    pub fn sub(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_sub(value));
    }

    /// One-sided. Replaces the value by `value` if that is smaller; see [`fetch_min`](Self::fetch_min).
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let first = Coatomic::new(9);
    /// first.min(4);
    /// assert_eq!(first.load(), 4);
    /// ```
    ///
    /// # Source
    /// As [`fetch_min`](Self::fetch_min).
    #[inline]
    #[track_caller]
    pub fn min(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_min(value));
    }

    /// One-sided. Replaces the value by `value` if that is larger; see [`fetch_max`](Self::fetch_max).
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let hottest = Coatomic::new(-273.15);
    /// hottest.max(21.5);
    /// assert_eq!(hottest.load(), 21.5);
    /// ```
    ///
    /// # Source
    /// As [`fetch_max`](Self::fetch_max).
    #[inline]
    #[track_caller]
    pub fn max(&self, value: T)
    where
        T: Number,
    {
        change!(self.fetch_max(value));
    }

    /// One-sided. Clears the bits that `value` does not have.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let mask = Coatomic::new(0b0111u8);
    /// mask.and(0b0011);
    /// assert_eq!(mask.load(), 0b0011);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_and`, clause 16.9.21.
    #[inline]
    #[track_caller]
    pub fn and(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_and(value));
    }

    /// One-sided. Sets the bits that `value` has.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let found = Coatomic::new(false);
    /// found.or(true);
    /// assert!(found.load());
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_or`, clause 16.9.28.
    #[inline]
    #[track_caller]
    pub fn or(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_or(value));
    }

    /// One-sided. Flips the bits that `value` has.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let toggled = Coatomic::new(0b01u8);
    /// toggled.xor(0b11);
    /// assert_eq!(toggled.load(), 0b10);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_xor`, clause 16.9.30.
    #[inline]
    #[track_caller]
    pub fn xor(&self, value: T)
    where
        T: Bits,
    {
        change!(self.fetch_xor(value));
    }
}
