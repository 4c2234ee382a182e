//! The memory of a coarray on this image, and whether other images may reach it.

use std::cell::Cell;
use std::panic::Location;
use std::ptr::NonNull;
use std::rc::Rc;

use coarray_coref::{Access, Coref, Shape, Symmetric};
use coarray_runtime::{
    AllocError, Block, Call, FILLED, Image, ImageFailed, Layout, ObjectId, Operation, Team,
    quiet_and_defer,
};

/// A block of the symmetric heap with its phase.
///
/// The phase is what makes local references sound: it is set before the barrier that lets other images in,
/// and reset after the one that waits for them to be out.
///
/// Nor does a reference reach further than the block: a storage can get into a coarray of a larger shape, by an
/// assignment through a [cast](crate::Coarray::shape_cast_mut).
#[derive(Debug)]
pub(crate) struct Storage {
    /// The images that have a part; they may have left the team since.
    team: Rc<Team>,
    block: Block,
    address: NonNull<u8>,
    places: Places,
    /// How many bytes local references may cover: all, or while a guard of a phase exists, or was leaked, [`NOT_PRIVATE`].
    private: Cell<isize>,
}

/// Fewer bytes than even an empty slice covers.
const NOT_PRIVATE: isize = -1;

/// That a phase has begun: all images have given up their local references. Made by [`Storage::begin`] only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun(());

impl Storage {
    /// Collective. Memory for `extent` items of `T::Item`, which is not initialised yet.
    ///
    /// # Safety
    /// The call carries `T` and the extent.
    pub(crate) unsafe fn allocate<T>(call: &Call, extent: usize) -> Result<Self, AllocError>
    where
        T: ?Sized + Shape + 'static,
    {
        let bytes = extent
            .checked_mul(size_of::<T::Item>())
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or(AllocError::TooLarge {
                length: extent,
                subject: call.subject(),
            })?;
        let team = Team::current();
        let layout = Layout {
            size: bytes,
            align: align_of::<T::Item>(),
            shared: T::Item::SHARED,
        };
        // SAFETY: the call carries the type and the extent, from which the layout follows.
        let block = unsafe { team.allocate(call, layout) }?;
        let image = team.image();
        // SAFETY: the block lies in this image's heap.
        let address =
            unsafe { NonNull::new_unchecked(image.heap(image.index()).add(block.offset())) };
        let places = Places::new(&team, &block, bytes);
        Ok(Self {
            team,
            block,
            address,
            places,
            private: Cell::new(bytes as isize),
        })
    }

