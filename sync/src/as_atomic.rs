//! Atomic operations on plain values.

use coarray_coref::{Access, Coref, LockFree, MayPut, Remote};

use crate::coatomic::Coatomic;

/// Atomic operations on the plain values of an open coarray: `x.at(2)[5].as_atomic().add(1)`.
///
/// # Examples
/// ```
/// # coarray_fabric::run(1, || {
/// # let image = coarray_fabric::Image::current();
/// # let call = coarray_fabric::Call::plain(coarray_fabric::Operation::Create, std::panic::Location::caller());
/// # let layout = coarray_fabric::Layout { size: 80, align: 8, shared: false };
/// # let block = unsafe { coarray_fabric::Team::current().allocate(&call, layout) }.unwrap();
/// # let x: &coarray_coref::Coref<[i64; 10]> = unsafe { coarray_coref::Coref::new(image.heap(0).addr() + block.offset(), 0, 1, true) };
/// use coarray_sync::{AsAtomic, CoatomicPlace};
///
/// x[5].as_atomic().add(3); // x is open, and other images may do the same
/// assert_eq!(x[5].as_atomic().fetch_sub(1), 3);
/// assert_eq!(x[5].get(), 2);
/// # });
/// ```
///
/// # Source
/// *Coarray C++* section 5.2, where a coreference to a regular type converts to one to its atomic type.
pub trait AsAtomic<T: Remote> {
    /// What may be done with the place.
    type Access: Access;

    /// Local. The same place with the operations of a coatomic.
    ///
    /// Puts and gets of the place may happen in between: each is atomic for a value of this size, but a put
    /// replaces what atomic operations made of the value.
    ///
    /// If the images do not all share memory, that holds only for puts that synchronisation keeps apart from the atomic
    /// operations: what a put and an atomic operation at the same moment make of the aligned four bytes around the value,
    /// or of the eight of a larger one, is unspecified.
    fn as_atomic(&self) -> &Coref<Coatomic<T>>
    where
        T: LockFree,
        Self::Access: MayPut;
}

impl<T: Remote, A: Access> AsAtomic<T> for Coref<T, A> {
    type Access = A;

    #[inline]
    fn as_atomic(&self) -> &Coref<Coatomic<T>>
    where
        T: LockFree,
        A: MayPut,
    {
        // SAFETY: the place is allocated and holds a `T` while `self` lives, and so a cell of a `T`, as
        // `LockFree` promises, of which a coatomic is a transparent wrapper. The place may be put to:
        // nobody holds a plain reference to it, and puts and gets are made of relaxed atomic words or done
        // where the compiler does not see them, so they may race with atomic operations.
        unsafe { Coref::new(self.local_address(), self.image(), 1, self.is_direct()) }
    }
}
