//! Asynchronous collectives: an image contributes at the call, goes on, and takes the result later.
//!
//! What an image contributes is there for the others from the call on, in a record of its own (`Team::post` of
//! the fabric), so nobody waits for an image that computes, and any number of collectives may be under way. The
//! image that wants a result reads the records that it needs and makes the result itself: for a reduction, it
//! joins the values of all images from image 0 upwards.

mod alltoall;
mod broadcast;
mod gather;
mod logical;
mod reduce;
mod reduce_to;
mod reproducible;
mod scan;
mod scatter;
mod varying;

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::{Cofuture, Collective, Remote};
use coarray_runtime::{Call, CollectiveRequest, Contribution, Missing, Operation, Team};

pub use alltoall::{co_alltoall_async, co_reduce_scatter_async};
pub use broadcast::co_broadcast_async;
pub use gather::{co_allgather_async, co_gather_async};
pub use logical::{co_all_async, co_any_async, co_count_async};
pub use reduce::{co_max_async, co_min_async, co_reduce_async, co_sum_async};
pub use reduce_to::{co_max_to_async, co_min_to_async, co_reduce_to_async, co_sum_to_async};
pub use reproducible::{co_sum_reproducible_async, co_total_reproducible_async};
pub use scan::{co_exscan_async, co_scan_async};
pub use scatter::co_scatter_async;
pub use varying::{co_allgatherv_async, co_alltoallv_async, co_gatherv_async, co_scatterv_async};

/// What one image says about the asynchronous collective that it calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    operation: Operation,
    root: Option<usize>,
    caller: &'static Location<'static>,
}

impl Begin {
    /// An operation without a root.
    pub(crate) fn new(operation: Operation, caller: &'static Location<'static>) -> Self {
        Self {
            operation,
            root: None,
            caller,
        }
    }

    /// An operation from or to image `root`.
    pub(crate) fn rooted(
        operation: Operation,
        root: usize,
        caller: &'static Location<'static>,
    ) -> Self {
        Self {
            operation,
            root: Some(root),
            caller,
        }
    }

    /// The call on `length` elements; both must be the same on all images.
    fn call<T: Remote>(&self, length: usize) -> Call {
        let root = self.root.unwrap_or_default();
        Call::on_values::<T>(self.operation, length, root, self.caller).asynchronous()
    }

    /// Posts this image's part, which is these elements, in a collective on as many of every image.
    pub(crate) fn post<T: Remote>(self, part: &[T]) -> Begun {
        self.post_part(part.len(), part)
    }

    /// Posts this image's part, which is these elements, in a collective on `length` elements of every image.
    pub(crate) fn post_part<T: Remote>(self, length: usize, part: &[T]) -> Begun {
        self.post_bytes::<T>(length, &[bytes(part)])
    }

    /// Posts words that stand for this image's elements of type `T`, in a collective in which images may have different
    /// numbers of these.
    pub(crate) fn post_words<T: Remote>(self, words: &[i64]) -> Begun {
        self.post_bytes::<T>(1, &[bytes(words)])
    }

    /// As [`post_part`](Self::post_part), for a part of any bytes, one slice after the other.
    fn post_bytes<T: Remote>(self, length: usize, parts: &[&[u8]]) -> Begun {
        // SAFETY: this is where all asynchronous collectives contribute, each the elements that it will read.
        let request = unsafe { Team::current().post(&self.call::<T>(length), parts) };
        Begun {
            begin: self,
            request,
        }
    }

    fn panic_about(&self, root: usize, images: usize) -> ! {
        let way = match self.operation {
            Operation::CoBroadcast | Operation::CoScatter | Operation::CoScatterv => "from",
            _ => "to",
        };
        panic!(
            "{}_async {way} image {root}, but there are {images} images, at {}",
            self.operation.name(),
            self.caller
        )
    }
}

/// A collective to which this image has made its contribution.
pub(crate) struct Begun {
    begin: Begin,
    request: CollectiveRequest,
}

impl Begun {
    /// The collective until its result is there. `needs` says from which images of the team this one needs their
    /// part; when all of those are there, `land` makes the result.
    pub(crate) fn then<R: 'static>(
        self,
        needs: impl FnOnce(&Team) -> Range<usize>,
        land: impl FnOnce(&Arrived) -> R + 'static,
    ) -> Cofuture<'static, R> {
        let Self { begin, request } = self;
        let team = request.team();
        if let Some(root) = begin.root
            && root >= team.images()
        {
            // It may be a disagreement, which is to be reported as such: first all images are heard.
            let images = team.images();
            return underway(0..images, request, move |_| begin.panic_about(root, images));
        }
        underway(needs(team), request, land)
    }
}

fn underway<R: 'static>(
    needs: Range<usize>,
    request: CollectiveRequest,
    land: impl FnOnce(&Arrived) -> R + 'static,
) -> Cofuture<'static, R> {
    Cofuture::collective(Box::new(Underway {
        needs: Needs::new(needs),
        arrived: Arrived { request },
        land,
    }))
}

