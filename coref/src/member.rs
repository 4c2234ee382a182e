//! Members of structs on other images.

use std::marker::PhantomData;

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::{Shared, Symmetric};

/// Where in every `S` a member of type `F` lies. `#[derive(Remote)]` and `#[derive(Shared)]` make one for each field.
///
/// # Examples
/// A member that is chosen at run time:
/// ```
/// use coarray::places::{Member, Members};
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Flow {
///     density: f64,
///     pressure: f64,
/// }
///
/// fn total(flow: &Coref<[Flow]>, which: Member<Flow, f64>) -> f64 {
///     flow.iter().map(|cell| cell.member(|_| which).get()).sum()
/// }
///
/// coarray::run(2, || {
///     let mut flow = Coarray::new([Flow { density: 1.0, pressure: 0.5 }; 10]);
///     let flow = flow.open();
///     assert_eq!(total(&flow.at(1)[..], Flow::MEMBERS.pressure), 5.0);
/// });
/// ```
///
/// # Source
/// `member()`, *Coarray C++* section 3.3.
#[derive(Debug)]
pub struct Member<S, F> {
    offset: usize,
    types: PhantomData<fn(S) -> F>,
}

impl<S, F> Member<S, F> {
    /// Local. The member at `offset` bytes.
    ///
    /// # Safety
    /// An `F` lies at `offset` in every `S`.
    #[must_use]
    pub const unsafe fn new(offset: usize) -> Self {
        Self {
            offset,
            types: PhantomData,
        }
    }
}

impl<S, F> Clone for Member<S, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, F> Copy for Member<S, F> {}

/// A struct whose members can be named on other images. Derived with `#[derive(Remote)]`, or `#[derive(Shared)]`.
///
/// # Examples
/// See [`Member`].
///
/// # Source
/// As [`Member`].
pub trait Members: Symmetric {
    /// One [`Member`] for each field, under the field's name.
    type Members: Copy;
    /// The members.
    const MEMBERS: Self::Members;
}

impl<S: Members, A: Access> Coref<S, A> {
    /// Local. The place of a member of this struct: `pt.at(5).member(|point| point.x)`.
    ///
    /// The macro `field!(pt.at(5), x)` says the same.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// #[derive(Clone, Copy, Remote)]
    /// #[repr(C)]
    /// struct Point {
    ///     x: [f32; 2],
    ///     id: u32,
    /// }
    ///
    /// coarray::run(2, || {
    ///     let mut points = Coarray::new([Point { x: [0.0; 2], id: 7 }; 3]);
    ///     let points = points.open();
    ///     let place = &points.at(1 - this_image())[2];
    ///     place.member(|point| point.x)[1].put(1.5); // a part of a member
    ///     assert_eq!((place.get().x, place.member(|point| point.id).get()), ([0.0, 1.5], 7));
    /// });
    /// ```
    ///
    /// # Source
    /// `member()`, *Coarray C++* section 3.3.
    #[inline]
    #[must_use]
    pub fn member<F: Symmetric>(
        &self,
        choose: impl FnOnce(S::Members) -> Member<S, F>,
    ) -> &Coref<F, A> {
        let offset = choose(S::MEMBERS).offset;
        // SAFETY: an `F` lies at this offset of every `S`, as the contract of `Member::new` says; so it is aligned and valid.
        unsafe { self.part(offset, 1) }
    }
}

/// A member of a struct with `#[derive(Shared)]`: [`Shared`], under a name of which the compiler tells what such a struct may have.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of a struct that several images use at any time",
    label = "not a coatomic, a coevent, a comutex, or a struct or array of such",
    note = "several images change it at any time as a `Coatomic<{Self}>`, or one at a time as a `Comutex<{Self}>`",
    note = "data that images put in an open phase go into a coarray of their own"
)]
pub trait SharedMember: Shared {}

#[diagnostic::do_not_recommend]
impl<T: Shared> SharedMember for T {}

/// What `#[derive(Shared)]` asks of each field.
#[doc(hidden)]
pub const fn shared_member<T: SharedMember>() {}
