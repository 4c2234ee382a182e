//! The creation of coarrays: all images allocate the block, and each initialises its own part.

use std::marker::PhantomData;
use std::panic::Location;

use coarray_coref::{Remote, Shape, Symmetric};
use coarray_runtime::{AllocError, Call, Operation, Team};

use crate::coarray::Coarray;
use crate::storage::Storage;

impl<T: Symmetric> Coarray<T> {
    /// Collective. A coarray that holds `value` on this image; each image passes its own.
    ///
    /// The value passes through the stack, of which an image usually has 8 MiB: for large arrays [`zeroed`](crate::Bounded::zeroed) and
    /// [`from_fn`](crate::Bounded::from_fn) do not.
    ///
    /// # Panics
    /// On all images if there is no room, with the largest users of the heap. The job ends with a report if
    /// images create coarrays of different types, or if one has failed.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut energy = Coarray::new(0.5 * this_image() as f64);
    ///     *energy += 1.0; // a plain f64, as far as this image is concerned
    ///     let energy = energy.publish();
    ///     assert_eq!(energy.at(2).get(), 2.0);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.1; Fortran 2018 coarrays, clause 5.4.7.
    #[must_use]
    #[track_caller]
    pub fn new(value: T) -> Self {
        or_panic(Self::try_new(value))
    }

    /// Collective. As [`new`](Self::new), but returns the error.
    ///
    /// # Errors
    /// On all images alike if there is no room, or if images of the current team have failed; everything
    /// else stays as it was.
    ///
    /// # Panics
    /// On a thread that is not an image. The job ends with a report if images create coarrays of different types.
    ///
    /// # Examples
    /// A table as large as the heap allows:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let bytes = coarray::Launch::new(2).heap(1 << 17).run(|| match Coarray::try_new([0u8; 1 << 18]) {
    ///     Ok(large) => large.len(),
    ///     Err(_) => Coarray::new([0u8; 1 << 14]).len(), // refused on all images alike, and nothing was lost
    /// });
    /// assert_eq!(bytes.unwrap(), [1 << 14; 2]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `allocate` with `stat`, clause 9.7.4.
    #[track_caller]
    pub fn try_new(value: T) -> Result<Self, AllocError> {
        // SAFETY: `create` passes a place that is aligned and valid for writes of one `T`.
        create::<T>(1, Location::caller(), |place| unsafe { place.write(value) })
    }
}

/// By the default of the value: `let arrived: Coarray<[Coevent; 4]> = Coarray::default();`.
impl<T: Symmetric + Default> Default for Coarray<T> {
    /// Collective. As [`new`](Self::new) of `T`'s default.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// #[derive(Default)]
    /// struct Inbox {
    ///     letters: Coarray<[u64; 8]>,
    ///     arrived: Coarray<[Coevent; 2]>,
    ///     count: Coarray<Coatomic<u64>>,
    ///     door: Coarray<Comutex<()>>,
    /// }
    ///
    /// coarray::run(2, || {
    ///     let inbox = Inbox::default(); // all images make it together
    ///     let _alone = inbox.door.at(0).lock();
    ///     assert_eq!((inbox.letters[7], inbox.count.load(), inbox.arrived[1].query()), (0, 0, 0));
    /// });
    /// ```
    #[track_caller]
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Symmetric> Coarray<[T]> {
    /// Collective. A coarray of `extent` items, the same number on all images, whose item `i` is `item(i)` on
    /// this image.
    ///
    /// # Panics
    /// As [`new`](Self::new). The job ends with a report if images ask for different extents.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let cells = 5; // read from a file, say
    ///     let mut x = Coarray::<[usize]>::from_fn(cells, |i| 100 * this_image() + i);
    ///     let x = x.open();
    ///     assert_eq!(x.at(1)[3..].to_vec(), [103, 104]);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.1, where the leftmost extent is an argument; Fortran 2018 allocatable coarrays, clause 9.7.1.
    #[must_use]
    #[track_caller]
    pub fn from_fn(extent: usize, item: impl FnMut(usize) -> T) -> Self {
        or_panic(Self::try_from_fn(extent, item))
    }

    /// Collective. As [`from_fn`](Self::from_fn), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`].
    ///
    /// # Panics
    /// As [`Coarray::try_new`]. The job ends with a report if images ask for different extents.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let outcome = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let too_many = Coarray::<[u64]>::try_from_fn(1 << 20, |i| i as u64);
    ///     let fewer = Coarray::<[u64]>::try_from_fn(1 << 10, |i| i as u64); // nothing was lost
    ///     (too_many.is_err(), fewer.unwrap()[1023])
    /// });
    /// assert_eq!(outcome.unwrap(), [(true, 1023); 2]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_from_fn(extent: usize, item: impl FnMut(usize) -> T) -> Result<Self, AllocError> {
        // SAFETY: `create` passes a place that is aligned and valid for writes of `extent` items.
        create::<[T]>(extent, Location::caller(), |place| unsafe {
            fill(place, item)
        })
    }
}

impl<T> Coarray<[T]> {
    /// Collective. A coarray of the items of a slice, equally many on all images.
    ///
    /// # Panics
    /// As [`from_fn`](Self::from_fn).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let read = vec![this_image(); 3]; // from a file, say
    ///     let mut x = Coarray::from_slice(&read);
    ///     assert_eq!(x.open().at(1)[2].get(), 1);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`Coarray::new`]; [`Rc::from`](std::rc::Rc#impl-From<%26%5BT%5D>-for-Rc<%5BT%5D>) of a slice.
    #[must_use]
    #[track_caller]
    pub fn from_slice(items: &[T]) -> Self
    where
        T: Remote,
    {
        Self::from_fn(items.len(), |index| items[index])
    }

