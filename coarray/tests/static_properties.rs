//! Promises of the types; this file compiles only if they hold.

use std::cell::Cell;
use std::hash::Hash;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8,
    NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use coarray::asynchronous::{AsyncScope, Cofuture, CofutureSet};
use coarray::atomics::{Bits, Coatomic, LockFree, Number};
use coarray::grid::{Exchanging, HaloArray};
use coarray::places::{
    Even, Global, Iter, OnGrid, RaggedPart, ReadOnly, Section, Shared, Symmetric,
};
use coarray::{
    Coarray, Coptr, Coref, Open, OpenRagged, OpenRaggedRows, OwnedOpen, OwnedPublished, Plain,
    Published, PublishedRagged, PublishedRaggedRows, Ragged, RaggedRows, Remote,
};
use static_assertions::{assert_eq_align, assert_eq_size, assert_impl_all, assert_not_impl_any};

/// An image is a thread: objects that communicate belong to it alone.
mod communication_stays_on_the_thread_of_the_image {
    use super::*;

    assert_not_impl_any!(Coarray<i32>: Send, Sync);
    assert_not_impl_any!(Coarray<[[f64; 20]; 10]>: Send, Sync);
    assert_not_impl_any!(Coarray<[f64]>: Send, Sync);
    assert_not_impl_any!(Coarray<Coatomic<i64>>: Send, Sync);
    assert_not_impl_any!(Ragged<f64>: Send, Sync);
    assert_not_impl_any!(RaggedRows<f64>: Send, Sync);
    assert_not_impl_any!(RaggedPart<'static, f64>: Send, Sync);
    assert_not_impl_any!(OpenRaggedRows<'static, f64>: Send, Sync);
    assert_not_impl_any!(PublishedRaggedRows<'static, f64>: Send, Sync);
    assert_not_impl_any!(Open<'static, i32>: Send, Sync);
    assert_not_impl_any!(Open<'static, [f64]>: Send, Sync);
    assert_not_impl_any!(Published<'static, i32>: Send, Sync);
    assert_not_impl_any!(Published<'static, [f64]>: Send, Sync);
    assert_not_impl_any!(OpenRagged<'static, f64>: Send, Sync);
    assert_not_impl_any!(PublishedRagged<'static, f64>: Send, Sync);
    assert_not_impl_any!(OwnedOpen<Coarray<i32>>: Send, Sync);
    assert_not_impl_any!(OwnedPublished<Ragged<f64>>: Send, Sync);
    assert_not_impl_any!(Coref<i32>: Send, Sync);
    assert_not_impl_any!(Coref<[f64]>: Send, Sync);
    assert_not_impl_any!(Coref<i32, ReadOnly>: Send, Sync);
    assert_not_impl_any!(Coref<Coatomic<i64>>: Send, Sync);
    assert_not_impl_any!(&'static Coref<i32>: Send, Sync);
    assert_not_impl_any!(Section<'static, f64>: Send, Sync);
    assert_not_impl_any!(Iter<'static, f64>: Send, Sync);
    assert_not_impl_any!(OnGrid<'static, &'static Coarray<Coatomic<i64>>, 2>: Send, Sync);
    assert_not_impl_any!(Global<&'static Open<'static, [f64]>, Even>: Send, Sync);
    assert_not_impl_any!(Cofuture<'static, f64>: Send, Sync);
    assert_not_impl_any!(Cofuture<'static, ()>: Send, Sync);
    assert_not_impl_any!(CofutureSet<'static, f64>: Send, Sync);
    assert_not_impl_any!(AsyncScope<'static, 'static>: Send, Sync);
    assert_not_impl_any!(HaloArray<f64, 3>: Send, Sync);
    assert_not_impl_any!(Exchanging<'static, f64, 3>: Send, Sync);
}

/// A cofuture can be moved between polls, and has one result.
mod cofutures_are_futures {
    use super::*;

    assert_impl_all!(Cofuture<'static, f64>: Future<Output = f64>, Unpin);
    assert_impl_all!(Cofuture<'static, ()>: Future<Output = ()>, Unpin);
    assert_not_impl_any!(Cofuture<'static, f64>: Clone, Copy);
}

/// Making a coarray and ending a phase are collective, so no copy is made implicitly.
mod coarrays_and_guards_are_not_copied {
    use super::*;

    assert_not_impl_any!(Coarray<i32>: Clone, Copy);
    assert_not_impl_any!(Coarray<[f64]>: Clone, Copy, Default);
    assert_not_impl_any!(Ragged<f64>: Clone, Copy, Default);
    assert_not_impl_any!(RaggedRows<f64>: Clone, Copy, Default, Deref);
    assert_not_impl_any!(Open<'static, i32>: Clone, Copy);
    assert_not_impl_any!(Published<'static, i32>: Clone, Copy);
    assert_not_impl_any!(OwnedOpen<Coarray<i32>>: Clone, Copy, DerefMut);
}

/// There are local references to closed coarrays, shared ones to published coarrays, and none to open ones.
mod guards_give_the_references_of_their_phase {
    use super::*;

    assert_impl_all!(Coarray<i32>: Deref<Target = i32>, DerefMut);
    assert_impl_all!(Coarray<[f64]>: Deref<Target = [f64]>, DerefMut);
    assert_impl_all!(Ragged<f64>: Deref<Target = [f64]>, DerefMut);
    assert_impl_all!(Published<'static, i32>: Deref<Target = i32>);
    assert_impl_all!(PublishedRagged<'static, f64>: Deref<Target = [f64]>);
    assert_not_impl_any!(Published<'static, i32>: DerefMut);
    assert_not_impl_any!(PublishedRagged<'static, f64>: DerefMut);
    assert_not_impl_any!(Open<'static, i32>: Deref, DerefMut);
    assert_not_impl_any!(OpenRagged<'static, f64>: Deref, DerefMut);

    // Other images use the coatomics at the same moment.
    assert_impl_all!(Coarray<Coatomic<i64>>: Deref<Target = Coatomic<i64>>);
    assert_not_impl_any!(Coarray<Coatomic<i64>>: DerefMut);
    assert_not_impl_any!(Coarray<[Coatomic<i64>; 4]>: DerefMut);
    assert_not_impl_any!(Coarray<[Coatomic<i64>]>: DerefMut);
}

/// A reference to a place is passed in two registers, also when there may be none.
mod references_to_places_are_two_words {
    use super::*;

    assert_eq_size!(&Coref<f64>, [usize; 2]);
    assert_eq_size!(&Coref<[[i32; 20]; 10]>, [usize; 2]);
    assert_eq_size!(&Coref<[f64]>, [usize; 2]);
    assert_eq_size!(&Coref<[f64], ReadOnly>, [usize; 2]);
    assert_eq_size!(Option<&Coref<f64>>, [usize; 2]);
    assert_eq_size!(Option<&Coref<[f64]>>, [usize; 2]);
}

/// Structures that span images store copointers in coarrays.
mod copointers_are_numbers_that_travel {
    use super::*;

    assert_eq_size!(Coptr<u8>, u64);
    assert_eq_size!(Coptr<[[i32; 20]; 10]>, u64);
    assert_eq_align!(Coptr<u8>, u64);
    assert_eq_size!(Coptr<f64, ReadOnly>, u64);
    assert_impl_all!(Coptr<f64>: Copy, Default, Eq, Hash, PartialOrd, Remote, Send, Sync);
    assert_not_impl_any!(Coptr<f64>: Ord);
    assert_impl_all!(Coptr<f64, ReadOnly>: From<Coptr<f64>>, Remote, LockFree);
    assert_not_impl_any!(Coptr<f64>: From<Coptr<f64, ReadOnly>>);
    assert_impl_all!([Coptr<f64>; 2]: Remote);
    assert_impl_all!(Coptr<Coptr<f64>>: Remote);
}

/// The types that the documentation of `Remote` lists.
mod numbers_travel {
    use super::*;

    assert_impl_all!(u8: Remote);
    assert_impl_all!(u16: Remote);
    assert_impl_all!(u32: Remote);
    assert_impl_all!(u64: Remote);
    assert_impl_all!(u128: Remote);
    assert_impl_all!(usize: Remote);
    assert_impl_all!(i8: Remote);
    assert_impl_all!(i16: Remote);
    assert_impl_all!(i32: Remote);
    assert_impl_all!(i64: Remote);
    assert_impl_all!(i128: Remote);
    assert_impl_all!(isize: Remote);
    assert_impl_all!(f32: Remote);
    assert_impl_all!(f64: Remote);
    assert_impl_all!(bool: Remote);
    assert_impl_all!(char: Remote);
    assert_impl_all!(NonZeroU8: Remote);
    assert_impl_all!(NonZeroU16: Remote);
    assert_impl_all!(NonZeroU32: Remote);
    assert_impl_all!(NonZeroU64: Remote);
    assert_impl_all!(NonZeroU128: Remote);
    assert_impl_all!(NonZeroUsize: Remote);
    assert_impl_all!(NonZeroI8: Remote);
    assert_impl_all!(NonZeroI16: Remote);
    assert_impl_all!(NonZeroI32: Remote);
    assert_impl_all!(NonZeroI64: Remote);
    assert_impl_all!(NonZeroI128: Remote);
    assert_impl_all!(NonZeroIsize: Remote);
    assert_impl_all!([f64; 20]: Remote<Element = f64>);
    assert_impl_all!([[f64; 20]; 10]: Remote<Element = f64>);
    assert_impl_all!(Plain<u64>: Remote);
}

/// Owners of memory and addresses mean nothing on another image; types with padding would send uninitialised
/// bytes.
mod owners_addresses_and_padding_do_not_travel {
    use super::*;

    assert_not_impl_any!(String: Remote, Symmetric);
    assert_not_impl_any!(Vec<u8>: Remote, Symmetric);
    assert_not_impl_any!(Box<i32>: Remote, Symmetric);
    assert_not_impl_any!(Option<Box<i32>>: Remote, Symmetric);
    assert_not_impl_any!(Rc<i32>: Remote, Symmetric);
    assert_not_impl_any!(Arc<i32>: Remote, Symmetric);
    assert_not_impl_any!(&'static i32: Remote, Symmetric);
    assert_not_impl_any!(&'static mut i32: Remote, Symmetric);
    assert_not_impl_any!(&'static str: Remote, Symmetric);
    assert_not_impl_any!(*const i32: Remote, Symmetric);
    assert_not_impl_any!(*mut i32: Remote, Symmetric);
    assert_not_impl_any!(fn() -> i32: Remote, Symmetric);
    assert_not_impl_any!([String; 2]: Remote, Symmetric);
    assert_not_impl_any!((u8, u32): Remote, Symmetric);
    assert_not_impl_any!(Option<u32>: Remote, Symmetric);
    assert_not_impl_any!(Cell<i32>: Remote, Symmetric);
    assert_not_impl_any!(Coarray<i32>: Remote, Symmetric);
    assert_not_impl_any!(&'static Coref<i32>: Remote, Symmetric);
}

/// A coatomic number takes no more room than the number.
mod coatomics_with_instructions_are_as_large_as_their_values {
    use super::*;

    assert_impl_all!(i8: Number, Bits, LockFree);
    assert_impl_all!(u64: Number, Bits, LockFree);
    assert_impl_all!(isize: Number, Bits, LockFree);
    assert_impl_all!(f32: Number, LockFree);
    assert_impl_all!(bool: Bits, LockFree);
    assert_impl_all!(Coptr<u8>: LockFree);
    assert_not_impl_any!(f64: Bits);
    assert_not_impl_any!(bool: Number);
    assert_not_impl_any!(u128: Number, Bits, LockFree);
    assert_not_impl_any!([u64; 1]: Number, Bits, LockFree);
    assert_eq_size!(Coatomic<i8>, i8);
    assert_eq_size!([Coatomic<bool>; 3], [bool; 3]);
    assert_eq_size!(Coatomic<u64>, u64);
    assert_eq_size!(Coatomic<f32>, f32);
    assert_eq_size!(Coatomic<Coptr<u8>>, u64);
    assert_eq_align!(Coatomic<f64>, f64);
}

/// Values that several images use at any time are not put and got as bytes.
mod coatomics_are_shared_and_do_not_travel {
    use super::*;

    assert_impl_all!(Coatomic<i32>: Shared, Symmetric, Sync);
    assert_impl_all!(Coatomic<u64>: Shared, Symmetric, Sync);
    assert_impl_all!([[Coatomic<usize>; 4]; 2]: Shared);
    assert_impl_all!(Coatomic<bool>: Shared, Sync);
    assert_impl_all!(Coatomic<Coptr<f64>>: Shared, Sync);
    assert_impl_all!(Coatomic<[[f64; 3]; 2]>: Shared, Sync);
    assert_impl_all!(Coatomic<Plain<u64>>: Shared, Sync);
    assert_not_impl_any!(Coatomic<[f64; 3]>: Remote, Copy, Clone);
    assert_not_impl_any!(Coatomic<i64>: Remote, Copy, Clone);
    assert_not_impl_any!([Coatomic<i64>; 4]: Remote, Copy, Clone);
    assert_not_impl_any!(AtomicI64: Remote, Shared);
    assert_not_impl_any!(i64: Shared);
    assert_not_impl_any!([f64; 4]: Shared);
}
