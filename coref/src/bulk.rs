//! Whole arrays, rows and slices: `get_into`, `put_from`, `copy_from`, `fill` and `to_vec`.
//!
//! Bytes that need a check before they are values arrive in a small batch, and go on to the target element by element.

use std::mem::MaybeUninit;
use std::panic::Location;

use coarray_fabric::{SignalOperation, attribute_to, direct, reach_to_put};

use crate::access::{Access, MayPut};
use crate::coref::Coref;
use crate::remote::Remote;
use crate::shape::{Shape, elements_in};
use crate::transfer::{Torn, checked, fetch, send};

/// Elements that are checked or replicated at a time; fewer if they are large.
const BATCH: usize = 64;

/// The most bytes that a batch takes on the stack.
const BATCH_BYTES: usize = 16 << 10;

impl<T, A: Access> Coref<T, A>
where
    T: ?Sized + Shape<Item: Remote>,
{
    /// Size of the place in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.leading_extent() * size_of::<T::Item>()
    }

    /// One-sided. Fetches the whole place into `target`, which has the same shape.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ; or if bytes are no valid
    /// values, which can happen only if images wrote to the place at the same time.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut plane = Coarray::new([[this_image() as f64; 4]; 3]);
    ///     let plane = plane.open();
    ///     let mut row = [0.0; 4]; // allocated once, used for many gets
    ///     for i in 0..3 {
    ///         plane.at(1)[i].get_into(&mut row);
    ///         assert_eq!(row, [1.0; 4]);
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.3, assignment of arrays; `shmem_getmem`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    pub fn get_into(&self, target: &mut T) {
        self.check_extent(target.extent());
        // SAFETY: the target is borrowed mutably, and has as many elements as the place: the extents are equal.
        let arrived = unsafe { self.get_elements(target.elements_mut().as_mut_ptr()) };
        if let Err(torn) = arrived {
            torn.report();
        }
    }

    /// Fetches all elements to `target`, which need not be initialised.
    ///
    /// # Errors
    /// If an element is not valid. It and the elements after it are not written.
    ///
    /// # Safety
    /// `target` is aligned and valid for writes of as many elements as the place has.
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn get_elements(&self, target: *mut Element<T>) -> Result<(), Torn> {
        const { T::Item::CHECK };
        if <T::Item>::ANY_BITS {
            // SAFETY: the caller vouches that `target` is valid for writes of the elements, which are `bytes` bytes; the place
            // has that many.
            unsafe { self.get_bytes(0, target.cast(), self.bytes()) };
            return Ok(());
        }
        let count = self.leading_extent() * elements_in::<T::Item>();
        let caller = Location::caller();
        let _at = (!self.is_direct()).then(|| attribute_to(caller));
        with_batch(|batch| {
            for start in (0..count).step_by(batch.len()) {
                let length = batch.len().min(count - start);
                let size = size_of::<Element<T>>();
                // SAFETY: the batch is valid for writes of `length` elements, and the place has them from `start` on.
                unsafe { self.get_bytes(start * size, batch.as_mut_ptr().cast(), length * size) };
                // SAFETY: the first `length` elements of the batch were just filled. The caller vouches that `target` is
                // aligned and valid for writes of `count` elements, and `start + length <= count`.
                unsafe { write_checked(&batch[..length], target.add(start), self.image())? };
            }
            Ok(())
        })
    }

    /// # Safety
    /// `target` is valid for writes of `length` bytes, and the place has `length` bytes from `offset` on.
    #[track_caller]
    unsafe fn get_bytes(&self, offset: usize, target: *mut u8, length: usize) {
        // SAFETY: the caller vouches for `target` and that the bytes lie in the place. A direct place is mapped; nobody holds
        // an exclusive reference to it, as the contract of `Coref::new` says, and others access it through `direct`, too.
        unsafe {
            if self.is_direct() {
                direct::copy(target, self.pointer().add(offset), length);
            } else {
                fetch(self.part::<T>(offset, 0), target, length);
            }
        }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn check_extent(&self, extent: usize) {
        if extent != self.leading_extent() {
            extents_differ(extent, self.leading_extent(), self.image());
        }
    }
}

