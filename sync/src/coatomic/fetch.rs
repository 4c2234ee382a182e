//! Arithmetic and logic that return the old value.

use coarray_coref::{AtomicBits as _, AtomicNumber as _, Remote};

use super::{Bits, Coatomic, Number, change};

impl<T: Remote> Coatomic<T> {
    /// One-sided. Adds, wrapping around; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let next = Coatomic::new(0u8);
    /// assert_eq!((next.fetch_add(200), next.fetch_add(100), next.load()), (0, 200, 44));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_add`, clause 16.9.24.
    #[inline]
    #[track_caller]
    pub fn fetch_add(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_add(value))
    }

    /// One-sided. Subtracts, wrapping around; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let credits = Coatomic::new(2i32);
    /// assert_eq!((credits.fetch_sub(1), credits.load()), (2, 1));
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 5.2.
    #[inline]
    #[track_caller]
    pub fn fetch_sub(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_sub(value))
    }

    /// One-sided. Replaces the value by `value` if that is smaller; returns the old one. As in [`f64::min`], a number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let first = Coatomic::new(9);
    /// assert_eq!((first.fetch_min(12), first.fetch_min(4), first.load()), (9, 9, 4));
    /// ```
    ///
    /// # Source
    /// `MPI_Fetch_and_op` with `MPI_MIN`, MPI 3.1 section 11.3.4.
    #[inline]
    #[track_caller]
    pub fn fetch_min(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_min(value))
    }

    /// One-sided. Replaces the value by `value` if that is larger; returns the old one. As in [`f64::max`], a number is
    /// preferred to `NaN`.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let worst = Coatomic::new(f64::NAN);
    /// worst.fetch_max(0.5);
    /// assert_eq!((worst.fetch_max(0.25), worst.load()), (0.5, 0.5));
    /// ```
    ///
    /// # Source
    /// `MPI_Fetch_and_op` with `MPI_MAX`, MPI 3.1 section 11.3.4.
    #[inline]
    #[track_caller]
    pub fn fetch_max(&self, value: T) -> T
    where
        T: Number,
    {
        change!(self.fetch_max(value))
    }

    /// One-sided. Clears the bits that `value` does not have; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let all_agree = Coatomic::new(true);
    /// all_agree.fetch_and(false);
    /// assert!(!all_agree.fetch_and(true));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_and`, clause 16.9.25.
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_and(value))
    }

    /// One-sided. Sets the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let arrived = Coatomic::new(0u64);
    /// assert_eq!((arrived.fetch_or(0b0100), arrived.fetch_or(0b0001)), (0, 0b0100));
    /// assert_eq!(arrived.load(), 0b0101);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_or`, clause 16.9.26.
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_or(value))
    }

    /// One-sided. Flips the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::atomics::Coatomic;
    ///
    /// let parity = Coatomic::new(false);
    /// assert_eq!((parity.fetch_xor(true), parity.fetch_xor(true)), (false, true));
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `atomic_fetch_xor`, clause 16.9.27.
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, value: T) -> T
    where
        T: Bits,
    {
        change!(self.fetch_xor(value))
    }
}
