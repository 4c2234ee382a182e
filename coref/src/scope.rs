//! Asynchronous gets and puts of whole arrays, with buffers that the caller keeps.
//!
//! An operation may write to its buffer until it is complete, even if its cofuture is leaked. So the buffers are borrowed for
//! a scope, as threads borrow from [`std::thread::scope`], and the scope completes all operations before it ends. Elements
//! that need a check arrive in staging memory, and the scope delivers those that nobody waited for.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::rc::Rc;

use coarray_fabric::Buffer;
use coarray_runtime::Image;

use crate::access::{Access, MayPut};
use crate::bulk::{Element, write_checked};
use crate::cofuture::{Cofuture, InFlight};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::{Shape, elements_in};
use crate::transfer::{Torn, issue_get, issue_put};

/// Local. Lets operations borrow buffers: all operations that are issued with the scope are complete when this returns.
///
/// That holds also if `body` panics, and for operations whose [`Cofuture`] was dropped or leaked: their
/// buffers are filled all the same. The image's operations outside of the scope are complete, too.
///
/// # Panics
/// On a thread that is not an image; as `body` does; or if the bytes of a get, waited for or not, are no valid values,
/// which can happen only if images wrote to the place at the same time.
///
/// # Examples
/// ```
/// use coarray::asynchronous::async_scope;
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([this_image(); 20]);
///     let x = x.open();
///     let there = x.at(1);
///     let (mut left, mut right) = ([0; 3], [0; 3]);
///     async_scope(|scope| {
///         let fetched = there[..3].get_into_async(&mut left[..], scope);
///         drop(there[17..].get_into_async(&mut right[..], scope)); // complete when the scope ends
///         // ... compute something ...
///         assert_eq!(fetched.wait(), [1, 1, 1]);
///     });
///     assert_eq!(right, [1, 1, 1]);
/// });
/// ```
///
/// # Source
/// `cofuture<void>`, *Coarray C++* section 7, whose destructor ensures completion; a destructor need not run.
#[track_caller]
pub fn async_scope<'env, F, R>(body: F) -> R
where
    F: for<'scope> FnOnce(&'scope AsyncScope<'scope, 'env>) -> R,
{
    let image = Image::current();
    let scope = AsyncScope {
        staged: RefCell::default(),
        torn: Cell::new(None),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
    image.fabric().quiet();
    finish(result, scope.deliver())
}

#[track_caller]
fn finish<R>(result: Result<R, Box<dyn Any + Send>>, delivered: Result<(), Torn>) -> R {
    match (result, delivered) {
        (Ok(result), Ok(())) => result,
        (Ok(_), Err(torn)) => torn.report(),
        (Err(payload), _) => resume_unwind(payload),
    }
}

/// The scope for which operations borrow buffers; see [`async_scope`].
///
/// # Examples
/// A function that issues operations, which the scope of its caller completes:
/// ```
/// use coarray::asynchronous::{AsyncScope, async_scope};
/// use coarray::prelude::*;
///
/// fn fetch_edges<'s>(x: &'s Coref<[f64]>, edges: &'s mut [f64; 2], scope: &'s AsyncScope<'s, '_>) {
///     let [first, last] = edges;
///     drop(x[0].get_into_async(first, scope));
///     drop(x[x.len() - 1].get_into_async(last, scope));
/// }
///
/// coarray::run(2, || {
///     let mut x = Coarray::new([1.0, 2.0, 3.0]);
///     let x = x.open();
///     let mut edges = [0.0; 2];
///     async_scope(|scope| fetch_edges(&x.at(1 - this_image())[..], &mut edges, scope));
///     assert_eq!(edges, [1.0, 3.0]);
/// });
/// ```
///
/// # Source
/// [`std::thread::Scope`].
pub struct AsyncScope<'scope, 'env: 'scope> {
    /// Elements that arrive in staging memory, because they need a check.
    staged: RefCell<Vec<Rc<dyn Delivery>>>,
    /// The last error: bytes that were no valid value.
    torn: Cell<Option<Torn>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl AsyncScope<'_, '_> {
    /// Delivers all staged elements, when all operations are complete.
    ///
    /// # Errors
    /// If any bytes were no valid value, now or before.
    fn deliver(&self) -> Result<(), Torn> {
        for staged in self.staged.take() {
            // An error is kept, and reported when all others have been delivered.
            let _ = self.note(staged.deliver());
        }
        self.torn.get().map_or(Ok(()), Err)
    }

    /// Keeps an error for the end of the scope, in case nobody waits for it.
    pub(crate) fn note(&self, delivered: Result<(), Torn>) -> Result<(), Torn> {
        if let Err(torn) = delivered {
            self.torn.set(Some(torn));
        }
        delivered
    }

    /// Memory for `count` elements that arrive from `image`, and are checked before they go on to `target`. The scope keeps it
    /// until their delivery, which comes after the completion of the operations.
    pub(crate) fn stage<E: Remote>(
        &self,
        target: *mut E,
        count: usize,
        image: usize,
    ) -> Rc<Staged<E>> {
        let staged = Rc::new(Staged {
            image,
            elements: Cell::new(vec![MaybeUninit::uninit(); count]),
            target,
        });
        self.staged.borrow_mut().push(Rc::clone(&staged) as _);
        staged
    }
}

impl fmt::Debug for AsyncScope<'_, '_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AsyncScope").finish_non_exhaustive()
    }
}

