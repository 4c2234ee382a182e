//! Atomic operations on plain values.

use coarray_coref::{Access, AtomicOnly, Coref, LockFree, MayPut, Remote};
use coarray_fabric::may_span_nodes;

use crate::coatomic::Coatomic;

/// Atomic operations on the plain values of an open coarray: `x.at(2)[5].as_atomic().add(1)`.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(4, || {
///     let mut histogram = Coarray::<[i64; 10]>::zeroed();
///     let open = histogram.open();
///     for sample in 0..100 {
///         open.at(0)[sample * 7 % 10].as_atomic().add(1); // all images do so at the same time
///     }
///     open.close();
///     if this_image() == 0 {
///         assert_eq!(*histogram, [40; 10]); // plain numbers again
///     }
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 5.2, where a coreference to a regular type converts to one to its atomic type.
pub trait AsAtomic<T: Remote> {
    /// The access of the place.
    type Access: Access;

    /// Local. The same place with the operations of a coatomic, but not [`as_local`](Coref::as_local): the value is a plain one
    /// again after the phase.
    ///
    /// Puts and gets of the place may happen in between: each is atomic for a value of this size, but a put
    /// overwrites the result of atomic operations.
    ///
    /// If the images do not all share memory, that holds only for puts that are synchronised with the atomic operations. A put
    /// and an atomic operation at the same moment leave unspecified bytes in the aligned four bytes around the value, or in
    /// the eight of a larger one.
    ///
    /// # Examples
    /// See [`AsAtomic`].
    ///
    /// # Source
    /// As [`AsAtomic`].
    fn as_atomic(&self) -> &Coref<Coatomic<T>, AtomicOnly>
    where
        T: LockFree,
        Self::Access: MayPut;
}

impl<T: Remote, A: Access> AsAtomic<T> for Coref<T, A> {
    type Access = A;

    #[inline]
    fn as_atomic(&self) -> &Coref<Coatomic<T>, AtomicOnly>
    where
        T: LockFree,
        A: MayPut,
    {
        // For a coatomic the bit means that operations are instructions. They are if no image of the process uses the fabric: then all
        // images share memory. Otherwise the operation finds out. So this is one test, which the operation does not repeat.
        let direct = !may_span_nodes();
        // SAFETY: image and address are those of `self`; if `direct`, the place is mapped and all images share memory. While `self`
        // lives the place is allocated, aligned, and holds a `T`. So it holds a coatomic, which is transparent over `T::Cell`: `LockFree` says that this has the size,
        // alignment and valid bytes of `T`. Since the place may be put to, nobody holds a reference to it. Puts and gets may race
        // with atomic operations: they are made of relaxed atomic words, or of assembly that the compiler does not see.
        unsafe { Coref::new(self.local_address(), self.image(), 1, direct) }
    }
}
