//! Posts to the events of other images, alone or together with data.

use std::panic::Location;

use coarray_coref::{Access, Coref, LocalOrRemote, MayPut, Region, Remote, Shape};
use coarray_fabric::{
    Deferral, Place, SignalOperation, attribute_notified, has_outstanding, has_outstanding_or_notes,
};
use coarray_runtime::{
    Class, Eventcount, Image, Posted, count_operations, note_post, quiet, quiet_before_post,
};

use crate::coevent::{Coevent, posts_left};
use crate::fence::complete_on;

/// The signal that posts an event on another node.
pub(crate) const POST: SignalOperation = SignalOperation::Add(1);

/// The operations of a [`Coevent`] on a coref to one. Only the image that has the event waits for it.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(3, || {
///     let token = Coarray::new(Coevent::new());
///     if this_image() > 0 {
///         token.wait();
///     }
///     token.at((this_image() + 1) % num_images()).post();
///     if this_image() == 0 {
///         token.wait(); // it has been everywhere
///     }
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 6.2; Fortran 2018 `event post`, clause 11.6.7.
pub trait CoeventPlace {
    /// One-sided. Posts the event. What this image wrote or put before is visible to the image whose wait
    /// consumes the post.
    ///
    /// # Examples
    /// See [`CoeventPlace`].
    ///
    /// # Source
    /// Fortran 2018 `event post`, clause 11.6.7.
    #[track_caller]
    fn post(&self);

    /// One-sided. How many posts wait to be consumed.
    ///
    /// # Examples
    /// A producer that stays at most three posts ahead:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let ready = Coarray::new(Coevent::new());
    ///     for _ in 0..10 {
    ///         if this_image() == 0 {
    ///             while ready.at(1).query() >= 3 {
    ///                 std::thread::yield_now();
    ///             }
    ///             ready.at(1).post();
    ///         } else {
    ///             ready.wait();
    ///         }
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `event_query`, clause 16.9.72, which is for an image's own events only.
    #[must_use]
    fn query(&self) -> u64;

    #[doc(hidden)]
    fn wait(&self)
    where
        Self: OnThisImage,
    {
        self.never()
    }
}

/// Of no place: the image that an event is on waits for it. Instead of saying that there is no `wait`, the compiler says why.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an image waits for its own events only",
    label = "this is the event of an image that is named: only that image can wait for it",
    note = "the image waits with `events.wait()`, and the others post with `events.at(image).post()`",
    note = "to look how many posts there are on another image: `events.at(image).query()`"
)]
pub trait OnThisImage {
    fn never(&self) -> !;
}

impl CoeventPlace for Coref<Coevent> {
    #[inline]
    #[track_caller]
    fn post(&self) {
        match self.locate() {
            LocalOrRemote::Local(event) => {
                if !self.is_direct() {
                    count_post(self.local_address());
                }
                event.raise();
            }
            LocalOrRemote::Remote(event) => {
                quiet_before_post(|_| Some(event));
                signal(event, Some(Location::caller()));
            }
        }
    }

    #[inline]
    fn query(&self) -> u64 {
        match self.locate() {
            LocalOrRemote::Local(event) => event.query(),
            LocalOrRemote::Remote(event) => query_remote(event),
        }
    }
}

/// Posts an event on another node, after this image's puts to that image. In a job that counts it is counted for a line.
#[cold]
#[inline(never)]
fn signal(event: Place, counted: Option<&'static Location<'static>>) {
    let offset = event.offset + Coevent::SIGNALS;
    // The signal may complete puts: their wakers, which may change the team, run when this image is no longer borrowed.
    let _deferral = Deferral::new();
    Image::with_current(|image| {
        if let Some(caller) = counted {
            image.count_operations_at(event, Class::Post, caller, size_of::<u64>(), 1);
        }
        // SAFETY: it is the signal word of the event, which only signals change. It is allocated when the signal arrives: the coarray
        // is borrowed now, and its memory is freed only after a barrier with this image, which completes signals first.
        unsafe { image.fabric().signal(event.image, offset, POST) }
    });
}

