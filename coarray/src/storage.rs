//! The memory of a coarray, its phase, and the places of its parts.

use std::cell::Cell;
use std::panic::Location;
use std::ptr::NonNull;
use std::rc::Rc;

use coarray_coref::{Access, Coref, Shape, Symmetric};
use coarray_runtime::{
    AllocError, Block, Call, FILLED, Image, ImageFailed, Incomplete, Layout, ObjectId, Operation,
    Team, quiet_and_defer,
};

/// A block of the symmetric heap with its phase.
///
/// The phase makes local references sound: it is set before the barrier that lets other images in, and reset after the one
/// that waits until they have left. [`private`](Self::private) also checks that the block is long enough for the shape: an
/// assignment through a [cast](crate::Coarray::shape_cast_mut) can put a storage into a coarray of a larger shape.
#[derive(Debug)]
pub(crate) struct Storage {
    /// The images that have a part. The team need not be the current one.
    team: Rc<Team>,
    block: Block,
    address: NonNull<u8>,
    places: Places,
    /// How many bytes local references may cover: all, or [`NOT_PRIVATE`] while a guard of a phase exists or after one was leaked.
    private: Cell<isize>,
}

/// Less than the bytes of any shape, even those of an empty slice.
const NOT_PRIVATE: isize = -1;

/// Proof that a phase has begun: all images have given up their local references. Made by [`Storage::begin`] only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun(());

impl Storage {
    /// Collective. Memory for `extent` items of `T::Item`, which is not initialised yet.
    ///
    /// # Safety
    /// Images that agree on `call` agree on `T` and on the extent.
    pub(crate) unsafe fn allocate<T>(call: &Call, extent: usize) -> Result<Self, AllocError>
    where
        T: ?Sized + Shape + 'static,
    {
        let item = Layout {
            size: size_of::<T::Item>(),
            align: align_of::<T::Item>(),
            shared: T::Item::SHARED,
        };
        // SAFETY: the item follows from `T`, on which, as on the extent, images that agree on the call agree, as the caller vouches.
        unsafe { Self::allocate_items(call, extent, item) }
    }

    /// As [`allocate`](Self::allocate), for items of this layout; compiled once, for all shapes.
    ///
    /// # Safety
    /// Images that agree on `call` agree on the extent and on the layout.
    unsafe fn allocate_items(call: &Call, extent: usize, item: Layout) -> Result<Self, AllocError> {
        let bytes = extent
            .checked_mul(item.size)
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or(AllocError::TooLarge {
                length: extent,
                subject: call.subject(),
            })?;
        let team = Team::current();
        let layout = Layout {
            size: bytes,
            ..item
        };
        // SAFETY: the layout follows from the item's and the extent, on which images that agree on the call agree, as the caller vouches.
        let block = unsafe { team.allocate(call, layout) }?;
        let image = team.image();
        // SAFETY: the block lies in this image's heap, so the pointer stays in it and is not null.
        let address =
            unsafe { NonNull::new_unchecked(image.heap(image.index()).add(block.offset())) };
        let places = Places::new(&team, &block, bytes, item.shared);
        Ok(Self {
            team,
            block,
            address,
            places,
            private: Cell::new(bytes as isize),
        })
    }

    /// Collective. The barrier at the end of the creation of a shared coarray: when it returns, all images have initialised
    /// their parts.
    ///
    /// # Errors
    /// If images have failed; the same on all others.
    ///
    /// # Safety
    /// This image has initialised its part.
    pub(crate) unsafe fn creation_barrier(&self, call: &Call) -> Result<(), ImageFailed> {
        // SAFETY: the others rely on this image's part of the object that the call names; the caller vouches that it is
        // initialised.
        unsafe {
            self.team
                .try_barrier(&call.creating(self.id()).at_step(FILLED))
        }
    }

    pub(crate) fn image(&self) -> &Image {
        self.team.image()
    }

    pub(crate) fn team(&self) -> &Team {
        &self.team
    }

    pub(crate) fn id(&self) -> ObjectId {
        self.block.id()
    }

    pub(crate) fn address(&self) -> NonNull<u8> {
        self.address
    }

