//! Gets and puts that go on while the image computes.

use std::fmt;
use std::mem::{self, MaybeUninit};
use std::pin::Pin;
use std::ptr;
use std::slice;
use std::task::{Context, Poll, Waker};

use coarray_fabric::{Buffer, direct};
use coarray_runtime::Missing;

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::thread::LeavesItsThread;
use crate::transfer::{Issued, Torn, checked, issue_get, issue_put};

/// The end of an operation that this image has issued, and its result.
///
/// [`wait`](Self::wait) for it, ask [whether it is ready](Self::is_ready), or `await` it in any executor. On
/// directly mapped places the operation is complete at once, and costs no more than the blocking one.
///
/// An operation that nobody waits for completes all the same: at the next
/// `fence` of its image, at `quiet` or `image_fence`, when images next meet, and before the phase ends. A
/// cofuture may thus be dropped, even leaked, and nothing is ever written to memory that is gone.
///
/// A cofuture is also what the `_async` collectives return. What an image contributes to one is there for the others
/// from the call on, so that nothing of the above is needed to complete it; whoever drops its cofuture does not get
/// the result, and holds nobody up. If an image that owes a contribution has failed, or has come to the end of the program, the job ends
/// with a report when the image next waits, asks or polls. Where it is awaited, its task is polled again at once for a while, and then woken when it is
/// complete; if it never can be, and the executor has parked the image's thread for good, that is a deadlock, which is reported.
///
/// The waker of a task that awaits a transfer is woken when the operation that completes it, on the same thread, is over. If a waker
/// panics, so does that operation, when the others have been woken. That of a task that awaits a collective may be woken on a thread of the
/// library's.
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
    Arrived(Result<T, Torn>),
    /// In a box, so that the compiler keeps what has arrived in registers.
    Underway(Box<Underway<'a, T>>),
    Collective(Box<dyn Collective<T> + 'a>),
    Taken,
}

/// A collective operation that the image has begun.
#[doc(hidden)]
pub trait Collective<T> {
    /// The first of the contributions of other images that it needs and that has not come; none if it is complete. If an
    /// image has failed that owes one, or the job has ended, the image unwinds.
    fn lack(&self) -> Option<Missing<'_>>;

    /// Waits for what it needs, and makes the result of it.
    fn land(self: Box<Self>) -> T;
}

pub(crate) struct Underway<'a, T> {
    issued: Issued,
    arrival: Arrival<'a, T>,
}

/// Makes the result of what the operation read or filled.
type Arrival<'a, T> = Box<dyn FnOnce(Buffer) -> Result<T, Torn> + 'a>;

impl<'a, T> Underway<'a, T> {
    pub(crate) fn new(
        issued: Issued,
        arrival: impl FnOnce(Buffer) -> Result<T, Torn> + 'a,
    ) -> Box<Self> {
        Box::new(Self {
            issued,
            arrival: Box::new(arrival),
        })
    }

    #[cold]
    #[inline(never)]
    #[expect(
        clippy::boxed_local,
        reason = "who calls this has one register to pass, not six words"
    )]
    fn land(mut self: Box<Self>) -> Result<T, Torn> {
        let request = &mut self.issued.request;
        self.issued.image.fabric().wait(request);
        match request.take() {
            Some(buffer) => (self.arrival)(buffer),
            None => unreachable!("the result of a request is taken with the request"),
        }
    }

    /// Whether the operation is complete; if not, `waker` will be woken when there is a reason to ask again.
    fn poll(&mut self, waker: &Waker) -> bool {
        let Issued { image, request } = &mut self.issued;
        if request.register(waker) {
            return true;
        }
        let needs_polling = image.fabric().progress();
        if needs_polling && !request.is_complete() {
            waker.wake_by_ref();
        }
        false
    }
}

impl<'a, T> Cofuture<'a, T> {
    /// The end of an operation that is complete.
    #[inline]
    pub(crate) fn arrived(result: Result<T, Torn>) -> Self {
        Self {
            state: State::Arrived(result),
        }
    }