/// The bytes of values.
fn bytes<T: Remote>(values: &[T]) -> &[u8] {
    const { T::CHECK };
    // SAFETY: a `Remote` value has no padding, so that all its bytes are initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The records of the images that have made their contribution.
pub(crate) struct Arrived {
    request: CollectiveRequest,
}

impl Arrived {
    /// The team whose images take part.
    pub(crate) fn team(&self) -> &Rc<Team> {
        self.request.team()
    }

    /// The part of the image with that index, which posted `T`s.
    ///
    /// # Safety
    /// Every image that takes part with this type in its call posts `T`s.
    pub(crate) unsafe fn part<T: Remote>(&self, index: usize) -> Part<'_, T> {
        // SAFETY: the caller vouches for it.
        unsafe { Part::new(self.request.from(index)) }
    }

    /// These elements of the part of the image with that index; no more than these come from another node.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    pub(crate) unsafe fn part_in<T: Remote>(
        &self,
        index: usize,
        range: Range<usize>,
    ) -> Part<'_, T> {
        // SAFETY: passed on.
        unsafe { self.part_behind(index, 0, range) }
    }

    /// As [`part_in`](Self::part_in), of elements that begin so many bytes into the part.
    ///
    /// # Safety
    /// As [`part`](Self::part), for what begins there, at a multiple of 64.
    unsafe fn part_behind<T: Remote>(
        &self,
        index: usize,
        start: usize,
        range: Range<usize>,
    ) -> Part<'_, T> {
        let [first, end] = [range.start, range.end].map(|count| start + count * size_of::<T>());
        // SAFETY: passed on.
        unsafe { Part::new(self.request.part(index, first..end)) }
    }

    /// How many `T`s the image with that index posted.
    pub(crate) fn length<T: Remote>(&self, index: usize) -> usize {
        self.request.length(index) / size_of::<T>()
    }
}

/// Elements that an image contributes.
pub(crate) struct Part<'a, T> {
    bytes: Contribution<'a>,
    elements: PhantomData<[T]>,
}

impl<'a, T: Remote> Part<'a, T> {
    /// The elements that these bytes are.
    ///
    /// # Safety
    /// They were copied from `T`s, and start at a whole number of them from a place aligned to 64 bytes.
    unsafe fn new(bytes: Contribution<'a>) -> Self {
        const {
            assert!(
                align_of::<T>() <= 64 && size_of::<T>() > 0,
                "elements with this layout cannot pass from image to image"
            )
        };
        Self {
            bytes,
            elements: PhantomData,
        }
    }
}

impl<T: Remote> Deref for Part<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        let bytes = &*self.bytes;
        // SAFETY: who made this vouched for where they start, which is thus aligned. They are valid: another image wrote
        // all of them, from values of this very type, before it posted the record.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}

/// From which images a result needs something, and from how many of these it is known to be there.
struct Needs {
    images: Range<usize>,
    next: Cell<usize>,
}

impl Needs {
    fn new(images: Range<usize>) -> Self {
        Self {
            next: Cell::new(images.start),
            images,
        }
    }

    /// The first image that has not made its contribution.
    fn missing(&self, request: &CollectiveRequest) -> Option<usize> {
        while self.next.get() < self.images.end {
            if !request.is_here(self.next.get()) {
                return Some(self.next.get());
            }
            self.next.set(self.next.get() + 1);
        }
        None
    }
}

/// A collective that this image has called.
struct Underway<F> {
    needs: Needs,
    arrived: Arrived,
    land: F,
}

impl<R, F: FnOnce(&Arrived) -> R> Collective<R> for Underway<F> {
    fn lack(&self) -> Option<Missing<'_>> {
        let request = &self.arrived.request;
        let index = self.needs.missing(request)?;
        Some(Missing { request, index })
    }

    fn land(self: Box<Self>) -> R {
        // All calls are compared before any value is looked at.
        for index in self.needs.images {
            self.arrived.request.await_from(index);
        }
        (self.land)(&self.arrived)
    }
}

/// How many of `length` values each of so many images gets.
///
/// # Panics
/// If they cannot all get as many.
#[track_caller]
fn shares(operation: Operation, length: usize, images: usize) -> usize {
    assert!(
        length.is_multiple_of(images),
        "{}_async of {length} values: {images} images cannot get equal shares of them",
        operation.name()
    );
    length / images
}

/// All images of a team.
pub(crate) fn all(team: &Team) -> Range<usize> {
    0..team.images()
}

/// Image `root` for all others, which has everything already.
fn only(root: usize) -> impl FnOnce(&Team) -> Range<usize> {
    move |team| {
        if team.index() == root {
            root..root
        } else {
            root..root + 1
        }
    }
}

/// All images for image `root`, none for the others.
fn all_for(root: usize) -> impl FnOnce(&Team) -> Range<usize> {
    move |team| {
        if team.index() == root {
            all(team)
        } else {
            0..0
        }
    }
}

/// Joins `result`, which stands for what comes before, with elements `range` of `images`, one image after the other.
///
/// # Safety
/// Every image that takes part with this type in its call posts `T`s, at least up to the end of the range.
unsafe fn fold<T: Remote>(
    arrived: &Arrived,
    images: Range<usize>,
    range: Range<usize>,
    result: &mut [T],
    join: &impl Fn(T, T) -> T,
) {
    for index in images {
        // SAFETY: passed on.
        let values = unsafe { arrived.part_in::<T>(index, range.clone()) };
        for (result, value) in result.iter_mut().zip(&*values) {
            *result = join(*result, *value);
        }
    }
}

/// Joins elements `range` of all images up to image `last`, from image 0 upwards.
///
/// # Safety
/// As [`fold`].
unsafe fn fold_up_to<T: Remote>(
    arrived: &Arrived,
    last: usize,
    range: Range<usize>,
    result: &mut [T],
    join: &impl Fn(T, T) -> T,
) {
    // SAFETY: passed on.
    unsafe {
        result.copy_from_slice(&arrived.part_in::<T>(0, range.clone()));
        fold(arrived, 1..last + 1, range, result, join);
    }
}
