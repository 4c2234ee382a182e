//! Several operations that go on while the image computes, as one.

use std::panic::Location;
use std::rc::Rc;

use coarray_fabric::{Buffer, Request, SignalOperation, Strided, note_issue};
use coarray_runtime::Image;

use crate::access::{Access, MayPut};
use crate::cofuture::{Cofuture, InFlight};
use crate::coref::Coref;
use crate::region::runs::{Run, Runs};
use crate::transfer::{Issued, Torn};

/// Operations in flight: the last, and those before it.
pub(crate) struct AllIssued {
    last: Issued,
    others: Vec<Request>,
}

impl AllIssued {
    /// Issues an operation for each of the runs, with the image and the offset of `place`; none if there are none.
    #[track_caller]
    fn issue<T: ?Sized, A: Access>(
        place: &Coref<T, A>,
        runs: impl Iterator<Item = Run>,
        issue: impl Fn(&Image, usize, Run) -> Request,
    ) -> Option<Self> {
        let image = Image::current();
        note_issue(Location::caller());
        let offset = image.offset_of(place.image(), place.local_address());
        let requests = runs.map(|run| issue(&image, offset, run)).collect();
        Self::of(image, requests)
    }

    /// Operations that this image has issued; none if there are none.
    pub(crate) fn of(image: Rc<Image>, mut others: Vec<Request>) -> Option<Self> {
        let request = others.pop()?;
        let last = Issued { image, request };
        Some(Self { last, others })
    }

    /// Signals when all are complete, which are puts to one image. The result is complete when that is done.
    ///
    /// # Safety
    /// As of `Fabric::put_signal`, for the signal word, which is at this offset on the image of the puts, until this image has completed what it
    /// issued.
    pub(crate) unsafe fn signal_after(self, signal: usize, operation: SignalOperation) -> Issued {
        // A signal comes after all earlier puts, the others among them.
        let Issued { image, request } = self.last;
        // SAFETY: the caller vouches for the word.
        let request = unsafe { image.signal_after(request, signal, operation) };
        Issued { image, request }
    }

    /// The cofuture of all, whose result is that of `deliver`.
    pub(crate) fn cofuture<'a, R: 'a>(
        self,
        deliver: impl FnOnce() -> Result<R, Torn> + 'a,
    ) -> Cofuture<'a, R> {
        let Self { last, others } = self;
        let image = Rc::clone(&last.image);
        Cofuture::in_flight(InFlight::new(last, move |_| {
            others
                .iter()
                .for_each(|request| image.fabric().wait(request));
            deliver()
        }))
    }

    /// The cofuture of puts, of which there may be none.
    pub(crate) fn cofuture_of_puts<'a>(puts: Option<Self>) -> Cofuture<'a, ()> {
        match puts {
            Some(all) => all.cofuture(|| Ok(())),
            None => Cofuture::complete(Ok(())),
        }
    }
}

impl From<Issued> for AllIssued {
    fn from(last: Issued) -> Self {
        let others = Vec::new();
        Self { last, others }
    }
}

/// Begins to get runs of `length` bytes through the fabric; none if there are no runs.
///
/// # Safety
/// The place that `place` is a part of has `length` bytes at each `from`. `target` is valid for writes of them at each `to` until
/// the operations are complete, and nobody else accesses it.
#[track_caller]
pub(crate) unsafe fn issue_gets<T: ?Sized, A: Access>(
    place: &Coref<T, A>,
    target: *mut u8,
    runs: impl Iterator<Item = Run>,
    length: usize,
) -> Option<AllIssued> {
    let image = place.image();
    AllIssued::issue(place, runs, |here, offset, run| {
        let buffer = Buffer::Lent(target.wrapping_offset(run.to), length);
        let from = offset.wrapping_add_signed(run.from);
        // SAFETY: the caller vouches for target and place. The contract of `Coref::new`: until this image has completed its
        // operations, the owner holds no exclusive reference.
        unsafe { here.fabric_for_program().issue_get(image, from, buffer) }
    })
}

