//! The reference to a place on an image: address, image, extent and whether it is direct, in one fat pointer.
//!
//! A direct place is loaded and stored in place; the cold functions of `transfer.rs` hand all others to the fabric.

use std::fmt;
use std::hint::assert_unchecked;
use std::marker::PhantomData;
use std::ptr;

use coarray_fabric::{Place, direct, offset_elsewhere};
use coarray_runtime::Image;

use crate::access::{Access, MayPut, ReadWrite};
use crate::coptr::Coptr;
use crate::remote::{Remote, Shared};
use crate::thread::LeavesItsThread;
use crate::transfer::{check_value, fetch_value, send_value};

/// A place on an image: `&Coref<T>` is to the memory of all images what `&T` is to this image's.
///
/// A coref comes from `x.at(image)` of an open or published coarray, indexes like the array it refers to,
/// and gets and puts. On a directly mapped place a `get` or `put` of a machine word is one load or store.
///
/// Accesses of one image to the same place happen in program order. What other images see, and when,
/// is settled by the end of the phase or by `sync_all`. Images that race on a place read unspecified
/// values of its type; that is no undefined behaviour.
///
/// # Layout
/// There is no memory behind a `&Coref<T>`. It is a fat reference to no bytes at all: its address is
/// the place, and its length carries the rest.
///
/// ```text
///   63        62       43 42                                  0
/// | direct |   image     |   leading extent (1 for a value)    |
/// ```
///
/// # Examples
/// ```
/// use coarray::prelude::*;
///
/// coarray::run(2, || {
///     let mut x = Coarray::<[[i32; 20]; 10]>::zeroed();
///     let x = x.open();
///     let there: &Coref<[[i32; 20]; 10]> = x.at(1 - this_image());
///     there[3][4].put(42);
///     assert_eq!(there[3][4].get(), 42);
///     there[5].put_from(&[7; 20]);
///     assert_eq!(there[5][1..4].to_vec(), [7, 7, 7]);
///     assert_eq!(there.column(4).to_vec()[3..6], [42, 0, 7]);
/// });
/// ```
///
/// # Source
/// *Coarray C++* section 3.3.
#[repr(transparent)]
pub struct Coref<T: ?Sized, A: Access = ReadWrite> {
    shape: PhantomData<(*mut T, A)>,
    place: [()],
}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + LeavesItsThread, A: Access> Send for Coref<T, A> {}

// SAFETY: nothing implements `LeavesItsThread`, so that this never holds.
unsafe impl<T: ?Sized + LeavesItsThread, A: Access> Sync for Coref<T, A> {}

const EXTENT_BITS: u32 = 43;
const IMAGE_BITS: u32 = 20;
const EXTENT_MASK: usize = (1 << EXTENT_BITS) - 1;
const IMAGE_MASK: usize = (1 << IMAGE_BITS) - 1;
const DIRECT: usize = 1 << (EXTENT_BITS + IMAGE_BITS);

const _: () = assert!(coarray_fabric::MAX_IMAGES == IMAGE_MASK + 1);

impl<T: ?Sized, A: Access> Coref<T, A> {
    /// Local. The coref to `extent` items (1 for a single value) at `address`, which lies in the heap of `image`
    /// as this image maps it.
    ///
    /// # Safety
    /// * The place is allocated, aligned for `T`, and its bytes are a valid `T`. Its owner holds no `&mut T` to it for read-only
    ///   access, and no reference at all otherwise. This holds for all of `'a`, and until this image has completed, by
    ///   `quiet`, the operations that it issued through the coref.
    /// * If `direct`, the place is mapped in this process. If it holds a coatomic, all images of the job share memory as well.
    /// * `image` is less than `MAX_IMAGES`.
    #[inline]
    #[must_use]
    pub unsafe fn new<'a>(address: usize, image: usize, extent: usize, direct: bool) -> &'a Self {
        // SAFETY: the caller vouches for the place, its mapping and the image number, as this function's contract says.
        unsafe { Self::from_start(ptr::without_provenance(address), image, extent, direct) }
    }

