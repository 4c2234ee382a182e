//! Gets, puts and collectives that go on while the image computes.
//!
//! A [`Cofuture`] is complete from the start (a direct place), waits for a request of the fabric, or stands for a
//! nonblocking collective, which `coarray-collectives` implements.

mod map;
mod or_failed;

use std::fmt;
use std::mem::{self, MaybeUninit};
use std::pin::Pin;
use std::ptr;
use std::rc::Rc;
use std::slice;
use std::task::{Context, Poll, Waker};

use coarray_fabric::system::controlled;
use coarray_fabric::{Buffer, Request, direct};
use coarray_runtime::{Image, Incomplete, Missing};

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::thread::LeavesItsThread;
use crate::transfer::{Issued, Torn, checked, issue_get, issue_put};

/// The completion of an operation that this image has issued, and its result.
///
/// [`wait`](Self::wait) for it, ask [whether it is ready](Self::is_ready), or `await` it in any executor. On
/// directly mapped places the operation is complete at once, and costs no more than the blocking one.
///
/// An operation that nobody waits for completes all the same: at the next `fence` of its image, at `quiet` or `image_fence`,
/// at the next barrier, and before the phase ends. A cofuture may thus be dropped, even leaked, and nothing is ever written
/// to memory that is gone.
///
/// # Collectives
/// The `_async` collectives return a cofuture, too. The other images can read an image's contribution from the call on,
/// without any of the operations above. An image that drops its cofuture does not get the result, and holds nobody up. If
/// an image fails, or comes to the end of the program, before it has contributed, the job ends with a report when this
/// image next waits, asks or polls. With [`or_failed`](Self::or_failed) failed images are an error instead.
///
/// # Wakers
/// A task that awaits a transfer is woken at the end of the operation that completes the transfer, on the same thread. If a
/// waker panics, that operation panics after it has woken the others.
///
/// A task that awaits a collective or posts of an event is polled again at once for a while, and then woken when it is complete, maybe
/// on a thread of the library. If it can never be complete, and the executor has parked the image's thread for
/// good, that is a deadlock, which is reported.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::<[i32; 20]>::zeroed();
///     let x = x.open();
///     let place = &x.at(1 - this_image())[3];
///     let stored = place.put_async(42);
///     let fetched = place.get_async(); // of the same place: in this order
///     // ... compute something ...
///     assert_eq!(fetched.wait(), 42);
///     stored.wait();
/// });
/// ```
///
/// # Source
/// `cofuture`, *Coarray C++* section 7.
#[must_use = "the operation completes at the latest when the phase ends; `wait` for it to use its result"]
pub struct Cofuture<'a, T> {
    state: State<'a, T>,
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: LeavesItsThread> Send for Cofuture<'_, T> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: LeavesItsThread> Sync for Cofuture<'_, T> {}

enum State<'a, T> {
    Complete(Result<T, Torn>),
    /// In a box, so that the compiler keeps the other states in registers.
    InFlight(Box<InFlight<'a, T>>),
    Collective(Box<dyn Collective<T> + 'a>),
    Taken,
}

/// An operation that depends on other images: a nonblocking collective that the image has called, or a wait for posts.
#[doc(hidden)]
pub trait Collective<T> {
    /// The first contribution that the result needs and that is not there; none if the collective is complete. If the job has
    /// ended, this image unwinds.
    ///
    /// # Errors
    /// If the image that is to make it has failed.
    fn missing(&self) -> Result<Option<Missing<'_>>, Incomplete>;

    /// Waits for the contributions that the result needs, and computes it.
    ///
    /// # Errors
    /// As [`missing`](Self::missing).
    fn finish(self: Box<Self>) -> Result<T, Incomplete>;
}

/// A get or put in flight.
pub(crate) struct InFlight<'a, T> {
    issued: Issued,
    deliver: Deliver<'a, T>,
}

/// Makes the result from the buffer that the operation has filled or read.
type Deliver<'a, T> = Box<dyn FnOnce(Buffer) -> Result<T, Torn> + 'a>;

impl<'a, T> InFlight<'a, T> {
    pub(crate) fn new(
        issued: Issued,
        deliver: impl FnOnce(Buffer) -> Result<T, Torn> + 'a,
    ) -> Box<Self> {
        Box::new(Self {
            issued,
            deliver: Box::new(deliver),
        })
    }

