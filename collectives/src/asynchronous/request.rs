//! A nonblocking collective from its call to its result.
//!
//! ```text
//! AsyncCall -- post --> Posted -- then --> Cofuture -- wait --> result
//! ```
//!
//! Posting makes this image's contribution, and never waits. `then` says from which images the result needs a contribution,
//! and how it is computed once these are there.

use std::cell::Cell;
use std::ops::Range;
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::{Cofuture, Collective, Remote};
use coarray_runtime::{Call, CollectiveRequest, Incomplete, Missing, Operation, Team};

use crate::part::{Part, bytes};

/// The call of a nonblocking collective.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsyncCall {
    operation: Operation,
    root: Option<usize>,
    caller: &'static Location<'static>,
}

impl AsyncCall {
    /// An operation without a root.
    pub(super) fn new(operation: Operation, caller: &'static Location<'static>) -> Self {
        Self {
            operation,
            root: None,
            caller,
        }
    }

    /// An operation from or to image `root`.
    pub(super) fn rooted(
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

    /// The call on `length` elements of type `T`, which images compare.
    fn call<T: 'static>(&self, length: usize) -> Call {
        let root = self.root.unwrap_or_default();
        Call::on_values::<T>(self.operation, length, root, self.caller).asynchronous()
    }

    /// Contributes `part`; every image contributes the same number of elements.
    pub(super) fn post<T: Remote>(self, part: &[T]) -> Posted {
        self.post_part(part.len(), part)
    }

    /// Contributes `part`, of any length; every image calls the operation on `length` elements.
    pub(super) fn post_part<T: Remote>(self, length: usize, part: &[T]) -> Posted {
        self.post_bytes::<T>(length, &[bytes(part)])
    }

    /// Contributes words that are computed from elements of type `T`, of which images may have different numbers.
    pub(super) fn post_words<T: Remote>(self, words: &[i64]) -> Posted {
        self.post_bytes::<T>(1, &[bytes(words)])
    }

    /// As [`post_part`](Self::post_part), for a part that consists of these bytes, one slice after the other, whatever images make of
    /// them.
    pub(super) fn post_bytes<T: 'static>(self, length: usize, parts: &[&[u8]]) -> Posted {
        let team = Team::current();
        // Before others can have the contribution.
        let number = team.check_contribution(self.operation.name(), self.caller);
        // SAFETY: every nonblocking collective contributes here, and the files beside this one read of each operation what
        // they post for it.
        let request = unsafe { team.post(&self.call::<T>(length), parts) };
        Posted {
            call: self,
            request,
            number,
        }
    }

    fn refuse_root(&self, root: usize, images: usize) -> ! {
        let preposition = match self.operation {
            Operation::CoBroadcast
            | Operation::CoBroadcastValue
            | Operation::CoScatter
            | Operation::CoScatterv => "from",
            _ => "to",
        };
        panic!(
            "{}_async {preposition} image {root}, but there are {images} images, at {}",
            self.operation.name(),
            self.caller
        )
    }
}

/// A collective to which this image has contributed.
pub(super) struct Posted {
    call: AsyncCall,
    request: CollectiveRequest,
    /// Its number in a job that is checked.
    number: u64,
}

impl Posted {
    /// The cofuture of the result. It needs the contributions of the images that `needs` returns, by their indices in the
    /// team; when these are there, `compute` makes the result.
    pub(super) fn then<R: 'static>(
        self,
        needs: impl FnOnce(&Team) -> Range<usize>,
        compute: impl FnOnce(&Contributions) -> R + 'static,
    ) -> Cofuture<'static, R> {
        let Self {
            call,
            request,
            number,
        } = self;
        let team = request.team();
        if let Some(root) = call.root
            && root >= team.images()
        {
            // Waits for all images before it panics: if they disagree about the root, that is reported instead.
            let images = team.images();
            return pending(0..images, request, move |_| call.refuse_root(root, images));
        }
        let needs = needs(team);
        let from = needs.clone();
        pending(needs, request, move |contributions| {
            let name = call.operation.name();
            contributions
                .team()
                .check_result(number, from, name, call.caller);
            compute(contributions)
        })
    }
}

fn pending<R: 'static>(
    needs: Range<usize>,
    request: CollectiveRequest,
    compute: impl FnOnce(&Contributions) -> R + 'static,
) -> Cofuture<'static, R> {
    Cofuture::collective(Box::new(Pending {
        needs: Needs::new(needs),
        contributions: Contributions { request },
        compute,
    }))
}

/// The contributions to a collective, of the images that have made theirs.
pub(super) struct Contributions {
    request: CollectiveRequest,
}

impl Contributions {
    /// The team whose images take part.
    pub(super) fn team(&self) -> &Rc<Team> {
        self.request.team()
    }

