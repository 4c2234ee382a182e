//! Puts in flight that post an event when they have arrived.

use coarray_coref::{AsyncScope, Cofuture, Coref, LocalOrRemote, MayPut, Region, Remote, Shape};
use coarray_fabric::has_notes;
use coarray_runtime::{begin_notified, end_notified, note_single_put};

use crate::coevent::Coevent;
use crate::coevent_place::{POST, PutNotify, check_image};

/// Puts that post an event on the target image when they have arrived, and that this image does not wait for.
///
/// Each completes its own transfer only: other puts in flight neither delay the post, nor are they completed for it. Where places are
/// direct, all is done at once. Otherwise the post goes out when the put is complete, and this image next makes progress: as it
/// [waits](Cofuture::wait) for the cofuture, polls it or asks whether it is ready, and at the latest in a `fence` of the image, in `quiet`, or when it
/// waits for anything else. `testing::Explore` has some puts and posts as late as that.
///
/// # Examples
/// Halves of a row travel while the next ones are computed:
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut row = Coarray::<[[f64; 50]; 2]>::zeroed();
///     let arrived = Coarray::<[Coevent; 2]>::from_fn(|_| Coevent::new());
///     let row = row.open();
///     let other = 1 - this_image();
///     for half in 0..2 {
///         let values = std::array::from_fn(|i| (50 * half + i) as f64); // computed
///         drop(row.at(other)[half].put_notify_async(values, &arrived.at(other)[half]));
///     }
///     arrived[1].wait(); // in any order
///     assert_eq!(row.here()[1][49].get(), 99.0);
///     arrived[0].wait();
///     assert_eq!(row.here()[0][49].get(), 49.0);
/// });
/// ```
///
/// # Source
/// `NOTIFY=` of image selectors, Fortran 2023; `shmem_put_signal_nbi`, OpenSHMEM 1.5 section 9.8; `gaspi_write_notify`, GASPI 17.1.
pub trait PutNotifyAsync<'a, T: ?Sized>: Copy {
    /// One-sided. Begins to store a copy of `value` in the place, and to post `event`, which is on the same image. The wait that consumes the
    /// post sees the value. The cofuture is ready when the event is posted.
    ///
    /// # Panics
    /// If `event` is on another image.
    ///
    /// # Examples
    /// See [`PutNotifyAsync`].
    ///
    /// # Source
    /// As [`PutNotifyAsync`].
    #[track_caller]
    fn put_notify_async(self, value: T, event: &Coref<Coevent>) -> Cofuture<'a, ()>
    where
        T: Remote;

    /// One-sided. Begins to store `source`, which has the same shape, in the whole place, and to post `event`, which is on the same image. The
    /// source is borrowed until the scope ends.
    ///
    /// # Panics
    /// If `event` is on another image, or if the leading extents, where they are known only at run time, differ; then nothing is stored and
    /// nothing posted.
    ///
    /// # Examples
    /// ```
    /// use coarray::asynchronous::async_scope;
    /// use coarray::events::PutNotifyAsync;
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut inbox = Coarray::<[u32]>::zeroed(1000);
    ///     let arrived = Coarray::new(Coevent::new());
    ///     let inbox = inbox.open();
    ///     let (other, values) = (1 - this_image(), vec![7; 1000]);
    ///     async_scope(|scope| {
    ///         let sent = inbox.at(other).put_from_notify_async(&values[..], arrived.at(other), scope);
    ///         // ... compute something ...
    ///         sent.wait();
    ///     });
    ///     arrived.wait();
    ///     assert_eq!(inbox.here()[999].get(), 7);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`PutNotifyAsync`].
    #[track_caller]
    fn put_from_notify_async<'scope>(
        self,
        source: &'scope T,
        event: &Coref<Coevent>,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        T: Shape<Item: Remote>;
}

/// While this lives, posts of notified puts announce the values of these only, whatever came before.
#[doc(hidden)]
#[derive(Debug)]
#[must_use]
pub struct Alone {
    is_noted: bool,
}

/// Says that in a job that is checked.
#[doc(hidden)]
#[inline]
pub fn announce_alone() -> Alone {
    let is_noted = has_notes();
    if is_noted {
        note_single_put(true);
    }
    Alone { is_noted }
}