/// Counts a post, in a job that counts.
#[cold]
#[track_caller]
fn count_post(event: usize) {
    count_operations(Class::Post, Location::caller(), event, size_of::<u64>(), 1);
}

/// Posts an event after this image's puts to the image that it is on.
#[inline]
#[track_caller]
fn post_after_puts(event: &Coref<Coevent>) {
    // One branch to all that is rare: the compiler then inlines the rest.
    if event.is_direct()
        && !has_outstanding_or_notes()
        && let Some(local) = event.as_local()
    {
        local.raise_unordered();
    } else {
        complete_and_post(event, Location::caller());
    }
}

#[cold]
#[inline(never)]
fn complete_and_post(event: &Coref<Coevent>, caller: &'static Location<'static>) {
    match event.locate() {
        LocalOrRemote::Local(local) => {
            if has_outstanding() {
                complete_on(event.image());
            }
            note_post(|image| local.locate(image), Posted::PutsThere, caller);
            if !local.raise_in_flight() {
                local.raise_unordered();
            }
        }
        LocalOrRemote::Remote(event) => signal(event, None),
    }
}

/// Puts a value to a place that is not mapped, and posts an event of the image that it is on. Takes the value as it comes: the caller, which stores
/// to direct places, need not give it an address.
#[cold]
#[inline(never)]
#[track_caller]
fn send_and_post<T: Remote, B: MayPut>(place: &Coref<T, B>, value: T, event: &Coref<Coevent>) {
    send_from_and_post(place, &value, event);
}

/// As [`send_and_post`], of what has the shape of the place.
#[cold]
#[inline(never)]
#[track_caller]
fn send_from_and_post<T, B: MayPut>(place: &Coref<T, B>, source: &T, event: &Coref<Coevent>)
where
    T: ?Sized + Shape<Item: Remote>,
{
    let _notifies = attribute_notified(Location::caller());
    match event.locate() {
        // This image's own, in a job where the fabric reaches all others.
        LocalOrRemote::Local(_) => {
            place.put_from(source);
            complete_and_post(event, Location::caller());
        }
        LocalOrRemote::Remote(event) => {
            // A waker of a put that this completes may panic: it runs when the event is posted.
            let _deferral = Deferral::new();
            // SAFETY: it is the signal word of the event, as in `signal`, and the event is on the image of the place, as both callers have checked.
            unsafe { place.put_signal(source, event.offset + Coevent::SIGNALS, POST) }
        }
    }
}

/// How many posts wait to be consumed, of an event on another node.
#[cold]
fn query_remote(event: Place) -> u64 {
    let image = Image::current();
    image.poll_throttled();
    // Completes this image's own posts, so that they are counted.
    quiet();
    let get = |offset: usize| {
        let mut word = [0; 8];
        let offset = event.offset + offset;
        // SAFETY: `word` is valid for writes of its length. The source is an atomic word of the event, to which nobody holds
        // an exclusive reference.
        unsafe {
            image
                .fabric()
                .get(event.image, offset, word.as_mut_ptr(), word.len());
        }
        u64::from_ne_bytes(word)
    };
    let consumed = || get(Coevent::CONSUMED);
    posts_left(consumed, || {
        Eventcount::count_in(get(Coevent::POSTS)) + get(Coevent::SIGNALS)
    })
}