    /// Collective. Lets no image return from the creation of a shared coarray, by this call, before all made their part.
    ///
    /// # Errors
    /// If images have failed; then on all others alike.
    ///
    /// # Safety
    /// This image's part was initialised.
    pub(crate) unsafe fn barrier_at_birth(&self, call: &Call) -> Result<(), ImageFailed> {
        // SAFETY: others rely on the part of this very object, which the call names.
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

    /// The leading extent as a `T`: as many items as there is room for, or 1 for a single value.
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

    /// Where the block lies in each image's heap.
    pub(crate) fn offset(&self) -> usize {
        self.block.offset()
    }

    /// Says whether other images may write to the memory, by an agreement of the owner's. If they may when this is
    /// dropped, the memory is never given back.
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

    /// This storage, of which local references as a `T` may exist.
    ///
    /// # Panics
    /// If the guard of a phase was leaked, so that other images may still reach the memory; or if there is no `T`, as a
    /// smaller coarray was assigned to this one through a cast.
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

    /// Collective. Begins a phase of these storages together, which all must be [private](Self::private). If images have
    /// failed, the job ends.
    #[track_caller]
    pub(crate) fn begin(
        operation: Operation,
        storages: &[&Self],
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Begun {
        match Self::try_begin(operation, storages, subject, caller) {
            Ok(begun) => begun,
            Err((call, failed)) => {
                let team = &storages[0].team;
                team.fail_because(&failed, &call.describe(team))
            }
        }
    }

    /// Collective. As [`begin`](Self::begin).
    ///
    /// # Errors
    /// The call, and the images that have failed, on all others alike; then no phase has begun.
    #[track_caller]
    pub(crate) fn try_begin(
        operation: Operation,
        storages: &[&Self],
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Result<Begun, (Call, ImageFailed)> {
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
        }
        let call = Call::on_objects(operation, &ids, subject, caller);
        // SAFETY: the storages are marked as in their phase, and whoever begins a phase borrows their
        // coarrays mutably: this image has no references into them.
        match unsafe { first.team.try_barrier(&call) } {
            Ok(()) => Ok(Begun(())),
            Err(failed) => {
                // All other images turn back as well, so that none gets to reach the storages.
                for storage in storages {
                    storage.set_in_phase(false);
                }
                Err((call, failed))
            }
        }
    }

    /// Collective. Ends a phase: completes this image's operations and waits until all images are out of
    /// the phase.
    ///
    /// An image that unwinds does not wait; its storage stays in the phase.
    pub(crate) fn end(
        &self,
        operation: Operation,
        subject: &'static str,
        caller: &'static Location<'static>,
        valid: impl FnOnce() -> bool,
    ) {
        if std::thread::panicking() {
            return;
        }
        let _deferral = quiet_and_defer();
        let call = Call::on_objects(operation, &[self.id()], subject, caller);
        // SAFETY: the guard is being dropped, so that this image has no more corefs of the phase.
        let met = unsafe { self.team.try_barrier(&call) };
        // The phase is over also without those images that have failed: corefs end with their image. Plain
        // references to what was published end with its threads.
        if let Err(failed) = met
            && operation == Operation::Unpublish
            && !failed.images.iter().all(|&index| self.is_gone(index))
        {
            return;
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

    /// Where all images' parts are.
    #[inline]
    pub(crate) fn places(&self) -> Places {
        self.places
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if !self.is_in_phase() {
            // SAFETY: allocated by `allocate`, freed here only, and gone with `self`.
            unsafe { self.team.free(self.block) };
        }
    }
}

/// The addresses of a block on all images of a team, ready for indexing by image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// Address on the image with index 0, and the distance to the next index: in a team whose numbers do not rise
    /// evenly, to the next number, from number 0.
    first: usize,
    stride: usize,
    bytes: usize,
    images: usize,
    pub(crate) me: usize,
    /// Whether the places of all images are reached by load and store.
    direct: bool,
    /// Whether those of some are, and those of others are not.
    mixed: bool,
    /// The number of the image with index 0, and how much it rises from each to the next; none if it does not
    /// rise evenly.
    progression: Option<(usize, usize)>,
}

impl Places {
    fn new(team: &Team, block: &Block, bytes: usize) -> Self {
        let image = team.image();
        let progression = team.progression();
        let (start, step) = progression.unwrap_or((0, 1));
        let mut members = team.members().iter().map(|&number| number as usize);
        let direct = members.all(|number| image.is_direct(number));
        Self {
            first: image.heap(start).addr() + block.offset(),
            stride: image.stride() * step,
            bytes,
            images: team.images(),
            me: team.index(),
            direct,
            mixed: !direct && image.is_direct(image.index()),
            progression,
        }
    }

    /// The place on the image with that index in `team`, which is that of the storage.
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
            no_such_image(image, self.images);
        }
        // The address does not wait for the number, which most accesses do not need at all.
        let (number, steps) = match self.progression {
            Some((first, step)) => (first + image * step, image),
            None => {
                let number = number_in(team, image);
                (number, number)
            }
        };
        let direct = self.direct || self.mixed && is_direct(team, number);
        // SAFETY: passed on.
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

/// The number of the image with that index, in a team whose numbers do not rise evenly.
///
/// Out of line, so that for all other teams a loop over places asks nothing in each turn.
#[cold]
#[inline(never)]
fn number_in(team: &Team, image: usize) -> usize {
    team.members()[image] as usize
}

/// Whether the place on that image is reached by load and store, where those of some images are not.
///
/// Out of line, so that for all other teams a loop over places asks this once.
#[cold]
#[inline(never)]
fn is_direct(team: &Team, number: usize) -> bool {
    team.image().is_direct(number)
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_image(image: usize, images: usize) -> ! {
    panic!(
        "there is no image {image}: the images are numbered 0 to {}",
        images - 1
    )
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