    #[cold]
    #[inline(never)]
    #[expect(
        clippy::boxed_local,
        reason = "the caller passes one register, not six words"
    )]
    fn finish(mut self: Box<Self>) -> Result<T, Torn> {
        let request = &mut self.issued.request;
        self.issued.image.wait_for(request);
        match request.take() {
            Some(buffer) => (self.deliver)(buffer),
            None => unreachable!("the result of a request is taken with the request"),
        }
    }

    /// Whether the operation is complete. If not, `waker` is woken when there is a reason to poll again.
    fn poll(&mut self, waker: &Waker) -> bool {
        let Issued { image, request } = &mut self.issued;
        if request.register(waker) {
            return true;
        }
        let needs_polling = image.progress();
        if needs_polling && !request.is_complete() {
            waker.wake_by_ref();
        }
        false
    }
}

impl<'a, T> Cofuture<'a, T> {
    /// The cofuture of an operation that is complete.
    #[inline]
    pub(crate) fn complete(result: Result<T, Torn>) -> Self {
        Self {
            state: State::Complete(result),
        }
    }

    /// The cofuture of an operation that is complete.
    #[doc(hidden)]
    #[inline]
    pub fn ready(result: T) -> Self {
        Self::complete(Ok(result))
    }

    /// The cofuture of a get or put in flight.
    #[inline]
    pub(crate) fn in_flight(transfer: Box<InFlight<'a, T>>) -> Self {
        Self {
            state: State::InFlight(transfer),
        }
    }

    /// The cofuture of an operation that `image`, this thread's, has issued; `deliver` makes the result when that is complete.
    #[doc(hidden)]
    pub fn issued(
        (image, request): (Rc<Image>, Request),
        deliver: impl FnOnce(Buffer) -> T + 'a,
    ) -> Self {
        let issued = Issued { image, request };
        Self::in_flight(InFlight::new(issued, |buffer| Ok(deliver(buffer))))
    }

    /// The cofuture of an operation that depends on other images.
    #[doc(hidden)]
    pub fn collective(collective: Box<dyn Collective<T> + 'a>) -> Self {
        Self {
            state: State::Collective(collective),
        }
    }

    /// Local. Waits until the operation is complete; returns what it fetched.
    ///
    /// Only this operation, and those before it on the same image, need to be complete. A collective applies its operator
    /// here, or in the last `poll`.
    ///
    /// # Panics
    /// If the bytes that arrived are no valid value, which can happen only if images wrote to the place at the
    /// same time; or if the result was already taken by polling.
    ///
    /// # Examples
    /// See [`Cofuture`].
    ///
    /// # Source
    /// `wait()`, *Coarray C++* section 7.
    #[inline]
    #[track_caller]
    pub fn wait(self) -> T {
        let result = match self.state {
            State::Complete(result) => result,
            State::InFlight(transfer) => transfer.finish(),
            State::Collective(collective) => Ok(or_end_job(collective.finish())),
            State::Taken => taken(),
        };
        match result {
            Ok(value) => value,
            Err(torn) => torn.report(),
        }
    }

    /// Local. Whether the operation is complete, so that [`wait`](Self::wait) would return at once; makes some
    /// progress if it is not.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::co_sum_async;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let sum = co_sum_async(1u64);
    ///     let mut computed = 0;
    ///     while !sum.is_ready() {
    ///         computed += 1; // a piece of other work
    ///         # std::thread::yield_now();
    ///     }
    ///     assert_eq!(sum.wait(), 2);
    ///     # let _ = computed;
    /// });
    /// ```
    ///
    /// # Source
    /// `std::future::wait_for` of C++11 with no time; `MPI_Test`, MPI 3.1 section 3.7.3.
    #[inline]
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_complete() || {
            self.progress();
            self.is_complete()
        }
    }

    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        match &self.state {
            State::InFlight(transfer) => transfer.issued.request.is_complete(),
            State::Collective(collective) => or_end_job(collective.missing()).is_none(),
            State::Complete(_) | State::Taken => true,
        }
    }

    /// Makes progress with the operations that its image has issued. Returns false if progress depends on other images.
    pub(crate) fn progress(&self) -> bool {
        match &self.state {
            State::InFlight(transfer) => {
                transfer.issued.image.progress();
            }
            State::Collective(_) => controlled::looked_in_vain(),
            State::Complete(_) | State::Taken => {}
        }
        !matches!(self.state, State::Collective(_))
    }

    /// The contribution that it waits for, if progress depends on other images.
    pub(crate) fn missing(&self) -> Option<Missing<'_>> {
        match &self.state {
            State::Collective(collective) => or_end_job(collective.missing()),
            _ => None,
        }
    }
}

fn or_end_job<R>(result: Result<R, Incomplete>) -> R {
    result.unwrap_or_else(|incomplete| incomplete.end_job())
}

#[cold]
#[inline(never)]
#[track_caller]
fn taken() -> ! {
    panic!("this cofuture was polled until it was ready, and has no second result")
}