impl<T, A: Access> Coref<T, A>
where
    T: ?Sized + Shape<Item: Remote>,
{
    /// One-sided. Stores `source`, which has the same shape, in the whole place.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut halo = Coarray::<[[f64; 4]; 2]>::zeroed();
    ///     {
    ///         let halo = halo.open();
    ///         let edge = [1.0, 2.0, 3.0, 4.0];
    ///         halo.at(1 - this_image())[this_image()].put_from(&edge); // a row
    ///         halo.at(this_image())[this_image()][1..3].put_from(&[7.0, 8.0]); // a part of one
    ///     }
    ///     assert_eq!(halo[1 - this_image()], [1.0, 2.0, 3.0, 4.0]);
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.3, assignment of arrays; `shmem_putmem`, OpenSHMEM 1.5.
    #[inline]
    #[track_caller]
    pub fn put_from(&self, source: &T)
    where
        A: MayPut,
    {
        const { T::Item::CHECK };
        self.check_extent(source.extent());
        // SAFETY: the source is borrowed, its elements are valid, and they take as many bytes as the place has: the extents are
        // equal.
        unsafe { self.put_bytes(0, source.elements().as_ptr().cast(), self.bytes()) }
    }

    /// As [`put_from`](Self::put_from), through the fabric: a put with signal to the word at `signal` in the part of the image.
    ///
    /// # Panics
    /// If the leading extents differ; on a thread that is not an image.
    ///
    /// # Safety
    /// As [`Fabric::put_signal`](coarray_fabric::Fabric::put_signal) asks of the word.
    #[doc(hidden)]
    #[track_caller]
    pub unsafe fn put_signal(&self, source: &T, signal: usize, operation: SignalOperation)
    where
        A: MayPut,
    {
        const { T::Item::CHECK };
        self.check_extent(source.extent());
        let (image, source) = (self.image(), source.elements().as_ptr().cast());
        reach_to_put(image, self.local_address(), |fabric, offset| {
            // SAFETY: the source is borrowed, its elements are valid, and they take as many bytes as the place has: the extents are equal. Its
            // owner holds no reference to the place, as the contract of `Coref::new` says. The caller vouches for the word.
            unsafe { fabric.put_signal(image, offset, source, self.bytes(), signal, operation) }
        });
    }

    /// # Safety
    /// `source` is valid for reads of `length` bytes, and the place has `length` bytes from `offset` on.
    #[track_caller]
    unsafe fn put_bytes(&self, offset: usize, source: *const u8, length: usize)
    where
        A: MayPut,
    {
        // SAFETY: the caller vouches for `source` and that the bytes lie in the place. A direct place is mapped; nobody holds a
        // reference to it, as the contract of `Coref::new` says, and others access it through `direct`, too.
        unsafe {
            if self.is_direct() {
                direct::copy(self.pointer().add(offset), source, length);
            } else {
                send(self.part::<T>(offset, 0), source, length);
            }
        }
    }

    /// One-sided. Copies another place of the same shape, on any image, to this one.
    ///
    /// # Panics
    /// If the leading extents, where they are known only at run time, differ.
    ///
    /// # Examples
    /// Image 0 copies from image 2 to image 1:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new([this_image(); 4]);
    ///     {
    ///         let x = x.open();
    ///         if this_image() == 0 {
    ///             x.at(1)[..2].copy_from(&x.at(2)[2..]);
    ///         }
    ///     }
    ///     assert_eq!(*x, if this_image() == 1 { [2, 2, 1, 1] } else { [this_image(); 4] });
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.3: `y(i) = x(j)`.
    #[track_caller]
    pub fn copy_from<B: Access>(&self, source: &Coref<T, B>)
    where
        A: MayPut,
    {
        const { T::Item::CHECK };
        self.check_extent(source.leading_extent());
        if self.is_direct() && source.is_direct() {
            // SAFETY: both places are mapped and `bytes` long, since their extents are equal; `copy` lets them overlap. Nobody
            // holds a reference that forbids it, as the contract of `Coref::new` says. Bytes that a race has torn stay torn:
            // the next `get`, or the end of the phase, checks them.
            return unsafe { direct::copy(self.pointer(), source.pointer(), self.bytes()) };
        }
        let mut bytes = Vec::<u8>::with_capacity(self.bytes());
        // SAFETY: the vector is valid for writes of `bytes` bytes, and afterwards for reads. Source and target have that many:
        // their extents are equal.
        unsafe {
            source.get_bytes(0, bytes.as_mut_ptr(), self.bytes());
            self.put_bytes(0, bytes.as_ptr(), self.bytes());
        }
    }

    /// One-sided. Stores `value` in every element.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::<[[u8; 5]; 5]>::zeroed();
    ///     {
    ///         let x = x.open();
    ///         x.at(1 - this_image()).fill(1);
    ///         x.at(1 - this_image())[2].fill(9);
    ///     }
    ///     assert_eq!((x[1], x[2]), ([1; 5], [9; 5]));
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 assignment of a scalar to a coindexed array, clause 10.2.1.3.
    #[track_caller]
    pub fn fill(&self, value: Element<T>)
    where
        A: MayPut,
    {
        const { T::Item::CHECK };
        let count = self.leading_extent() * elements_in::<T::Item>();
        let caller = Location::caller();
        let _at = (!self.is_direct()).then(|| attribute_to(caller));
        with_batch(|batch| {
            let length = batch.len().min(count);
            batch[..length].fill(MaybeUninit::new(value));
            for start in (0..count).step_by(batch.len()) {
                let size = size_of::<Element<T>>();
                // SAFETY: the first `length` elements of the batch were just written, and no more are read; the place has
                // `count - start` elements from `start` on.
                unsafe {
                    self.put_bytes(
                        start * size,
                        batch.as_ptr().cast(),
                        length.min(count - start) * size,
                    )
                }
            }
        });
    }
}

