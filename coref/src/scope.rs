//! Asynchronous gets and puts of whole arrays, with buffers that the caller keeps.

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
use crate::cofuture::{Cofuture, Underway};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::{Shape, elements_in};
use crate::transfer::{Torn, issue_get, issue_put};

/// Local. Lets operations borrow buffers: all that is issued with the scope is complete when this returns.
///
/// That holds also if `body` panics, and for operations whose [`Cofuture`] was dropped or leaked: their
/// buffers are filled all the same. Operations of the image outside of the scope are complete, too.
///
/// # Panics
/// On a thread that is not an image; as `body` does; or if bytes that arrived, waited for or not, are no valid
/// values, which can happen only if images wrote to the place at the same time.
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
///         drop(there[17..].get_into_async(&mut right[..], scope)); // to be had when the scope ends
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

/// What operations borrow buffers from; see [`async_scope`].
///
/// # Examples
/// A function that begins what the scope of its caller completes:
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
    /// What arrives by way of other memory, because it needs a check.
    staged: RefCell<Vec<Rc<dyn Delivery>>>,
    /// The last bytes that were no valid value.
    torn: Cell<Option<Torn>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl AsyncScope<'_, '_> {
    /// Delivers everything that has arrived.
    ///
    /// # Errors
    /// If any bytes were no valid value, now or before.
    fn deliver(&self) -> Result<(), Torn> {
        for staged in self.staged.take() {
            // What is torn is kept, and reported when everything else has been delivered.
            let _ = self.note(staged.deliver());
        }
        self.torn.get().map_or(Ok(()), Err)
    }

    /// Keeps an error for the end of the scope, in case nobody waits for it.
    fn note(&self, delivered: Result<(), Torn>) -> Result<(), Torn> {
        if let Err(torn) = delivered {
            self.torn.set(Some(torn));
        }
        delivered
    }
}

impl fmt::Debug for AsyncScope<'_, '_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AsyncScope").finish_non_exhaustive()
    }
}

/// Elements that arrive in memory of their own.
trait Delivery {
    /// Brings them where they belong, unless that was done before. They have all arrived.
    fn deliver(&self) -> Result<(), Torn>;
}

struct Staged<E> {
    image: usize,
    /// As many as there is room for; none once they were delivered. Other than a box, a vector can be moved
    /// while the fabric fills it.
    elements: Cell<Vec<MaybeUninit<E>>>,
    target: *mut E,
}

impl<E: Remote> Delivery for Staged<E> {
    fn deliver(&self) -> Result<(), Torn> {
        let elements = self.elements.take();
        // SAFETY: the elements have arrived. The target is borrowed for the scope, and has room for all; who
        // issued the operation gets it back only after a delivery.
        unsafe { write_checked(&elements, self.target, self.image) }
    }
}

impl<T, A: Access> Coref<T, A>
where
    T: ?Sized + Shape<Item: Remote>,
{
    /// One-sided. Begins to fetch the whole place into `target`, which has the same shape, and is borrowed until
    /// the scope ends. Who waits gets it back earlier.
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
            // SAFETY: the target is as long as the place.
            let arrived = unsafe { self.get_elements(target.elements_mut().as_mut_ptr()) };
            return Cofuture::arrived(scope.note(arrived).map(|()| target));
        }
        if <T::Item>::ANY_BITS {
            let target = ptr::from_mut(target);
            let buffer = Buffer::Lent(target.cast(), self.bytes());
            // SAFETY: the target is borrowed until the end of the scope, which completes the operation.
            let issued = unsafe { issue_get(self, buffer) };
            // SAFETY: the operation is complete, and any bytes are valid; the target is borrowed for `'scope`,
            // and used for this operation only.
            let underway = Underway::new(issued, move |_| Ok(unsafe { &mut *target }));
            return Cofuture::underway(underway);
        }
        self.get_staged(target, scope)
    }

    fn get_staged<'a, 'scope>(
        &'a self,
        target: &'scope mut T,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, &'scope mut T> {
        let count = self.leading_extent() * elements_in::<T::Item>();
        let mut elements = vec![MaybeUninit::<Element<T>>::uninit(); count];
        let buffer = Buffer::Lent(elements.as_mut_ptr().cast(), self.bytes());
        let target = ptr::from_mut(target);
        let staged = Rc::new(Staged {
            image: self.image(),
            elements: Cell::new(elements),
            target: target.cast(),
        });
        scope.staged.borrow_mut().push(Rc::clone(&staged) as _);
        // SAFETY: the scope keeps the elements until it ends, which completes the operation, or until the
        // delivery, which comes later.
        let issued = unsafe { issue_get(self, buffer) };
        Cofuture::underway(Underway::new(issued, move |_| {
            scope.note(staged.deliver())?;
            // SAFETY: the target is borrowed for `'scope`, and used for this operation only, which was delivered.
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
            return Cofuture::arrived(Ok(()));
        }
        const { T::Item::CHECK };
        self.check_extent(source.extent());
        let buffer = Buffer::Lent(ptr::from_ref(source).cast_mut().cast(), self.bytes());
        // SAFETY: the source is borrowed until the end of the scope, which completes the operation; puts only
        // read their buffer.
        let issued = unsafe { issue_put(self, buffer) };
        Cofuture::underway(Underway::new(issued, |_| Ok(())))
    }
}