    /// Collective. As [`from_slice`](Self::from_slice), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`].
    ///
    /// # Panics
    /// As [`try_from_fn`](Self::try_from_fn).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let x = Coarray::try_from_slice(&[1.5; 3]).expect("there is room for three numbers");
    ///     assert_eq!(x[2], 1.5);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn try_from_slice(items: &[T]) -> Result<Self, AllocError>
    where
        T: Remote,
    {
        Self::try_from_fn(items.len(), |index| items[index])
    }

    /// Collective. A coarray of `extent` zeros, the same number on all images.
    ///
    /// # Panics
    /// As [`from_fn`](Self::from_fn).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let n = 3;
    ///     let y = Coarray::<[[i32; 20]]>::zeroed(n);
    ///     assert_eq!((y.len(), y[2][19]), (3, 0));
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.1, where the leftmost extent is an argument.
    #[must_use]
    #[track_caller]
    pub fn zeroed(extent: usize) -> Self
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        or_panic(Self::try_zeroed(extent))
    }

    /// Collective. As [`zeroed`](Self::zeroed), but returns the error.
    ///
    /// # Errors
    /// As [`Coarray::try_new`].
    ///
    /// # Panics
    /// As [`try_from_fn`](Self::try_from_fn).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let lengths = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     // As much as there is room for, halved until it fits.
    ///     let mut extent = 1 << 24;
    ///     loop {
    ///         match Coarray::<[f64]>::try_zeroed(extent) {
    ///             Ok(x) => return x.len(),
    ///             Err(_) => extent /= 2,
    ///         }
    ///     }
    /// });
    /// assert_eq!(lengths.unwrap(), [1 << 16; 2]);
    /// ```
    ///
    /// # Source
    /// As [`Coarray::try_new`].
    #[track_caller]
    pub fn try_zeroed(extent: usize) -> Result<Self, AllocError>
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        create::<[T]>(extent, Location::caller(), |place| {
            // SAFETY: `create` passes a place that is aligned and valid for writes of `extent` items, for which zero bytes are
            // valid.
            unsafe { place.cast::<T>().write_bytes(0, extent) }
        })
    }
}

/// Evaluated by every function that makes zeros, so that the compiler points to the call in the program.
pub(crate) struct Zero<T>(PhantomData<T>);

impl<T: Remote> Zero<T> {
    pub(crate) const IS_VALID: () = assert!(
        T::ZERO_IS_VALID,
        "zero bytes are no valid value of this type; use Coarray::new or Coarray::from_fn"
    );
}

/// Makes a coarray of `extent` items and lets `initialise` write this image's part.
pub(crate) fn create<T: ?Sized + Shape + 'static>(
    extent: usize,
    caller: &'static Location<'static>,
    initialise: impl FnOnce(*mut T),
) -> Result<Coarray<T>, AllocError> {
    let call = Call::on_values::<T>(Operation::Create, extent, 0, caller);
    // SAFETY: the call was made from `T` and `extent`, so images that agree on it agree on both.
    unsafe { create_by(&call, extent, initialise) }
}

/// As [`Coarray::try_from_fn`], for a coarray that is a part of an `Owner`; reports name the owner.
pub(crate) fn create_part<Owner: 'static, T: Symmetric>(
    extent: usize,
    caller: &'static Location<'static>,
    item: impl FnMut(usize) -> T,
) -> Result<Coarray<[T]>, AllocError> {
    let call = Call::on_part::<Owner, [T]>(extent, caller);
    // SAFETY: the call was made from `[T]` and `extent`, so images that agree on it agree on both. `create_by` passes a place that
    // is aligned and valid for writes of `extent` items.
    unsafe { create_by(&call, extent, |place| fill(place, item)) }
}

/// Initialises the items at `place` one after the other.
///
/// # Safety
/// The place is aligned, and valid for writes.
pub(crate) unsafe fn fill<T>(place: *mut [T], mut item: impl FnMut(usize) -> T) {
    for index in 0..place.len() {
        // SAFETY: the caller vouches that the place is aligned and valid for writes; the index is less than its length.
        unsafe { place.cast::<T>().add(index).write(item(index)) }
    }
}

/// # Safety
/// Images that agree on `call` agree on `T` and on the extent.
unsafe fn create_by<T: ?Sized + Shape + 'static>(
    call: &Call,
    extent: usize,
    initialise: impl FnOnce(*mut T),
) -> Result<Coarray<T>, AllocError> {
    const {
        assert!(
            !std::mem::needs_drop::<T::Item>(),
            "values in coarrays are not dropped"
        )
    }
    // SAFETY: the caller vouches that images that agree on `call` agree on `T` and on the extent.
    let storage = unsafe { Storage::allocate::<T>(call, extent) }?;
    initialise(T::pointer(storage.address().as_ptr(), extent));
    if T::Item::SHARED {
        // SAFETY: `initialise` has just written this image's part.
        unsafe { storage.creation_barrier(call) }?;
    }
    Ok(Coarray {
        storage,
        shape: PhantomData,
    })
}

#[track_caller]
pub(crate) fn or_panic<T: ?Sized + Shape + 'static>(
    created: Result<Coarray<T>, AllocError>,
) -> Coarray<T> {
    // No closure, whose line would be named instead of the program's.
    match created {
        Ok(coarray) => coarray,
        Err(error) => refuse(
            error,
            &Call::on_values::<T>(Operation::Create, 1, 0, Location::caller()),
        ),
    }
}

/// Panics, or ends the job, because a creation failed.
#[track_caller]
pub(crate) fn refuse(error: AllocError, call: &Call) -> ! {
    match error {
        AllocError::ImageFailed(failed) => {
            let team = Team::current();
            team.fail_because(&failed, &call.describe(&team))
        }
        error => panic!("{error}"),
    }
}
