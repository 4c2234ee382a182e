//! Members of structs on other images.

use std::marker::PhantomData;

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Remote;

/// Where in every `S` a member of type `F` lies. `#[derive(Remote)]` makes one for each field.
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

/// A struct whose members can be named on other images. Derived with `#[derive(Remote)]`.
///
/// # Examples
/// See [`Member`].
///
/// # Source
/// As [`Member`].
pub trait Members: Remote {
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
    pub fn member<F: Remote>(
        &self,
        choose: impl FnOnce(S::Members) -> Member<S, F>,
    ) -> &Coref<F, A> {
        let offset = choose(S::MEMBERS).offset;
        // SAFETY: an `F` lies at this offset of every `S`, as the contract of `Member::new` says; so it is aligned and valid.
        unsafe { self.part(offset, 1) }
    }
}