/// Puts that post an event on the target image when they have arrived.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut rows = Coarray::<[[f64; 100]; 2]>::zeroed();
///     let arrived = Coarray::new(Coevent::new());
///     let rows = rows.open();
///     let other = rows.at(1 - this_image());
///     other[0].put_from_notify(&[1.5; 100], arrived.at(1 - this_image()));
///     other[1][99].put_notify(2.5, arrived.at(1 - this_image()));
///     arrived.wait_for(2);
///     assert_eq!((rows.here()[0].get(), rows.here()[1][99].get()), ([1.5; 100], 2.5));
/// });
/// ```
///
/// # Source
/// `shmem_put_signal`, OpenSHMEM 1.5 section 9.8; `put_notify` of GASPI.
pub trait PutNotify<T: ?Sized> {
    /// One-sided. Stores `value` in the place and posts `event`, which is on the same image. The wait that consumes the
    /// post sees the value.
    ///
    /// # Panics
    /// If `event` is on another image.
    ///
    /// # Examples
    /// See [`PutNotify`].
    fn put_notify(&self, value: T, event: &Coref<Coevent>)
    where
        T: Remote;

    /// One-sided. Stores `source`, which has the same shape, in the whole place and posts `event`, which is on
    /// the same image. The wait that consumes the post sees all values.
    ///
    /// # Panics
    /// If `event` is on another image, or if the leading extents, where they are known only at run time,
    /// differ; then nothing is stored and nothing posted.
    ///
    /// # Examples
    /// See [`PutNotify`].
    fn put_from_notify(&self, source: &T, event: &Coref<Coevent>)
    where
        T: Shape<Item: Remote>;
}

impl<T: ?Sized, B: MayPut> PutNotify<T> for Coref<T, B> {
    #[inline]
    #[track_caller]
    fn put_notify(&self, value: T, event: &Coref<Coevent>)
    where
        T: Remote,
    {
        check_image(self, event);
        if self.is_direct() {
            self.put(value);
            post_after_puts(event);
        } else {
            send_and_post(self, value, event);
        }
    }

    #[inline]
    #[track_caller]
    fn put_from_notify(&self, source: &T, event: &Coref<Coevent>)
    where
        T: Shape<Item: Remote>,
    {
        check_image(self, event);
        if self.is_direct() {
            self.put_from(source);
            post_after_puts(event);
        } else {
            send_from_and_post(self, source, event);
        }
    }
}

/// [`put_from_notify`](PutNotify::put_from_notify) of a region, from its items in row order.
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut plane = Coarray::<[[f64; 4]; 3]>::zeroed();
///     let arrived = Coarray::new(Coevent::new());
///     let plane = plane.open();
///     let (other, column) = (1 - this_image(), [0.5, 1.5, 2.5]);
///     plane.at(other).region((.., 3)).put_from_notify(&column, arrived.at(other));
///     arrived.wait();
///     assert_eq!(plane.here().column(3).to_vec(), column);
/// });
/// ```
impl<T: Remote, const D: usize, B: MayPut> PutNotify<[T]> for Region<'_, T, D, B> {
    /// Never called: a slice is no value by itself.
    #[track_caller]
    fn put_notify(&self, value: [T], event: &Coref<Coevent>)
    where
        [T]: Remote,
    {
        put_region(self, &value, event);
    }

    #[track_caller]
    fn put_from_notify(&self, source: &[T], event: &Coref<Coevent>) {
        put_region(self, source, event);
    }
}

#[track_caller]
fn put_region<T: Remote, const D: usize, B: MayPut>(
    region: &Region<'_, T, D, B>,
    source: &[T],
    event: &Coref<Coevent>,
) {
    check_image(region.beside(), event);
    // A waker of a put that this completes may panic: it runs when the event is posted.
    let _deferral = (!region.beside().is_direct()).then(Deferral::new);
    let caller = Location::caller();
    let _notifies = (!region.beside().is_direct()).then(|| attribute_notified(caller));
    region.put_from(source);
    post_after_puts(event);
}

#[inline]
#[track_caller]
pub(crate) fn check_image<T: ?Sized, B: Access>(place: &Coref<T, B>, event: &Coref<Coevent>) {
    if !place.is_beside(event) {
        wrong_image(place.image(), event.image());
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn wrong_image(place: usize, event: usize) -> ! {
    panic!(
        "the data go to image {place}, but the event is on image {event}: a put with notification needs the event \
         of the image that gets the data"
    )
}