impl<T> Unpin for Cofuture<'_, T> {}

impl<T> Future for Cofuture<'_, T> {
    type Output = T;

    /// # Panics
    /// As [`wait`](Cofuture::wait).
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = self.get_mut();
        let is_pending = match &mut this.state {
            State::InFlight(transfer) => !transfer.poll(context.waker()),
            State::Collective(collective) => {
                let missing = or_end_job(collective.missing());
                if let Some(missing) = &missing {
                    missing.wake(context.waker());
                }
                missing.is_some()
            }
            State::Complete(_) | State::Taken => false,
        };
        if is_pending {
            return Poll::Pending;
        }
        let state = mem::replace(&mut this.state, State::Taken);
        Poll::Ready(Cofuture { state }.wait())
    }
}

impl<T> fmt::Debug for Cofuture<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match &self.state {
            State::Taken => "Cofuture(taken)",
            _ if self.is_complete() => "Cofuture(ready)",
            _ => "Cofuture(in flight)",
        })
    }
}

impl<T: Remote, A: Access> Coref<T, A> {
    /// One-sided. Begins to fetch the value; see [`Cofuture`].
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new(this_image());
    ///     let x = x.open();
    ///     let (one, other) = (x.at(1).get_async(), x.at(2).get_async()); // both at once
    ///     assert_eq!(one.wait() + other.wait(), 3);
    /// });
    /// ```
    ///
    /// # Source
    /// `get_cofuture()`, *Coarray C++* section 7.
    #[inline]
    #[track_caller]
    pub fn get_async(&self) -> Cofuture<'_, T> {
        const { T::CHECK };
        if self.is_direct() {
            // SAFETY: aligned for `T` and valid for atomic reads: the contract of `Coref::new` says that the place is allocated
            // and mapped while `self` lives, and that nobody holds an exclusive reference to it.
            let value = unsafe { direct::load(self.pointer().cast::<T>()) };
            // SAFETY: all bytes are initialised: they come from the place of a `T`, which has no padding.
            return Cofuture::complete(unsafe { checked(value, self.image()) });
        }
        Cofuture::in_flight(issue_value_get(self))
    }

    /// One-sided. Begins to store `value` in the place; see [`Cofuture`].
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::CofutureSet;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let mut x = Coarray::<[usize; 4]>::zeroed();
    ///     let x = x.open();
    ///     let me = this_image();
    ///     let puts: CofutureSet<()> = (0..4).map(|image| x.at(image)[me].put_async(10 * me)).collect();
    ///     puts.wait_all();
    ///     assert_eq!(x.at(2)[me].get(), 10 * me);
    /// });
    /// ```
    ///
    /// # Source
    /// `put_cofuture()`, *Coarray C++* section 7.
    #[inline]
    #[track_caller]
    pub fn put_async(&self, value: T) -> Cofuture<'_, ()>
    where
        A: MayPut,
    {
        const { T::CHECK };
        if self.is_direct() {
            self.put(value);
            return Cofuture::complete(Ok(()));
        }
        Cofuture::in_flight(issue_value_put(self, value))
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn issue_value_get<T: Remote, A: Access>(place: &Coref<T, A>) -> Box<InFlight<'_, T>> {
    let image = place.image();
    // SAFETY: the request owns the buffer, which is as long as the place.
    let issued = unsafe { issue_get(place, Buffer::with_length(size_of::<T>())) };
    InFlight::new(issued, move |mut buffer| {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: `buffer` is valid for reads of `size_of::<T>()` bytes, its length, and `value` for writes of them; the two
        // are different memory.
        unsafe {
            ptr::copy_nonoverlapping(buffer.start(), value.as_mut_ptr().cast(), size_of::<T>())
        };
        // SAFETY: all bytes are initialised: they were just copied from the buffer, which is.
        unsafe { checked(value, image) }
    })
}

#[cold]
#[inline(never)]
#[track_caller]
fn issue_value_put<T: Remote, A: MayPut>(place: &Coref<T, A>, value: T) -> Box<InFlight<'_, ()>> {
    // SAFETY: `value` is valid for reads of `size_of::<T>()` bytes, all initialised: a `Remote` type has no padding. Nobody
    // writes to it while `bytes` lives.
    let bytes = unsafe { slice::from_raw_parts(ptr::from_ref(&value).cast(), size_of::<T>()) };
    // SAFETY: the request owns the buffer, which is as long as the place.
    let issued = unsafe { issue_put(place, Buffer::Owned(bytes.into())) };
    InFlight::new(issued, |_| Ok(()))
}