/// Begins to get a block, as one operation if the fabric has one for it, and else run by run; none if there are no runs.
///
/// # Safety
/// As [`issue_gets`].
#[track_caller]
pub(super) unsafe fn issue_get_of_block<T: ?Sized, A: Access, const D: usize>(
    place: &Coref<T, A>,
    target: *mut u8,
    runs: Runs<D>,
) -> Option<AllIssued> {
    let length = runs.length();
    if runs.len() > 1 {
        let axes = runs.axes_from();
        let block = Strided {
            length,
            axes: &axes,
        };
        let here = Image::current();
        let offset = here.offset_of(place.image(), place.local_address());
        let buffer = Buffer::Lent(target, block.bytes());
        // SAFETY: the caller vouches for target and place, which has all bytes between the runs, too. The contract of `Coref::new`: until this image
        // has completed its operations, the owner holds no exclusive reference.
        let issued = unsafe {
            here.fabric_for(Location::caller()).issue_get_strided(
                place.image(),
                offset,
                buffer,
                &block,
            )
        };
        if let Ok(request) = issued {
            return AllIssued::of(here, vec![request]);
        }
    }
    // SAFETY: the caller vouches for target and place.
    unsafe { issue_gets(place, target, runs, length) }
}

/// Begins to put a block from a buffer, as one operation if the fabric has one for it, and else run by run; none if there are no runs.
///
/// # Safety
/// The place that `place` is a part of has the bytes of a run at each `to`, and all in between; the buffer has them at each `from`, counted from its
/// start. If it is lent, it stays valid until the operations are complete.
#[track_caller]
pub(super) unsafe fn issue_put_of_block<T: ?Sized, A: MayPut, const D: usize>(
    place: &Coref<T, A>,
    mut source: Buffer,
    runs: Runs<D>,
) -> Option<AllIssued> {
    let length = runs.length();
    if runs.len() > 1 {
        let axes = runs.axes_to();
        let block = Strided {
            length,
            axes: &axes,
        };
        let here = Image::current();
        let offset = here.offset_of(place.image(), place.local_address());
        // SAFETY: the caller vouches for source and place. The contract of `Coref::new`: until this image has completed its operations, the owner
        // holds no reference.
        let issued = unsafe {
            here.fabric_for(Location::caller()).issue_put_strided(
                place.image(),
                offset,
                source,
                &block,
            )
        };
        match issued {
            Ok(request) => return AllIssued::of(here, vec![request]),
            Err(back) => source = back,
        }
    }
    let run_of = |run: Run| match &source {
        // A put only reads its buffer, so that the cast is never written through.
        Buffer::Lent(start, _) => Buffer::Lent(start.wrapping_offset(run.from), length),
        Buffer::Owned(bytes) => {
            let start = run.from.unsigned_abs();
            Buffer::Owned(bytes[start..start + length].into())
        }
    };
    // SAFETY: the caller vouches for the source, of which each buffer is a part or a copy, and for the place.
    unsafe { issue_puts(place, runs, run_of) }
}

/// Begins to put a buffer for each run through the fabric; none if there are no runs.
///
/// # Safety
/// The place that `place` is a part of has the bytes of the buffer at each `to`. Lent buffers stay valid until the operations are
/// complete.
#[track_caller]
pub(crate) unsafe fn issue_puts<T: ?Sized, A: MayPut>(
    place: &Coref<T, A>,
    runs: impl Iterator<Item = Run>,
    buffer: impl Fn(Run) -> Buffer,
) -> Option<AllIssued> {
    let image = place.image();
    AllIssued::issue(place, runs, |here, offset, run| {
        let to = offset.wrapping_add_signed(run.to);
        // SAFETY: the caller vouches for buffer and place. The contract of `Coref::new`: until this image has completed its
        // operations, the owner holds no reference.
        unsafe { here.fabric_for_program().issue_put(image, to, buffer(run)) }
    })
}
