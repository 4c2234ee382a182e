//! Values that take more than one get to fetch.

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Remote;

/// A type whose complete value takes more than one get to fetch.
///
/// This is the paper's remote copy constructor: a type that only describes its data, by copointers or
/// lengths, gets the description first, makes room, and then gets the data. It never runs code on the
/// other image.
///
/// # Examples
/// A word that points to its letters:
/// ```
/// use coarray::places::{Access, RemoteClone};
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Word {
///     letters: Coptr<u8>,
///     length: usize,
/// }
///
/// impl RemoteClone for Word {
///     type Local = String;
///
///     fn remote_clone<A: Access>(place: &Coref<Self, A>) -> String {
///         let Word { letters, length } = place.get();
///         let letter = |index: usize| {
///             // SAFETY: in this program words exist only while the coarray of their letters is open.
///             unsafe { letters.offset(index as isize).as_coref() }.map(Coref::get)
///         };
///         (0..length).filter_map(letter).map(char::from).collect()
///     }
/// }
///
/// coarray::run(3, || {
///     let mut letters = Coarray::new(*b"coarray");
///     let letters = letters.open();
///     let mut word = Coarray::new(Word { letters: letters.here()[2].address(), length: this_image() + 3 });
///     let word = word.publish();
///     assert_eq!(word.at(2).remote_clone(), "array");
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 3.4.
pub trait RemoteClone {
    /// The complete value, on the image that fetches it.
    type Local;

    /// One-sided. Fetches the value from `place`.
    ///
    /// # Panics
    /// As the gets that it does.
    ///
    /// # Examples
    /// See [`RemoteClone`].
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
    ///
    /// # Panics
    /// As the gets that it does.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Ragged::from_fn(this_image() + 1, |i| i);
    ///     let x = x.publish();
    ///     assert_eq!(x.at(1).remote_clone(), [0, 1]); // of a slice, a vector
    /// });
    /// ```
    ///
    /// # Source
    /// As [`RemoteClone`].
    #[must_use]
    #[track_caller]
    pub fn remote_clone(&self) -> T::Local {
        T::remote_clone(self)
    }
}