/// Elements that arrive in staging memory.
pub(crate) trait Delivery {
    /// Checks the elements and copies them to their target, unless that was done before. The operation is complete.
    fn deliver(&self) -> Result<(), Torn>;
}

pub(crate) struct Staged<E> {
    image: usize,
    /// Of length 0 once they were delivered. Unlike a box, a vector can be moved while the fabric fills its memory.
    elements: Cell<Vec<MaybeUninit<E>>>,
    target: *mut E,
}

impl<E> Staged<E> {
    /// Where the elements arrive.
    pub(crate) fn start(&self) -> *mut u8 {
        let mut elements = self.elements.take();
        let start = elements.as_mut_ptr();
        self.elements.set(elements);
        start.cast()
    }
}

impl<E: Remote> Delivery for Staged<E> {
    fn deliver(&self) -> Result<(), Torn> {
        let elements = self.elements.take();
        // SAFETY: the operation is complete, so all bytes of the elements are initialised. The target has room for all; it is
        // borrowed for the scope, and the caller gets it back only after a delivery.
        unsafe { write_checked(&elements, self.target, self.image) }
    }
}

impl<T, A: Access> Coref<T, A>
where
    T: ?Sized + Shape<Item: Remote>,
{
    /// One-sided. Begins to fetch the whole place into `target`, which has the same shape. The target is borrowed until the
    /// scope ends; [`wait`](Cofuture::wait) gives it back earlier.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([5; 20]);
    ///     let x = x.open();
    ///     let mut halo = [0; 4];
    ///     async_scope(|scope| {
    ///         let fetched = x.at(1)[..4].get_into_async(&mut halo[..], scope);
    ///         // ... the inner cells meanwhile ...
    ///         assert_eq!(fetched.wait().iter().sum::<i32>(), 20);
    ///     });
    /// });
    /// ```
    ///
    /// # Source
    /// `get_cofuture(&y)`, *Coarray C++* section 7.
    #[track_caller]
    pub fn get_into_async<'a, 'scope>(
        &'a self,
        target: &'scope mut T,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut T> {
        const { T::Item::CHECK };
        self.check_extent(target.extent());
        if self.is_direct() {
            // SAFETY: the target is borrowed mutably, and has as many elements as the place: the extents are equal.
            let arrived = unsafe { self.get_elements(target.elements_mut().as_mut_ptr()) };
            return Cofuture::complete(scope.note(arrived).map(|()| target));
        }
        if <T::Item>::ANY_BITS {
            let target = ptr::from_mut(target);
            let buffer = Buffer::Lent(target.cast(), self.bytes());
            // SAFETY: the target is as long as the place, and borrowed until the end of the scope, which completes the
            // operation.
            let issued = unsafe { issue_get(self, buffer) };
            // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only this operation used it since. The
            // operation is complete, and any bytes are a valid `T`.
            let transfer = InFlight::new(issued, move |_| Ok(unsafe { &mut *target }));
            return Cofuture::in_flight(transfer);
        }
        self.get_staged(target, scope)
    }

    #[track_caller]
    fn get_staged<'a, 'scope>(
        &'a self,
        target: &'scope mut T,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut T> {
        let count = self.leading_extent() * elements_in::<T::Item>();
        let target = ptr::from_mut(target);
        let staged = scope.stage(target.cast::<Element<T>>(), count, self.image());
        let buffer = Buffer::Lent(staged.start(), self.bytes());
        // SAFETY: the elements take as many bytes as the place. The scope keeps them until their delivery, which comes after the
        // completion of the operation.
        let issued = unsafe { issue_get(self, buffer) };
        Cofuture::in_flight(InFlight::new(issued, move |_| {
            scope.note(staged.deliver())?;
            // SAFETY: `target` comes from a reference that is borrowed for `'scope`, and only this operation used it since.
            // Its delivery wrote valid elements only.
            Ok(unsafe { &mut *target })
        }))
    }

    /// One-sided. Begins to store `source`, which has the same shape, in the whole place. The source is borrowed
    /// until the scope ends.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut rows = Coarray::<[[usize; 20]; 3]>::zeroed();
    ///     let rows = rows.open();
    ///     let (me, row) = (this_image(), [this_image(); 20]);
    ///     async_scope(|scope| {
    ///         for image in 0..num_images() {
    ///             drop(rows.at(image)[me].put_from_async(&row, scope)); // the scope waits for all
    ///         }
    ///     });
    ///     assert_eq!(rows.at(2)[me][19].get(), me);
    /// });
    /// ```
    ///
    /// # Source
    /// `put_cofuture(&y)`, *Coarray C++* section 7.
    #[track_caller]
    pub fn put_from_async<'a, 'scope>(
        &'a self,
        source: &'scope T,
        _scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        A: MayPut,
    {
        if self.is_direct() {
            self.put_from(source);
            return Cofuture::complete(Ok(()));
        }
        const { T::Item::CHECK };
        self.check_extent(source.extent());
        let buffer = Buffer::Lent(ptr::from_ref(source).cast_mut().cast(), self.bytes());
        // SAFETY: the source is as long as the place, and borrowed until the end of the scope, which completes the operation. A
        // put only reads its buffer, so the cast to `*mut` is never written through.
        let issued = unsafe { issue_put(self, buffer) };
        Cofuture::in_flight(InFlight::new(issued, |_| Ok(())))
    }
}
