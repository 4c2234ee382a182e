//! Whether a coref may write.

/// What a [`Coref`](crate::Coref) may do with its place: [`ReadWrite`] or [`ReadOnly`].
pub trait Access: sealed::Sealed + 'static {}

/// The access of corefs in an open phase: get and put.
#[derive(Debug)]
pub enum ReadWrite {}

/// The access of corefs in a read-only phase: get. Coarray C++ calls such a reference `const_coref`.
#[derive(Debug)]
pub enum ReadOnly {}

/// The access that may put: [`ReadWrite`].
#[diagnostic::on_unimplemented(
    message = "a published coarray can only be read",
    label = "this would change it",
    note = "to let images put, open the coarray instead of publishing it: `let x = x.open();`"
)]
pub trait MayPut: Access {}

impl MayPut for ReadWrite {}
impl Access for ReadWrite {}
impl Access for ReadOnly {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ReadWrite {}
    impl Sealed for super::ReadOnly {}
}