impl<T: Remote, A: Access> Coref<[T], A> {
    /// One-sided. Fetches all items into a vector.
    ///
    /// # Panics
    /// As [`get_into`](Self::get_into).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut names = Ragged::from_fn(this_image() + 3, |i| b'a' + i as u8);
    ///     let names = names.publish();
    ///     assert_eq!(names.at(2).to_vec(), b"abcde"); // however long it is there
    /// });
    /// ```
    ///
    /// # Source
    /// [`slice::to_vec`].
    #[must_use]
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        let mut items = Vec::<T>::with_capacity(self.len());
        // SAFETY: the vector is aligned and has room for all items, which are whole numbers of elements.
        let arrived = unsafe { self.get_elements(items.as_mut_ptr().cast()) };
        if let Err(torn) = arrived {
            torn.report();
        }
        // SAFETY: `len` items fit the capacity, and `get_elements` has written all of them.
        unsafe { items.set_len(self.len()) };
        items
    }
}

/// Calls `work` with room for a few elements: on the stack, unless they are too large for that.
#[inline]
fn with_batch<E, R>(work: impl FnOnce(&mut [MaybeUninit<E>]) -> R) -> R {
    if BATCH * size_of::<E>() <= BATCH_BYTES {
        on_stack(work)
    } else {
        let few = (BATCH_BYTES / size_of::<E>()).max(1);
        work(Box::new_uninit_slice(few).as_mut())
    }
}

/// Not inlined into `with_batch`, so that only this path takes the room on the stack.
#[inline]
fn on_stack<E, R>(work: impl FnOnce(&mut [MaybeUninit<E>]) -> R) -> R {
    work(&mut [const { MaybeUninit::uninit() }; BATCH])
}

/// Writes elements that arrived from `image` to `target`, up to the first that is not valid.
///
/// # Errors
/// If an element is not valid.
///
/// # Safety
/// All bytes of `elements` are initialised; `target` is aligned and valid for writes of as many elements.
pub(crate) unsafe fn write_checked<E: Remote>(
    elements: &[MaybeUninit<E>],
    target: *mut E,
    image: usize,
) -> Result<(), Torn> {
    for (index, element) in elements.iter().enumerate() {
        // SAFETY: the caller vouches that all its bytes are initialised.
        let element = unsafe { checked(*element, image)? };
        // SAFETY: the caller vouches that `target` is aligned and valid for writes of `elements.len()` elements; the index is
        // less.
        unsafe { target.add(index).write(element) };
    }
    Ok(())
}

/// The element type of a shape.
pub(crate) type Element<T> = <<T as Shape>::Item as Remote>::Element;

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn extents_differ(local: usize, remote: usize, image: usize) -> ! {
    panic!(
        "a run of {local} values does not fit a coref with extent {remote} on image {image}: the extents must be equal"
    )
}
