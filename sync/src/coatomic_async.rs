//! The operations of a coatomic that do not wait: `x.at(2).add_async(1)`.

use coarray_coref::{Atomic, AtomicBits as _, AtomicNumber as _, Cofuture, InWord, Remote};
use coarray_fabric::AtomicOperation as On;

use crate::coatomic::{Bits, Number, exchanged, note_change_of};
use crate::coatomic_place::CoatomicPlace;

/// Begins an operation that returns the old value: by an instruction, which is complete at once, or by the fabric. What the fabric
/// has no operation for is done at once, too.
macro_rules! fetch {
    ($target:ident.$operation:ident($($argument:ident),*), $on:expr) => {{
        let by_instruction = move |cell: &T::Cell| {
            let old = cell.$operation($($argument),*);
            note_change_of(cell);
            old
        };
        // SAFETY: it has the arguments, which are values of `T`.
        match unsafe { $target.delay(true, true, by_instruction) } {
            Some(late) => late,
            None => $target.operate(
                true,
                move |cell| Cofuture::ready(by_instruction(cell)),
                move |cell| {
                    let on = $on;
                    let begun = cell.in_word().and_then(|word| word.fetch(on(&word)));
                    begun.unwrap_or_else(|| Cofuture::ready(cell.$operation($($argument),*)))
                },
            ),
        }
    }};
}

/// As [`fetch`], of an operation that returns nothing.
macro_rules! update {
    ($target:ident.$operation:ident($($argument:ident),*), $on:expr) => {{
        let by_instruction = move |cell: &T::Cell| {
            let old = cell.$operation($($argument),*);
            note_change_of(cell);
            old
        };
        // SAFETY: as above.
        if unsafe { $target.delay(true, false, by_instruction) }.is_none() {
            $target.operate(
                true,
                move |cell| _ = by_instruction(cell),
                move |cell| {
                    let on = $on;
                    if !cell.in_word().is_some_and(|word| word.update(on(&word))) {
                        cell.$operation($($argument),*);
                    }
                },
            );
        }
    }};
}

