//! The types and traits in the signatures of corefs and guards: access, shapes, and the values that travel.
//!
//! Programs seldom name these, but functions that are generic over places do.
//!
//! | about | types and traits |
//! |---|---|
//! | what may be done at a place | [`Access`]: [`ReadWrite`], [`ReadOnly`], [`AtomicOnly`]; [`MayPut`] |
//! | what a place holds | [`Shape`]; in other shapes: [`ShapeCast`], [`MismatchedExtentError`] |
//! | parts of a place | [`Region`], by a [`Selection`] of its [`Dimensions`]; [`Section`], [`Iter`]; rows of their own length [`RaggedPart`]; of structs: [`Member`], [`Members`] |
//! | what is selected of a dimension | [`Selector`], [`Every`] |
//! | which values travel | beside [`Remote`](crate::Remote): [`Symmetric`], [`Shared`], [`RemoteClone`] |
//! | what a collective takes, and leaves results in | [`Values`], [`ValuesMut`] |
//! | the parts of all images | [`Parts`]: by number, or by coordinates [`OnGrid`] |
//! | the items of all images | [`GlobalIndices`]: [`Global`], by a [`Division`] such as [`Even`] |
//! | places one after the other | [`UpTo`], of copointers |
//! | which coarrays open, and are published | [`Openable`], [`Publishable`]; what [`open`](fn@crate::open) and [`into_open`](fn@crate::into_open) take: [`OpenAll`], [`IntoOpenAll`] |

pub use crate::global::{Division, Even, Global, GlobalIndices};
pub use crate::group::{IntoOpenAll, OpenAll};
pub use crate::parts::{OnGrid, Parts};
pub use crate::phase::{Openable, Publishable};
pub use crate::ragged::RaggedPart;
pub use coarray_coref::{
    Access, AtomicOnly, Dimensions, Every, Iter, MayPut, Member, Members, MismatchedExtentError,
    ReadOnly, ReadWrite, Region, RemoteClone, Section, Selection, Selector, Shape, ShapeCast,
    Shared, Symmetric, UpTo, Values, ValuesMut,
};