    /// The end of an operation on its way.
    #[inline]
    pub(crate) fn underway(underway: Box<Underway<'a, T>>) -> Self {
        Self {
            state: State::Underway(underway),
        }
    }

    /// The end of a collective operation that this image has begun.
    #[doc(hidden)]
    pub fn collective(collective: Box<dyn Collective<T> + 'a>) -> Self {
        Self {
            state: State::Collective(collective),
        }
    }

    /// Local. Waits until the operation is complete; returns what it fetched.
    ///
    /// Only this operation, and those before it on the same image, need to be complete. The function with which a
    /// collective joins values is applied here, or in the last `poll`.
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
            State::Arrived(result) => result,
            State::Underway(underway) => underway.land(),
            State::Collective(collective) => Ok(collective.land()),
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
            State::Underway(underway) => underway.issued.request.is_complete(),
            State::Collective(collective) => collective.lack().is_none(),
            State::Arrived(_) | State::Taken => true,
        }
    }

    /// Carries on with what its image has issued. Returns false if progress is up to other images.
    pub(crate) fn progress(&self) -> bool {
        if let State::Underway(underway) = &self.state {
            underway.issued.image.fabric().progress();
        }
        !matches!(self.state, State::Collective(_))
    }

    /// What it waits for, if progress is up to other images.
    pub(crate) fn lack(&self) -> Option<Missing<'_>> {
        match &self.state {
            State::Collective(collective) => collective.lack(),
            _ => None,
        }
    }
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
            State::Underway(underway) => !underway.poll(context.waker()),
            State::Collective(collective) => {
                let lack = collective.lack();
                if let Some(lack) = &lack {
                    lack.wake(context.waker());
                }
                lack.is_some()
            }
            State::Arrived(_) | State::Taken => false,
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
            _ => "Cofuture(underway)",
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
    pub fn get_async(&self) -> Cofuture<'_, T> {
        const { T::CHECK };
        if self.is_direct() {
            // SAFETY: as in `get`.
            let value = unsafe { direct::load(self.pointer().cast::<T>()) };
            // SAFETY: copied from the place of a `T`, which has no padding, so that all bytes are initialised.
            return Cofuture::arrived(unsafe { checked(value, self.image()) });
        }
        Cofuture::underway(get_later(self))
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
    pub fn put_async(&self, value: T) -> Cofuture<'_, ()>
    where
        A: MayPut,
    {
        const { T::CHECK };
        if self.is_direct() {
            self.put(value);
            return Cofuture::arrived(Ok(()));
        }
        Cofuture::underway(put_later(self, value))
    }
}

#[cold]
#[inline(never)]
fn get_later<T: Remote, A: Access>(place: &Coref<T, A>) -> Box<Underway<'_, T>> {
    let image = place.image();
    // SAFETY: the buffer belongs to the operation, and is as long as the place.
    let issued = unsafe { issue_get(place, Buffer::with_length(size_of::<T>())) };
    Underway::new(issued, move |mut buffer| {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the operation filled a buffer of this length.
        unsafe {
            ptr::copy_nonoverlapping(buffer.start(), value.as_mut_ptr().cast(), size_of::<T>())
        };
        // SAFETY: all bytes were just copied from the buffer, which is initialised.
        unsafe { checked(value, image) }
    })
}

#[cold]
#[inline(never)]
fn put_later<T: Remote, A: MayPut>(place: &Coref<T, A>, value: T) -> Box<Underway<'_, ()>> {
    // SAFETY: a `Remote` value has no padding, so that all its bytes are initialised.
    let bytes = unsafe { slice::from_raw_parts(ptr::from_ref(&value).cast(), size_of::<T>()) };
    // SAFETY: the buffer belongs to the operation, and is as long as the place.
    let issued = unsafe { issue_put(place, Buffer::Owned(bytes.into())) };
    Underway::new(issued, |_| Ok(()))
}
