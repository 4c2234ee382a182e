//! What a coref may do with its place, as a type parameter: put and get, get, or atomic operations.

/// What a [`Coref`](crate::Coref) may do with its place: [`ReadWrite`], [`ReadOnly`] or [`AtomicOnly`].
///
/// # Examples
/// A function that reads from open and from published coarrays alike:
/// ```
/// use coarray::places::Access;
/// use coarray::prelude::*;
///
/// fn norm<A: Access>(row: &Coref<[f64], A>) -> f64 {
///     row.iter().map(|x| x.get() * x.get()).sum::<f64>().sqrt()
/// }
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([3.0, 4.0]);
///     assert_eq!(norm(&x.open().at(1)[..]), 5.0);
///     assert_eq!(norm(&x.publish().at(1)[..]), 5.0);
/// });
/// ```
///
/// # Source
/// `coref` and `const_coref`, *Coarray C++* section 3.3.
pub trait Access: sealed::Sealed + 'static {}

/// The access of corefs in an open phase: get and put.
///
/// # Examples
/// See [`Access`].
///
/// # Source
/// As [`Access`].
#[derive(Debug)]
pub enum ReadWrite {}

/// The access of corefs in a read-only phase, and of those that [`read_only`](crate::Coref::read_only) gives: get. Coarray C++ calls
/// such a reference `const_coref`.
///
/// # Examples
/// See [`Access`].
///
/// # Source
/// As [`Access`].
#[derive(Debug)]
pub enum ReadOnly {}

/// The access of corefs to plain values that are used as coatomics during an open phase: the operations of a coatomic, but
/// no reference to it, which could outlive the phase on another thread.
///
/// # Examples
/// ```
/// use coarray::places::AtomicOnly;
/// use coarray::prelude::*;
///
/// fn count(hits: &Coref<Coatomic<u32>, AtomicOnly>) {
///     hits.add(3);
/// }
///
/// coarray::run(2, || {
///     let mut hits = Coarray::new(0u32);
///     count(hits.open().at(0).as_atomic());
///     assert_eq!(*hits, if this_image() == 0 { 6 } else { 0 });
/// });
/// ```
///
/// # Source
/// Its own.
#[derive(Debug)]
pub enum AtomicOnly {}

/// The access that may put: [`ReadWrite`].
///
/// # Examples
/// A function that changes what it is given, and therefore cannot be called with a published coarray:
/// ```
/// use coarray::places::MayPut;
/// use coarray::prelude::*;
///
/// fn double<A: MayPut>(row: &Coref<[u32], A>) {
///     row.iter().for_each(|x| x.put(2 * x.get()));
/// }
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([1, 2, 3]);
///     double(&x.open().here()[..]);
///     assert_eq!(*x, [2, 4, 6]);
/// });
/// ```
///
/// # Source
/// As [`Access`].
#[diagnostic::on_unimplemented(
    message = "this place can only be read",
    label = "this would change it",
    note = "a published coarray can only be read; to let images put, open it instead: `let x = x.open();`",
    note = "of an open coarray, `read_only()` made this of a coref, region or copointer that may put"
)]
pub trait MayPut: Access {}

impl MayPut for ReadWrite {}
impl Access for ReadWrite {}
impl Access for ReadOnly {}
impl Access for AtomicOnly {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ReadWrite {}
    impl Sealed for super::ReadOnly {}
    impl Sealed for super::AtomicOnly {}
}
