//! What the types of corefs and guards are made of: who may write, which shape a place has, which values travel.
//!
//! Programs seldom name these, but functions that are generic over places do.
//!
//! | about | is said by |
//! |---|---|
//! | what may be done at a place | [`Access`]: [`ReadWrite`], [`ReadOnly`], [`AtomicOnly`]; [`MayPut`] |
//! | what a place holds | [`Shape`]; in other shapes: [`ShapeCast`], [`MismatchedExtentError`] |
//! | parts of a place | [`Section`], [`Iter`]; of structs: [`Member`], [`Members`] |
//! | which values travel | beside [`Remote`](crate::Remote): [`Symmetric`], [`Shared`], [`RemoteClone`] |
//! | what a collective takes | [`Values`] |
//! | what [`open`](fn@crate::open) takes | [`OpenTogether`], of what [`Opens`] |

pub use crate::group::{OpenTogether, Opens};
pub use coarray_coref::{
    Access, AtomicOnly, Iter, MayPut, Member, Members, MismatchedExtentError, ReadOnly, ReadWrite,
    RemoteClone, Section, Shape, ShapeCast, Shared, Symmetric, Values,
};