impl Alone {
    /// As [`announce_alone`], of puts that may be late in an explored job, with their post.
    fn begin() -> Self {
        let alone = announce_alone();
        if alone.is_noted {
            begin_notified();
        }
        alone
    }

    /// The cofuture of what was put to an image since then.
    fn end<'a>(self, image: usize) -> Cofuture<'a, ()> {
        let late = self.is_noted.then(|| end_notified(image)).flatten();
        late.map_or(Cofuture::ready(()), |late| Cofuture::issued(late, drop))
    }
}

impl Drop for Alone {
    #[inline]
    fn drop(&mut self) {
        if self.is_noted {
            note_single_put(false);
        }
    }
}

impl<'a, T: ?Sized, B: MayPut> PutNotifyAsync<'a, T> for &'a Coref<T, B> {
    #[track_caller]
    fn put_notify_async(self, value: T, event: &Coref<Coevent>) -> Cofuture<'a, ()>
    where
        T: Remote,
    {
        check_image(self, event);
        match event.locate() {
            LocalOrRemote::Remote(event) if !self.is_direct() => {
                // SAFETY: it is the signal word of the event, which only signals change. It is allocated when the signal arrives: the coarray is
                // borrowed now, and its memory is freed only after a barrier with this image, which completes what it issued first.
                unsafe { self.issue_put_signal(value, event.offset + Coevent::SIGNALS, POST) }
            }
            _ => {
                let alone = Alone::begin();
                self.put_notify(value, event);
                alone.end(self.image())
            }
        }
    }

    #[track_caller]
    fn put_from_notify_async<'scope>(
        self,
        source: &'scope T,
        event: &Coref<Coevent>,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()>
    where
        T: Shape<Item: Remote>,
    {
        check_image(self, event);
        match event.locate() {
            LocalOrRemote::Remote(event) if !self.is_direct() => {
                let signal = event.offset + Coevent::SIGNALS;
                // SAFETY: as in `put_notify_async`.
                unsafe { self.issue_put_from_signal(source, signal, POST, scope) }
            }
            _ => {
                let alone = Alone::begin();
                self.put_from_notify(source, event);
                alone.end(self.image())
            }
        }
    }
}

/// [`put_from_notify_async`](PutNotifyAsync::put_from_notify_async) of a region, from its items in row order.
///
/// # Examples
/// ```
/// use coarray::asynchronous::async_scope;
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut plane = Coarray::<[[f64; 4]; 3]>::zeroed();
///     let arrived = Coarray::new(Coevent::new());
///     let plane = plane.open();
///     let (other, column) = (1 - this_image(), [0.5, 1.5, 2.5]);
///     async_scope(|scope| {
///         let sent = plane.at(other).region((.., 3)).put_from_notify_async(&column, arrived.at(other), scope);
///         // ... compute something ...
///         sent.wait();
///     });
///     arrived.wait();
///     assert_eq!(plane.here().column(3).to_vec(), column);
/// });
/// ```
impl<'a, T: Remote, const D: usize, B: MayPut> PutNotifyAsync<'a, [T]> for Region<'a, T, D, B> {
    /// Never called: a slice is no value by itself.
    #[track_caller]
    fn put_notify_async(self, value: [T], event: &Coref<Coevent>) -> Cofuture<'a, ()>
    where
        [T]: Remote,
    {
        self.put_notify(value, event);
        Cofuture::ready(())
    }

    #[track_caller]
    fn put_from_notify_async<'scope>(
        self,
        source: &'scope [T],
        event: &Coref<Coevent>,
        scope: &'a AsyncScope<'scope, '_>,
    ) -> Cofuture<'a, ()> {
        check_image(self.beside(), event);
        let issued = match event.locate() {
            LocalOrRemote::Remote(event) if !self.beside().is_direct() => {
                let signal = event.offset + Coevent::SIGNALS;
                // SAFETY: as in `put_notify_async` of a coref.
                unsafe { self.issue_put_from_signal(source, signal, POST, scope) }
            }
            _ => None,
        };
        issued.unwrap_or_else(|| {
            let alone = Alone::begin();
            self.put_from_notify(source, event);
            alone.end(event.image())
        })
    }
}