    /// The elements that the image with index `index` posted.
    ///
    /// # Safety
    /// Every image whose call is the same posts `T`s.
    pub(super) unsafe fn part<T: Remote>(&self, index: usize) -> Part<'_, T> {
        // SAFETY: the caller vouches that the bytes are `T`s; a contribution is aligned to a cache line.
        unsafe { Part::new(self.request.from(index)) }
    }

    /// Elements `range` of those that the image with index `index` posted; only these are fetched from another node.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    pub(super) unsafe fn part_in<T: Remote>(
        &self,
        index: usize,
        range: Range<usize>,
    ) -> Part<'_, T> {
        // SAFETY: the caller vouches that the image posted `T`s, from its contribution's first byte on.
        unsafe { self.part_behind(index, 0, range) }
    }

    /// As [`part_in`](Self::part_in), for elements that begin `start` bytes into the contribution.
    ///
    /// # Safety
    /// `start` is a multiple of 64, and every image whose call is the same posts `T`s from there on.
    pub(super) unsafe fn part_behind<T: Remote>(
        &self,
        index: usize,
        start: usize,
        range: Range<usize>,
    ) -> Part<'_, T> {
        let [first, end] = [range.start, range.end].map(|count| start + count * size_of::<T>());
        // SAFETY: the caller vouches that the bytes are `T`s, counted from a multiple of 64; a contribution is aligned to a
        // cache line.
        unsafe { Part::new(self.request.part(index, first..end)) }
    }

    /// The address of these bytes of what the image with index `index` posted, which shares memory with this one: for what images write
    /// there together. It is valid as long as these contributions live.
    pub(super) fn address(&self, index: usize, range: Range<usize>) -> *mut u8 {
        self.request.address(index, range)
    }

    /// The number of `T`s that the image with index `index` posted.
    pub(super) fn length<T: Remote>(&self, index: usize) -> usize {
        self.request.length(index) / size_of::<T>()
    }
}

/// The images whose contributions a result needs.
struct Needs {
    images: Range<usize>,
    /// All before this one are known to have contributed.
    next: Cell<usize>,
}

impl Needs {
    fn new(images: Range<usize>) -> Self {
        Self {
            next: Cell::new(images.start),
            images,
        }
    }

    /// The first image that has not contributed.
    fn missing(&self, request: &CollectiveRequest) -> Result<Option<usize>, Incomplete> {
        while self.next.get() < self.images.end {
            if !request.is_here(self.next.get())? {
                return Ok(Some(self.next.get()));
            }
            self.next.set(self.next.get() + 1);
        }
        Ok(None)
    }
}

/// A collective whose result nobody has taken.
struct Pending<F> {
    needs: Needs,
    contributions: Contributions,
    compute: F,
}

impl<R, F: FnOnce(&Contributions) -> R> Collective<R> for Pending<F> {
    fn missing(&self) -> Result<Option<Missing<'_>>, Incomplete> {
        let request = &self.contributions.request;
        let index = self.needs.missing(request)?;
        Ok(index.map(|index| Missing::Contribution(request, index)))
    }

    fn finish(self: Box<Self>) -> Result<R, Incomplete> {
        // Compares the calls of all images before it reads any value.
        for index in self.needs.images {
            self.contributions.request.await_from(index)?;
        }
        Ok((self.compute)(&self.contributions))
    }
}

/// The number of values in each of `images` equal shares of `length` values.
///
/// # Panics
/// If there are no equal shares.
#[track_caller]
pub(super) fn share_length(operation: Operation, length: usize, images: usize) -> usize {
    assert!(
        length.is_multiple_of(images),
        "{}_async of {length} values: {images} images cannot get equal shares of them",
        operation.name()
    );
    length / images
}

/// Needs the contributions of all images.
pub(super) fn all(team: &Team) -> Range<usize> {
    0..team.images()
}

/// Needs the contribution of image `root` only; on `root` itself, none.
pub(super) fn only(root: usize) -> impl FnOnce(&Team) -> Range<usize> {
    move |team| {
        if team.index() == root {
            root..root
        } else {
            root..root + 1
        }
    }
}

/// Needs the contributions of all images on image `root`, none on the others.
pub(super) fn all_for(root: usize) -> impl FnOnce(&Team) -> Range<usize> {
    move |team| {
        if team.index() == root {
            all(team)
        } else {
            0..0
        }
    }
}

/// Combines `result` with elements `range` of `images`, one image after the other; `result` is the left operand.
///
/// # Safety
/// Every image whose call is the same posts `T`s, at least up to the end of the range.
pub(super) unsafe fn fold<T: Remote>(
    contributions: &Contributions,
    images: Range<usize>,
    range: Range<usize>,
    result: &mut [T],
    operator: &impl Fn(T, T) -> T,
) {
    for index in images {
        // SAFETY: the caller vouches that every image whose call is the same posts `T`s.
        let values = unsafe { contributions.part_in::<T>(index, range.clone()) };
        for (result, value) in result.iter_mut().zip(&*values) {
            *result = operator(*result, *value);
        }
    }
}

/// Combines elements `range` of images `0 ..= last`, from image 0 upwards, to `result`.
///
/// # Safety
/// As [`fold`].
pub(super) unsafe fn fold_up_to<T: Remote>(
    contributions: &Contributions,
    last: usize,
    range: Range<usize>,
    result: &mut [T],
    operator: &impl Fn(T, T) -> T,
) {
    // SAFETY: the caller vouches that every image whose call is the same posts `T`s, at least up to the end of the range.
    unsafe {
        result.copy_from_slice(&contributions.part_in::<T>(0, range.clone()));
        fold(contributions, 1..last + 1, range, result, operator);
    }
}