    /// The leading extent as a `T`: the number of items that fit, or 1 for a single value.
    #[inline]
    pub(crate) fn extent<T: ?Sized + Shape>(&self) -> usize {
        const {
            assert!(
                size_of::<T::Item>() > 0,
                "a coarray of values without bytes is of no use"
            )
        }
        T::extent_in(self.places.bytes)
    }

    /// The offset of the block in each image's heap.
    pub(crate) fn offset(&self) -> usize {
        self.block.offset()
    }

    /// Sets whether other images may write to the memory, by the owner's own protocol. While they may, dropping the storage does
    /// not free the memory.
    pub(crate) fn set_in_phase(&self, in_phase: bool) {
        let bytes = self.places.bytes as isize;
        self.private.set(if in_phase { NOT_PRIVATE } else { bytes });
    }

    /// All of this image's part as a run of `Element`s.
    pub(crate) fn run<Element>(&self) -> (*const Element, usize) {
        (
            self.address.as_ptr().cast(),
            self.places.bytes / size_of::<Element>(),
        )
    }

    pub(crate) fn is_in_phase(&self) -> bool {
        self.private.get() == NOT_PRIVATE
    }

    /// This storage, checked: this image may have local references to it as a `T`.
    ///
    /// # Panics
    /// If the guard of a phase was leaked, so that other images may still reach the memory; or if the block is too short for a
    /// `T`, because a smaller coarray was assigned to this one through a cast.
    #[inline]
    #[track_caller]
    pub(crate) fn private<T: ?Sized + Shape>(&self) -> &Self {
        if T::LEAST_BYTES as isize > self.private.get() {
            self.refuse_references(T::LEAST_BYTES);
        }
        self
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn refuse_references(&self, bytes: usize) -> ! {
        if self.is_in_phase() {
            leaked();
        }
        panic!(
            "this coarray has {} bytes, and its shape needs {bytes}: a smaller one was assigned to it, through a mutable \
             reference to another shape of it",
            self.places.bytes
        )
    }

    /// Collective. Begins a phase of these storages together, which all must be [private](Self::private).
    ///
    /// # Errors
    /// The call, and the images that have failed, the same on all others; then no phase has begun.
    #[track_caller]
    pub(crate) fn begin(
        operation: Operation,
        storages: &[&Self],
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Result<Begun, Incomplete> {
        let mut ids = [ObjectId::default(); coarray_runtime::MAX_OBJECTS];
        for (id, storage) in ids.iter_mut().zip(storages) {
            *id = storage.id();
        }
        let first = storages[0];
        assert!(
            storages.iter().all(|storage| storage.team.is(&first.team)),
            "coarrays that are opened together must have been created in the same team"
        );
        let _deferral = quiet_and_defer();
        for storage in storages {
            storage.set_in_phase(true);
            let image = storage.image();
            image.check_phase(storage.offset(), storage.places.bytes);
        }
        let call = Call::on_objects(operation, &ids, subject, caller);
        // SAFETY: the others rely on this image having no references into these storages. Their coarrays are borrowed mutably by
        // the caller, and marked as in a phase.
        match unsafe { first.team.try_barrier(&call) } {
            Ok(()) => Ok(Begun(())),
            Err(failed) => {
                // The error is the same on all other images, so that none accesses the storages.
                for storage in storages {
                    storage.set_in_phase(false);
                }
                Err(Incomplete::new(
                    &first.team,
                    call.describe(&first.team),
                    failed,
                ))
            }
        }
    }

    /// Collective. Ends a phase: completes this image's operations and waits until all images have left the phase.
    ///
    /// An image that unwinds does not wait; its storage stays in the phase.
    pub(crate) fn end(
        &self,
        operation: Operation,
        subject: &'static str,
        caller: &'static Location<'static>,
        valid: &dyn Fn() -> bool,
    ) {
        if std::thread::panicking() {
            return;
        }
        let _deferral = quiet_and_defer();
        let call = Call::on_objects(operation, &[self.id()], subject, caller);
        // SAFETY: the others rely on this image having left the phase: the guard, from which its corefs borrow, is being dropped.
        let result = unsafe { self.team.try_barrier(&call) };
        // The phase also ends for images that have failed: their corefs ended with them. But plain references to a published
        // part end only with the threads of the image. An image that has stopped without leaving the phase has leaked its guard: a
        // destructor that runs after its end may still use it.
        if let Err(failed) = result {
            let are_gone = || failed.images.iter().all(|&index| self.is_gone(index));
            if !failed.stopped.is_empty() || operation == Operation::Unpublish && !are_gone() {
                return;
            }
        }
        assert!(
            valid(),
            "the coarray of {subject} opened at {caller} holds bytes on image {} that are no valid values: images put \
             to the same place at the same time; separate their puts by sync_all or give each its own place",
            self.image().index()
        );
        self.set_in_phase(false);
    }

    fn is_gone(&self, index: usize) -> bool {
        self.image().is_gone(self.team.members()[index] as usize)
    }

    /// The places of all images' parts.
    #[inline]
    pub(crate) fn places(&self) -> Places {
        self.places
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if !self.is_in_phase() {
            // SAFETY: `allocate` allocated the block, which is freed here only. This image uses it no more: no phase is in progress,
            // and local references borrow from `self`.
            unsafe { self.team.free(self.block) };
        }
    }
}

/// The addresses of a block on all images of a team, ready for indexing by image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The address on the image with index 0, and the distance to the next index. In a team whose numbers are no arithmetic
    /// progression: the address on the image with number 0, and the distance to the next number.
    first: usize,
    stride: usize,
    bytes: usize,
    images: usize,
    pub(crate) me: usize,
    /// Whether this image reaches the places of all images by load and store. Not those of shared values in a job that spans nodes, whose
    /// coatomics the fabric alone changes.
    direct: bool,
    /// Whether it reaches some by load and store, and others not.
    mixed: bool,
    /// The number of the image with index 0, and the difference to the next, if the numbers are an arithmetic progression.
    progression: Option<(usize, usize)>,
}

impl Places {
    fn new(team: &Team, block: &Block, bytes: usize, shared: bool) -> Self {
        let image = team.image();
        let progression = team.progression();
        let (start, step) = progression.unwrap_or((0, 1));
        let mut members = team.members().iter().map(|&number| number as usize);
        let may_be_direct = !(shared && image.spans_nodes());
        let direct = may_be_direct && members.all(|number| image.is_direct(number));
        Self {
            first: image.heap(start).addr() + block.offset(),
            stride: image.stride() * step,
            bytes,
            images: team.images(),
            me: team.index(),
            direct,
            mixed: may_be_direct && !direct && image.is_direct(image.index()),
            progression,
        }
    }