    /// As [`new`](Self::new), from a pointer in place of a number: the compiler then folds an index into the address of the
    /// load or store, where arithmetic on numbers takes instructions of its own.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[inline]
    unsafe fn from_start<'a>(
        start: *const (),
        image: usize,
        extent: usize,
        direct: bool,
    ) -> &'a Self {
        debug_assert!(extent <= EXTENT_MASK);
        // SAFETY: the caller vouches that `image` is less than `MAX_IMAGES`, which is `IMAGE_MASK + 1`. The compiler learns that
        // the image number leaves the bit `DIRECT` alone, and can test that bit once before a loop over images.
        unsafe { assert_unchecked(image <= IMAGE_MASK) }
        let length = extent | image << EXTENT_BITS | if direct { DIRECT } else { 0 };
        let place = ptr::slice_from_raw_parts(start, length);
        // SAFETY: `Coref` is transparent over `[()]`, of size 0 and alignment 1 whatever the length (the Reference, "Type
        // layout": `()` has size 0, and a slice has the layout of the section of the array it slices). A reference to 0
        // bytes needs no provenance (`std::ptr`, "Safety"), only an address that is not null, and no place lies there.
        unsafe { &*(place as *const Self) }
    }

    #[inline]
    fn bits(&self) -> usize {
        self.place.len()
    }

    /// Local. The place's address in this image's mapping, whether or not anything is mapped there.
    #[inline]
    #[must_use]
    pub fn local_address(&self) -> usize {
        self.place.as_ptr().addr()
    }

    /// Local. The number of the image that the place is on, in the team of all images.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new([0; 4]);
    ///     let x = x.open();
    ///     assert_eq!(x.at(2)[3].image(), 2);
    /// });
    /// ```
    #[inline]
    #[must_use]
    pub fn image(&self) -> usize {
        self.bits() >> EXTENT_BITS & IMAGE_MASK
    }

    /// Local. Whether this image reaches the place by load and store, as it does on images of the same machine; otherwise it
    /// uses the operations of a network. A place of [`Shared`] values is direct only if all images of the job share memory.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([0.5; 1000]);
    ///     let x = x.open();
    ///     let there = x.at(1 - this_image());
    ///     let sum: f64 = match there.is_direct() {
    ///         true => there.iter().map(Coref::get).sum(), // a load each
    ///         false => there.get().iter().sum(),          // one message
    ///     };
    ///     assert_eq!(sum, 500.0);
    /// });
    /// ```
    #[inline]
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.bits() & DIRECT != 0
    }

    /// Local. Whether both places are on one image.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn is_beside<U: ?Sized, B: Access>(&self, other: &Coref<U, B>) -> bool {
        (self.bits() ^ other.bits()) & (IMAGE_MASK << EXTENT_BITS) == 0
    }

    #[inline]
    pub(crate) fn leading_extent(&self) -> usize {
        self.bits() & EXTENT_MASK
    }

    /// The place as memory of this process. Only for direct places.
    #[inline]
    pub(crate) fn pointer(&self) -> *mut u8 {
        debug_assert!(self.is_direct());
        // The region's provenance was exposed when it was mapped.
        ptr::with_exposed_provenance_mut(self.local_address())
    }

    /// A coref to `extent` items of type `U`, `offset` bytes into this place.
    ///
    /// # Safety
    /// The items lie within this place, aligned, and are valid as `U`.
    #[inline]
    pub(crate) unsafe fn part<U: ?Sized>(&self, offset: usize, extent: usize) -> &Coref<U, A> {
        let start = self.place.as_ptr().wrapping_byte_add(offset);
        // SAFETY: the caller vouches that the items lie within this place and are valid as `U`. So they have its owner, its
        // image and its mapping, for as long as it does.
        unsafe { Coref::from_start(start, self.image(), extent, self.is_direct()) }
    }

    /// A coref to the value with index `index`, in a place that is a run of values of type `U`.
    ///
    /// # Safety
    /// The value lies within this place, aligned, and is valid as `U`.
    #[inline]
    pub(crate) unsafe fn item<U>(&self, index: usize) -> &Coref<U, A> {
        let start = self.place.as_ptr().cast::<U>().wrapping_add(index);
        // SAFETY: the caller vouches that the value lies within this place and is valid as `U`. So it has the place's owner,
        // image and mapping, for as long as the place does.
        unsafe { Coref::from_start(start.cast(), self.image(), 1, self.is_direct()) }
    }
}

impl<T: Remote, A: Access> Coref<T, A> {
    /// One-sided. Fetches the value.
    ///
    /// # Panics
    /// If the bytes are no valid `T`, which can happen only if images wrote to the place at the same time.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new([this_image() as f64, 0.5]);
    ///     let x = x.open();
    ///     let energy: f64 = (0..num_images()).map(|image| x.at(image)[0].get()).sum();
    ///     assert_eq!(energy, 3.0);
    ///     assert_eq!(x.at(2).get(), [2.0, 0.5]); // all of it
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.3; Fortran 2018 references to coindexed objects, clause 9.6.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self) -> T {
        const { T::CHECK };
        let value = if self.is_direct() {
            // SAFETY: aligned for `T` and valid for atomic reads: the contract of `new` says that the place is allocated and
            // mapped while `self` lives, and that nobody holds an exclusive reference to it.
            unsafe { direct::load(self.pointer().cast::<T>()) }
        } else {
            fetch_value(self)
        };
        // SAFETY: all bytes are initialised: they come from the place of a `T`, which has no padding.
        unsafe { check_value(value, self.image()) }
    }

    /// Local. The pointer to this place, which can be stored and travel. That to a read-only place is read-only.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// See [`Coptr`].
    ///
    /// # Source
    /// `address()`, *Coarray C++* section 3.5.
    #[must_use]
    pub fn address(&self) -> Coptr<T, A> {
        let image = Image::current();
        Coptr::new(
            self.image(),
            self.local_address() - image.heap(self.image()).addr(),
        )
    }
}

