//! Guards that have their coarray, instead of borrowing it.

use std::cell::UnsafeCell;
use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::rc::Rc;

/// A guard `G` of a phase together with its coarray `C`: for structs that keep a coarray open or published.
///
/// It dereferences to the guard, so that a function that takes `&Open<'_, T>` takes a reference to it, too. It is made by
/// [`into_open`](crate::places::Openable::into_open) and [`into_published`](crate::places::Publishable::into_published), and its types
/// are named by [`OwnedOpen`](crate::OwnedOpen) and [`OwnedPublished`](crate::OwnedPublished).
///
/// Dropping it ends the phase, as dropping the guard does, and then drops the coarray. When dropped by a panic it does not wait; the
/// coarray's memory is then lost, as it is when the guard is leaked.
///
/// # Examples
/// A hash table whose slots lie on all images. Each key is claimed by whoever is the first to put it.
/// ```
/// use coarray::OwnedOpen;
/// use coarray::prelude::*;
///
/// struct Table {
///     keys: Coarray<[Coatomic<u64>]>,
///     values: OwnedOpen<Coarray<[f64]>>,
/// }
///
/// impl Table {
///     fn new(slots: usize) -> Self {
///         let keys = Coarray::<[Coatomic<u64>]>::from_fn(slots, |_| Coatomic::new(0));
///         Self { keys, values: Coarray::<[f64]>::zeroed(slots).into_open() }
///     }
///
///     fn insert(&self, key: u64, value: f64) {
///         let owner = key as usize % num_images();
///         let mut slot = key as usize / num_images() % self.keys.len();
///         while let Err(found) = self.keys.at(owner)[slot].compare_exchange(0, key) && found != key {
///             slot = (slot + 1) % self.keys.len();
///         }
///         self.values.at(owner)[slot].put(value);
///     }
///
///     fn close(self) -> Coarray<[f64]> {
///         self.values.close() // all puts have arrived
///     }
/// }
///
/// coarray::run(3, || {
///     let table = Table::new(16);
///     for n in 1..=5 {
///         table.insert((num_images() * n + this_image()) as u64, 0.5);
///     }
///     let values = table.close();
///     assert_eq!(values.iter().sum::<f64>(), 2.5);
/// });
/// ```
///
/// # Source
/// As [`Open`](crate::Open). Other guards that have what they guard: `OwnedMutexGuard` of tokio, `ArcMutexGuard` of `lock_api`.
#[must_use = "the phase ends, and the coarray is dropped, when this is dropped"]
pub struct Owned<C, G> {
    /// Borrows from `coarray`, and is dropped first.
    guard: Guard<G>,
    coarray: Rc<UnsafeCell<C>>,
}

impl<C: 'static, G> Owned<C, G> {
    /// # Safety
    /// The guard accesses the coarray only through the reference that it is made of, and gives others nothing of it that lives longer
    /// than a borrow of the guard.
    pub(crate) unsafe fn new(coarray: C, guard: impl FnOnce(&'static mut C) -> G) -> Self {
        let coarray = Rc::new(UnsafeCell::new(coarray));
        // SAFETY: the coarray stays where it is until the guard is gone: both go in that order. Nothing else refers to it. The guard
        // never leaves this struct, so that whatever is made of it is a borrow of `self`; the caller vouches for the rest.
        let guard = guard(unsafe { &mut *coarray.get() });
        Self {
            guard: Guard(MaybeUninit::new(guard)),
            coarray,
        }
    }

    /// Collective. Ends the phase, as dropping the guard does, and returns the coarray.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let inbox = Coarray::<[usize; 2]>::zeroed().into_open();
    ///     inbox.at(1 - this_image())[this_image()].put(7);
    ///     let mut inbox = inbox.close(); // waits for the other image, too
    ///     assert_eq!(inbox[1 - this_image()], 7);
    ///     inbox[0] = 1;
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Owned`].
    pub fn close(self) -> C {
        let Self { guard, coarray } = self;
        drop(guard);
        Rc::into_inner(coarray)
            .expect("it is never cloned")
            .into_inner()
    }
}

impl<C, G> Deref for Owned<C, G> {
    type Target = G;

    #[inline]
    fn deref(&self) -> &G {
        // SAFETY: it was initialised when it was made.
        unsafe { self.guard.0.assume_init_ref() }
    }
}

/// As the guard.
impl<C, G: fmt::Debug> fmt::Debug for Owned<C, G> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

/// A value that the compiler does not take to be valid while this is moved: what `close` borrows it drops in the same call.
struct Guard<G>(MaybeUninit<G>);

impl<G> Drop for Guard<G> {
    fn drop(&mut self) {
        // SAFETY: it was initialised when it was made, and is dropped here only.
        unsafe { self.0.assume_init_drop() }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::Owned;

    struct Lent<'l>(&'l Cell<Vec<&'static str>>);

    impl Drop for Lent<'_> {
        fn drop(&mut self) {
            note(self.0, "coarray");
        }
    }

    struct Guard(&'static mut Lent<'static>);

    impl Drop for Guard {
        fn drop(&mut self) {
            note(self.0.0, "guard");
        }
    }

    fn note(ends: &Cell<Vec<&'static str>>, end: &'static str) {
        let mut all = ends.take();
        all.push(end);
        ends.set(all);
    }

    fn owned() -> (
        &'static Cell<Vec<&'static str>>,
        Owned<Lent<'static>, Guard>,
    ) {
        let ends: &'static Cell<_> = Box::leak(Box::default());
        // SAFETY: the guard has nothing but the reference, and gives it to nobody.
        (ends, unsafe { Owned::new(Lent(ends), Guard) })
    }

    #[test]
    fn the_guard_ends_before_its_coarray() {
        let (ends, dropped) = owned();
        drop(dropped);
        assert_eq!(ends.take(), ["guard", "coarray"]);

        let (ends, closed) = owned();
        let lent = closed.close();
        assert_eq!(ends.take(), ["guard"]);
        drop(lent);
        assert_eq!(ends.take(), ["coarray"]);
    }
}
