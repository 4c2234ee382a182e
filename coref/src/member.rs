//! Members of structs on other images.

use std::marker::PhantomData;

use crate::access::Access;
use crate::coref::Coref;
use crate::remote::Remote;

/// Where in every `S` a member of type `F` lies. `#[derive(Remote)]` makes one for each field.
#[derive(Debug)]
pub struct Member<S, F> {
    offset: usize,
    types: PhantomData<fn(S) -> F>,
}

impl<S, F> Member<S, F> {
    /// The member at `offset` bytes.
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
pub trait Members: Remote {
    /// One [`Member`] for each field, under the field's name.
    type Members: Copy;
    /// The members.
    const MEMBERS: Self::Members;
}

impl<S: Members, A: Access> Coref<S, A> {
    /// The place of a member of this struct: `pt.at(5).member(|point| point.x)`.
    ///
    /// The macro `field!(pt.at(5), x)` says the same.
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
        // SAFETY: a `Member<S, F>` says that an `F` lies there.
        unsafe { self.part(offset, 1) }
    }
}
