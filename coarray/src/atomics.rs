//! Values that several images change at any time, without a lock.
//!
//! A coarray of [`Coatomic`]s needs no opening. [`AsAtomic`] lends the same operations to plain values of an open coarray.
//!
//! # Examples
//! ```
//! use coarray::prelude::*;
//!
//! coarray::run(4, || {
//!     let counter = Coarray::new(Coatomic::new(0));
//!     counter.at(0).fetch_add(1);
//!     sync_all();
//!     assert_eq!(counter.at(0).load(), 4);
//! });
//! ```

pub use coarray_coref::LockFree;
pub use coarray_sync::{
    AsAtomic, AsyncCoatomicPlace, Bits, Coatomic, CoatomicList, CoatomicPlace, CoatomicSlice,
    Number,
};