/// The operations of a [`Coatomic`](crate::Coatomic) on a coref to one that do not wait for it: `x.at(2).add_async(1)`.
///
/// Each is one atomic operation, as its form without `_async`, and those of one image on one coatomic take effect in the order
/// of its program. The forms that return a value return a [`Cofuture`] of it. The others return nothing: they are complete at the
/// next [`fence`](fn@crate::fence) of the image that has the coatomic, [`quiet`](fn@crate::quiet),
/// [`image_fence`](crate::image_fence) or barrier. An image that changes many coatomics of others has all on their way at the
/// same time, and waits once.
///
/// In a job whose images all share memory each is its instruction, and complete at once; but `testing::Explore` has some take effect as late as they may. Between nodes, operations that the network
/// does not have are done at once, as without `_async`: arithmetic on floats, minima and maxima, and changes of values that are no
/// word of 32 or 64 bits. OpenSHMEM returns values at once.
///
/// # Examples
/// A histogram on all images:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let bins = Coarray::<[Coatomic<u64>; 4]>::from_fn(|_| Coatomic::new(0));
///     for sample in 0..120 {
///         bins.at(sample % 3)[sample % 4].add_async(1);
///     }
///     sync_all(); // completes them, and those of the others
///     assert!(bins.iter().all(|bin| bin.load() == 30));
/// });
/// ```
///
/// # Source
/// `MPI_Raccumulate` and `MPI_Rget_accumulate`, MPI 3.1 section 11.3.5; `shmem_atomic_fetch_add_nbi`, OpenSHMEM 1.5.
pub trait AsyncCoatomicPlace<T: Remote>: CoatomicPlace<T> {
    /// One-sided. Begins to read the value.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let x = Coarray::new(Coatomic::new(this_image()));
    ///     let (one, other) = (x.at(1).load_async(), x.at(2).load_async()); // both at once
    ///     assert_eq!(one.wait() + other.wait(), 3);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_fetch_nbi`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn load_async(&self) -> Cofuture<'_, T> {
        // SAFETY: it has nothing.
        if let Some(late) = unsafe { self.delay(false, true, Atomic::load) } {
            return late;
        }
        self.operate(
            false,
            |cell| Cofuture::ready(cell.load()),
            |cell| {
                let begun = cell.in_word().and_then(|word| word.fetch(On::Load));
                begun.unwrap_or_else(|| Cofuture::ready(cell.load()))
            },
        )
    }

    /// One-sided. Begins to replace the value.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let from = Coarray::<[Coatomic<f64>; 2]>::from_fn(|_| Coatomic::new(0.0));
    ///     for image in 0..2 {
    ///         from.at(image)[this_image()].store_async(1.5);
    ///     }
    ///     sync_all();
    ///     assert_eq!(from[1].load(), 1.5);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_set`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn store_async(&self, value: T) {
        update!(self.swap(value), |_: &InWord<'_, T>| On::Swap(value));
    }

    /// One-sided. Begins to replace the value; returns the old one.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let x = Coarray::new(Coatomic::new(0));
    ///     let mut former = x.at(0).swap_async(1).wait();
    ///     co_sum(&mut former);
    ///     assert_eq!(former, 1); // of the second image
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_swap_nbi`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn swap_async(&self, value: T) -> Cofuture<'_, T> {
        fetch!(self.swap(value), |_: &InWord<'_, T>| On::Swap(value))
    }

    /// One-sided. Begins to replace the value by `new` if it is `current`; returns `current` then, and else the value as an error.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let owner = Coarray::new(Coatomic::new(u32::MAX)); // nobody
    ///     let mine = owner.at(0).compare_exchange_async(u32::MAX, this_image() as u32);
    ///     // ... compute something ...
    ///     assert_eq!(coarray::collectives::co_count(mine.wait().is_ok()), 1);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_compare_swap_nbi`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn compare_exchange_async(&self, current: T, new: T) -> Cofuture<'_, Result<T, T>> {
        let old = fetch!(self.compare_swap(current, new), |_: &InWord<'_, T>| {
            On::CompareExchange { current, new }
        });
        old.map(move |old| exchanged(old, current))
    }

    /// One-sided. Begins to add, wrapping around; returns the old value.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let next = Coarray::new(Coatomic::new(0));
    ///     let first = next.at(0).fetch_add_async(10);
    ///     // ... compute something ...
    ///     let first = first.wait(); // ten numbers of one's own
    ///     assert!(first % 10 == 0 && first < 40);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_fetch_add_nbi`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn fetch_add_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Number,
    {
        fetch!(self.fetch_add(value), |_: &InWord<'_, T>| On::Add(value))
    }

    /// One-sided. Begins to subtract, wrapping around; returns the old value.
    ///
    /// # Examples
    /// See [`fetch_add_async`](Self::fetch_add_async).
    #[inline]
    #[track_caller]
    fn fetch_sub_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Number,
    {
        fetch!(self.fetch_sub(value), |word: &InWord<'_, T>| On::Add(
            word.minus(value)
        ))
    }

    /// One-sided. Begins to replace the value by `value` if that is smaller; returns the old one. As
    /// [`fetch_min`](CoatomicPlace::fetch_min).
    ///
    /// # Examples
    /// See [`fetch_add_async`](Self::fetch_add_async).
    #[inline]
    #[track_caller]
    fn fetch_min_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Number,
    {
        Cofuture::ready(self.fetch_min(value))
    }

    /// One-sided. Begins to replace the value by `value` if that is larger; returns the old one. As
    /// [`fetch_max`](CoatomicPlace::fetch_max).
    ///
    /// # Examples
    /// See [`fetch_add_async`](Self::fetch_add_async).
    #[inline]
    #[track_caller]
    fn fetch_max_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Number,
    {
        Cofuture::ready(self.fetch_max(value))
    }

    /// One-sided. Begins to clear the bits that `value` does not have; returns the old value.
    ///
    /// # Examples
    /// See [`fetch_or_async`](Self::fetch_or_async).
    #[inline]
    #[track_caller]
    fn fetch_and_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Bits,
    {
        fetch!(self.fetch_and(value), |_: &InWord<'_, T>| On::And(value))
    }

    /// One-sided. Begins to set the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// Which of two flags this image was the first to set:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let done = Coarray::new(Coatomic::new(false));
    ///     let before = [0, 1].map(|image| done.at(image).fetch_or_async(true)); // both at once
    ///     let mut first = before.map(|flag| usize::from(!flag.wait()));
    ///     co_sum(&mut first);
    ///     assert_eq!(first, [1, 1]);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_fetch_or_nbi`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn fetch_or_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Bits,
    {
        fetch!(self.fetch_or(value), |_: &InWord<'_, T>| On::Or(value))
    }

    /// One-sided. Begins to flip the bits that `value` has; returns the old value.
    ///
    /// # Examples
    /// See [`fetch_or_async`](Self::fetch_or_async).
    #[inline]
    #[track_caller]
    fn fetch_xor_async(&self, value: T) -> Cofuture<'_, T>
    where
        T: Bits,
    {
        fetch!(self.fetch_xor(value), |_: &InWord<'_, T>| On::Xor(value))
    }

    /// One-sided. Begins to add, wrapping around.
    ///
    /// # Examples
    /// See [`AsyncCoatomicPlace`].
    ///
    /// # Source
    /// `MPI_Accumulate` with `MPI_SUM`, MPI 3.1 section 11.3.4.
    #[inline]
    #[track_caller]
    fn add_async(&self, value: T)
    where
        T: Number,
    {
        update!(self.fetch_add(value), |_: &InWord<'_, T>| On::Add(value));
    }

    /// One-sided. Begins to subtract, wrapping around.
    ///
    /// # Examples
    /// See [`AsyncCoatomicPlace`].
    #[inline]
    #[track_caller]
    fn sub_async(&self, value: T)
    where
        T: Number,
    {
        update!(self.fetch_sub(value), |word: &InWord<'_, T>| On::Add(
            word.minus(value)
        ));
    }

    /// One-sided. Begins to clear the bits that `value` does not have.
    ///
    /// # Examples
    /// See [`or_async`](Self::or_async).
    #[inline]
    #[track_caller]
    fn and_async(&self, value: T)
    where
        T: Bits,
    {
        update!(self.fetch_and(value), |_: &InWord<'_, T>| On::And(value));
    }

    /// One-sided. Begins to set the bits that `value` has.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let seen = Coarray::new(Coatomic::new(0u64));
    ///     (0..3).for_each(|image| seen.at(image).or_async(1 << this_image()));
    ///     sync_all();
    ///     assert_eq!(seen.load(), 0b111);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_atomic_or`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    fn or_async(&self, value: T)
    where
        T: Bits,
    {
        update!(self.fetch_or(value), |_: &InWord<'_, T>| On::Or(value));
    }

    /// One-sided. Begins to flip the bits that `value` has.
    ///
    /// # Examples
    /// See [`or_async`](Self::or_async).
    #[inline]
    #[track_caller]
    fn xor_async(&self, value: T)
    where
        T: Bits,
    {
        update!(self.fetch_xor(value), |_: &InWord<'_, T>| On::Xor(value));
    }
}

impl<T: Remote, P: CoatomicPlace<T> + ?Sized> AsyncCoatomicPlace<T> for P {}
