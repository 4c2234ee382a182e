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
    /// The value passes through the stack, of which an image usually has 8 MiB: for large arrays [`zeroed`](Self::zeroed) and
    /// `from_fn` do not.
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

impl<T> Coarray<T> {
    /// Collective. A coarray of zeros.
    ///
    /// Types to which zero bytes are no value, such as `NonZeroU32`, do not compile here.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut plane = Coarray::<[[f64; 512]; 512]>::zeroed(); // 2 MiB, which never were on the stack
    ///     plane[3][4] = 1.0;
    ///     assert_eq!(plane.iter().flatten().sum::<f64>(), 1.0);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`new`](Self::new); OpenSHMEM 1.5 `shmem_calloc`.
    #[must_use]
    #[track_caller]
    pub fn zeroed() -> Self
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        or_panic(Self::try_zeroed())
    }

    /// Collective. As [`zeroed`](Self::zeroed), but returns the error.
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::AllocError;
    ///
    /// let refused = coarray::Launch::new(2).heap(1 << 20).run(|| {
    ///     let refused = Coarray::<[f64; 1 << 20]>::try_zeroed().unwrap_err();
    ///     matches!(refused, AllocError::HeapExhausted { requested, .. } if requested == 8 << 20)
    /// });
    /// assert_eq!(refused.unwrap(), [true, true]); // on all images alike
    /// ```
    ///
    /// # Source
    /// As [`try_new`](Self::try_new).
    #[track_caller]
    pub fn try_zeroed() -> Result<Self, AllocError>
    where
        T: Remote,
    {
        const { Zero::<T>::IS_VALID };
        // SAFETY: `create` passes a place that is aligned and valid for writes of one `T`, for which zero bytes are valid.
        create::<T>(1, Location::caller(), |place| unsafe {
            place.write_bytes(0, 1)
        })
    }
}

impl<T: Symmetric, const N: usize> Coarray<[T; N]> {
    /// Collective. A coarray whose item `i` is `item(i)` on this image. Large arrays never pass through the
    /// stack.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let x = Coarray::<[usize; 4]>::from_fn(|i| 10 * this_image() + i);
    ///     assert_eq!(x[3], 10 * this_image() + 3);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`new`](Self::new); [`std::array::from_fn`].
    #[must_use]
    #[track_caller]
    pub fn from_fn(item: impl FnMut(usize) -> T) -> Self {
        // SAFETY: `create` passes a place that is aligned and valid for writes of one array.
        or_panic(create::<[T; N]>(1, Location::caller(), |place| unsafe {
            fill::<T>(place, item)
        }))
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
fn create<T: ?Sized + Shape + 'static>(
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
unsafe fn fill<T>(place: *mut [T], mut item: impl FnMut(usize) -> T) {
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
fn or_panic<T: ?Sized + Shape + 'static>(created: Result<Coarray<T>, AllocError>) -> Coarray<T> {
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
