//! Places on other images, for `coarray`.
//!
//! * [`Coref`] is a reference to a place on an image, as `&T` is one to a place in memory: it indexes like an array and gets
//!   and puts. [`Region`] is a block of one, with steps.
//! * [`Coptr`] is the pointer to such a place: nullable, copyable, itself a value that can travel.
//! * [`Cofuture`] is the completion of a get, put or collective that goes on while the image computes.
//! * [`Remote`] says which values travel, [`Shared`] which may be touched by several images at any time,
//!   and [`Shape`] what a place can hold.
//!
//! Programs name the crate `coarray` only.

mod access;
mod as_word;
mod atomic_cell;
mod bulk;
mod cofuture;
mod cofuture_set;
mod complex;
mod coptr;
mod coptr_arithmetic;
mod coref;
mod fabric_slots;
mod fabric_word;
mod hints;
mod in_word;
mod index;
mod index_list;
mod locked;
mod member;
mod ndarray_values;
mod notified;
mod primitives;
mod radix_sort;
mod read_only;
mod region;
mod remote;
mod remote_clone;
mod scope;
mod section;
mod shape;
mod shape_cast;
mod slots;
mod thread;
mod transfer;
mod up_to;
mod values;
mod word_fetch;
mod word_list;

pub use access::{Access, AtomicOnly, MayPut, ReadOnly, ReadWrite};
#[doc(hidden)]
pub use as_word::AsWord;
pub use atomic_cell::LockFree;
#[doc(hidden)]
pub use atomic_cell::{Atomic, AtomicBits, AtomicCell, AtomicNumber, BitsCell, NumberCell};
pub use cofuture::Cofuture;
#[doc(hidden)]
pub use cofuture::Collective;
pub use cofuture_set::CofutureSet;
pub use coptr::Coptr;
pub use coref::{Coref, LocalOrRemote};
#[doc(hidden)]
pub use in_word::InWord;
#[doc(hidden)]
pub use index_list::{
    Listed, gather_listed, gather_listed_async, scatter_direct, scatter_listed,
    scatter_listed_async,
};
#[doc(hidden)]
pub use locked::{Locked, same};
pub use member::{Member, Members, shared_member};
pub use region::{Dimensions, Every, Region, Selection, Selector, items};
pub use remote::{Plain, Remote, Shared, Symmetric};
pub use remote_clone::RemoteClone;
pub use scope::{AsyncScope, async_scope};
pub use section::{Iter, Section};
pub use shape::{MismatchedExtentError, Shape};
pub use shape_cast::ShapeCast;
pub use thread::LeavesItsThread;
pub use transfer::{bytes_are_valid, check_value};
pub use up_to::UpTo;
pub use values::{Values, ValuesMut};
#[doc(hidden)]
pub use word_list::ListOperation;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
