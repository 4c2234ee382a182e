//! Values that take more than one get to fetch.

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Remote;

/// A place from which a complete value can be fetched, however many gets that takes.
///
/// This is the paper's remote copy constructor: a type that only describes its data, by copointers or
/// lengths, reads the description first, makes room, and then gets the rest. It never runs code on the
/// other image.
///
/// # Examples
/// A label whose first byte says how many follow:
/// ```
/// use coarray_coref::{Access, Coref, Plain, Remote, RemoteClone, Symmetric};
///
/// #[derive(Clone, Copy)]
/// #[repr(transparent)]
/// struct Label([u8; 64]);
/// # unsafe impl Symmetric for Label {}
/// # unsafe impl Remote for Label {
/// #     type Element = Self;
/// #     type Cell = coarray_coref::Locked<Self>;
/// #     const ANY_BITS: bool = true;
/// #     const ZERO_IS_VALID: bool = true;
/// #     unsafe fn is_valid(_: *const Self) -> bool { true }
/// # }
///
/// impl RemoteClone for Label {
///     type Local = String;
///
///     fn remote_clone<A: Access>(place: &Coref<Self, A>) -> String {
///         let Label(bytes) = place.get();
///         String::from_utf8_lossy(&bytes[1..=bytes[0] as usize]).into_owned()
///     }
/// }
/// ```
///
/// # Source
/// *Coarray C++* section 3.4.
pub trait RemoteClone {
    /// What the complete value is on the image that fetches it.
    type Local;

    /// One-sided. Fetches the value from `place`.
    #[track_caller]
    fn remote_clone<A: Access>(place: &Coref<Self, A>) -> Self::Local;
}

impl<T: Remote> RemoteClone for [T] {
    type Local = Vec<T>;

    #[track_caller]
    fn remote_clone<A: Access>(place: &Coref<Self, A>) -> Vec<T> {
        place.to_vec()
    }
}

impl<T: ?Sized + RemoteClone, A: Access> Coref<T, A> {
    /// One-sided. Fetches the complete value; see [`RemoteClone`].
    #[must_use]
    #[track_caller]
    pub fn remote_clone(&self) -> T::Local {
        T::remote_clone(self)
    }
}