    /// The place on the image with index `image` in `team`, the team of the storage.
    ///
    /// # Panics
    /// If there is no such image.
    ///
    /// # Safety
    /// As [`Coref::new`], for every image.
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn at<'a, T: ?Sized + Shape, A: Access>(
        &self,
        image: usize,
        team: &Team,
    ) -> &'a Coref<T, A> {
        if image >= self.images {
            team.no_such_image(image);
        }
        // Computes the address without the number, which most accesses do not need.
        let (number, steps) = match self.progression {
            Some((first, step)) => (first + image * step, image),
            None => {
                let number = number_in(team, image);
                (number, number)
            }
        };
        let direct = self.direct || self.mixed && is_direct(team, number);
        // SAFETY: the caller vouches for the place of every image, as the contract of `Coref::new` says. `direct` says whether it
        // is mapped, and for shared values whether all images share memory. The number is that of an image of the team.
        unsafe {
            Coref::new(
                self.first + steps * self.stride,
                number,
                T::extent_in(self.bytes),
                direct,
            )
        }
    }
}

/// The number of the image with index `image`, in a team whose numbers are no arithmetic progression.
///
/// Not inlined, so that for all other teams the branch can be hoisted out of a loop over images.
#[cold]
#[inline(never)]
fn number_in(team: &Team, image: usize) -> usize {
    team.members()[image] as usize
}

/// Whether this image reaches the place on image `number` by load and store, where it does not reach all so.
///
/// Not inlined, so that for all other teams the branch can be hoisted out of a loop over images.
#[cold]
#[inline(never)]
fn is_direct(team: &Team, number: usize) -> bool {
    team.image().is_direct(number)
}

#[cold]
#[inline(never)]
#[track_caller]
fn leaked() -> ! {
    panic!(
        "this coarray is still open: the guard of its phase was leaked, or dropped by a panic, or an image failed that \
         had published it, so others may reach it; let every image drop the guard before it uses the coarray locally again"
    )
}