impl<T: Remote, A: Access> Coref<T, A> {
    /// One-sided. Stores `value` in the place.
    ///
    /// The value is visible to this image's next `get` at once, and to all images after the phase ends or
    /// the next `sync_all`.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::<[usize; 3]>::zeroed();
    ///     {
    ///         let x = x.open();
    ///         x.at((this_image() + 1) % 3)[this_image()].put(1);
    ///     }
    ///     assert_eq!(x.iter().sum::<usize>(), 1); // what the left neighbour put
    ///     assert_eq!(x[(this_image() + 2) % 3], 1);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.3; Fortran 2018 assignment to coindexed objects, clause 10.2.1.
    #[inline]
    #[track_caller]
    pub fn put(&self, value: T)
    where
        A: MayPut,
    {
        const { T::CHECK };
        if self.is_direct() {
            // SAFETY: aligned for `T` and valid for atomic writes: the contract of `new` says that the place is allocated and
            // mapped while `self` lives, and that nobody holds a reference to it. A `Remote` type has no padding.
            unsafe { direct::store(self.pointer().cast::<T>(), &value) }
        } else {
            send_value(self, value);
        }
    }
}

impl<T: Shared, A: Access> Coref<T, A> {
    /// Local. The shared value itself, for one operation.
    ///
    /// # Safety
    /// The place is mapped: it is direct, or on this node. The reference stays on this thread, and is not used after the image has left
    /// the phase of the coref.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub unsafe fn operand(&self) -> &T {
        // SAFETY: aligned, allocated and a valid `T` while `self` lives, as the contract of `new` says, and mapped, as the caller
        // says. `Shared` types allow references from all images at once.
        unsafe { &*ptr::with_exposed_provenance::<T>(self.local_address()) }
    }
}

impl<T: Shared> Coref<T> {
    /// Local. The shared value itself, if it is in memory that this process has mapped: on this image, or on another one of its node.
    ///
    /// # Examples
    /// For functions that take a plain reference:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// fn count(hits: &Coatomic<u32>) {
    ///     hits.add(3);
    /// }
    ///
    /// coarray::run(2, || {
    ///     let hits = Coarray::new(Coatomic::new(0));
    ///     match hits.at(1).as_local() {
    ///         Some(hits) => count(hits),
    ///         None => hits.at(1).add(3), // on another node
    ///     }
    ///     sync_all();
    ///     assert_eq!(hits.at(1).load(), 6);
    /// });
    /// ```
    ///
    /// # Source
    /// `shmem_ptr`, OpenSHMEM 1.5 section 9.3.2.
    #[inline]
    #[must_use]
    pub fn as_local(&self) -> Option<&T> {
        let is_mapped = self.is_direct() || is_on_this_node(self.image(), self.local_address());
        // SAFETY: the place is mapped. The coref is to a shared coarray, which has no phases.
        is_mapped.then(|| unsafe { self.operand() })
    }

    /// Local. As [`as_local`](Self::as_local); if the value is on another node, its place there.
    ///
    /// # Panics
    /// If the place may be on another node, and this thread is no image of its job.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn locate(&self) -> LocalOrRemote<'_, T> {
        if self.is_direct() {
            // SAFETY: the place is mapped. The coref is to a shared coarray, which has no phases.
            return LocalOrRemote::Local(unsafe { self.operand() });
        }
        let (image, address) = (self.image(), self.local_address());
        match offset_elsewhere(image, address).or_else(|| search_elsewhere(image, address)) {
            // SAFETY: as above.
            None => LocalOrRemote::Local(unsafe { self.operand() }),
            Some(offset) => LocalOrRemote::Remote(Place { image, offset }),
        }
    }
}

/// The offset on `image` of what this image sees at `address`; none if it has that mapped. The caller makes a place of it: one that is
/// returned in memory is copied before its words have reached the cache.
#[cold]
#[inline(never)]
#[track_caller]
fn search_elsewhere(image: usize, address: usize) -> Option<usize> {
    let located = Image::with_current(|here| {
        let place = here.place_on(image, address)?;
        Some((!here.shares_memory_with(image)).then_some(place.offset))
    });
    let Some(offset) = located else {
        panic!("a coref to a value on image {image} is in another job than this image's");
    };
    offset
}

/// Where a shared value is.
#[doc(hidden)]
#[derive(Debug)]
pub enum LocalOrRemote<'a, T: ?Sized> {
    /// In memory that this process has mapped.
    Local(&'a T),
    /// On another node: the fabric reaches it.
    Remote(Place),
}

/// Whether `image` is on the node of this thread's image, which maps a value of it at `address`.
#[cold]
#[inline(never)]
fn is_on_this_node(image: usize, address: usize) -> bool {
    Image::try_current().is_some_and(|here| {
        here.place_on(image, address).is_some() && here.shares_memory_with(image)
    })
}

impl<T: ?Sized, A: Access> fmt::Debug for Coref<T, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(
            formatter,
            "Coref<{name}> on image {} at {:#x}",
            self.image(),
            self.local_address()
        )
    }
}
