//! The pointer to a place on an image.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

use coarray_fabric::Image;

use crate::as_word::{AsWord, Word};
use crate::coref::Coref;
use crate::remote::{Remote, Symmetric};

/// A pointer to a `T` on some image, or null.
///
/// It is a plain number: it means the same on every image, so it can be stored in coarrays and travel, and
/// structures linked by it can span images. Arithmetic moves it within its image, never to another.
///
/// # Examples
/// ```
/// use coarray_coref::Coptr;
///
/// let end: Coptr<i32> = Coptr::null();
/// assert!(end.is_null() && end.image().is_none());
/// ```
///
/// # Source
/// *Coarray C++* section 3.5.
#[repr(transparent)]
pub struct Coptr<T> {
    /// `image << OFFSET_BITS | offset in its heap`; the first bytes of a heap are never a place.
    bits: u64,
    target: PhantomData<fn() -> T>,
}

const OFFSET_BITS: u32 = 44;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

impl<T> Coptr<T> {
    /// The pointer to nothing.
    #[must_use]
    pub const fn null() -> Self {
        Self {
            bits: 0,
            target: PhantomData,
        }
    }

    pub(crate) fn new(image: usize, offset: usize) -> Self {
        assert!(
            offset as u64 <= OFFSET_MASK,
            "a heap larger than 16 TiB is beyond the reach of copointers"
        );
        Self {
            bits: (image as u64) << OFFSET_BITS | offset as u64,
            target: PhantomData,
        }
    }

    /// Whether it points to nothing.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.bits == 0
    }

    /// The image it points to.
    #[must_use]
    pub const fn image(self) -> Option<usize> {
        if self.is_null() {
            None
        } else {
            Some((self.bits >> OFFSET_BITS) as usize)
        }
    }

    /// The pointer `count` values further on the same image; back if negative.
    ///
    /// Like the arithmetic of raw pointers with `wrapping_offset` it may leave the array; it stays on the
    /// image.
    #[must_use]
    pub const fn offset(self, count: isize) -> Self {
        let bytes = (count as i64).wrapping_mul(size_of::<T>() as i64);
        let offset = (self.bits & OFFSET_MASK).wrapping_add_signed(bytes) & OFFSET_MASK;
        Self {
            bits: self.bits & !OFFSET_MASK | offset,
            target: PhantomData,
        }
    }

    /// How many values this lies behind `origin`; `None` if they are on different images, one is null, or
    /// the distance is no whole number of values.
    #[must_use]
    pub fn offset_from(self, origin: Self) -> Option<isize> {
        if self.image()? != origin.image()? || size_of::<T>() == 0 {
            return None;
        }
        // Arithmetic may have moved one of them below its heap: the difference counts modulo OFFSET_BITS.
        let unused = u64::BITS - OFFSET_BITS;
        let bytes = (self.bits.wrapping_sub(origin.bits) << unused) as isize >> unused;
        let size = size_of::<T>() as isize;
        (bytes % size == 0).then_some(bytes / size)
    }

    /// The same place as memory of this image, if it is mapped here; null and pointers out of every heap
    /// give `None`.
    ///
    /// What may be done with the pointer depends on what the place's coarray allows, so using it is
    /// `unsafe`.
    #[must_use]
    pub fn to_local(self) -> Option<NonNull<T>> {
        let (image, offset) = (self.image()?, (self.bits & OFFSET_MASK) as usize);
        let me = Image::current();
        let inside = image < me.images() && offset.checked_add(size_of::<T>())? <= me.heap_bytes();
        if !inside || !(me.is_direct(image) || image == me.index()) {
            return None;
        }
        // The offset was checked against the heap, so the arithmetic stays within the mapping.
        NonNull::new(me.heap(image).wrapping_add(offset).cast())
    }

    /// The place it points to, or `None` if it is null.
    ///
    /// # Safety
    /// It points to an aligned `T` in a coarray that is open for all of `'a`, and until this image has completed
    /// the operations that it issued through the coref.
    ///
    /// # Examples
    /// ```text
    /// let head = nodes.at(3)[0].address();
    /// let node = unsafe { head.as_coref() };      // nodes is open here
    /// ```
    #[must_use]
    pub unsafe fn as_coref<'a>(self) -> Option<&'a Coref<T>> {
        let image = self.image()?;
        let me = Image::current();
        let address = me.heap(image).addr() + (self.bits & OFFSET_MASK) as usize;
        // SAFETY: the caller vouches for the place.
        Some(unsafe { Coref::new(address, image, 1, me.is_direct(image)) })
    }
}

// SAFETY: a number that means the same on every image.
#[diagnostic::do_not_recommend]
unsafe impl<T: 'static> Symmetric for Coptr<T> {}

// SAFETY: one `u64`; using what it points to is unsafe, so any bits are a valid copointer.
#[diagnostic::do_not_recommend]
unsafe impl<T: 'static> Remote for Coptr<T> {
    type Element = Self;
    type Cell = AsWord<Self>;
    const ANY_BITS: bool = true;
    const ZERO_IS_VALID: bool = true;

    unsafe fn is_valid(_value: *const Self) -> bool {
        true
    }
}

impl<T: 'static> Word for Coptr<T> {
    type Word = u64;

    #[inline]
    fn to_word(self) -> u64 {
        self.bits
    }

    #[inline]
    fn from_word(bits: u64) -> Self {
        Self {
            bits,
            target: PhantomData,
        }
    }
}

impl<T> Clone for Coptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Coptr<T> {}

impl<T> Default for Coptr<T> {
    fn default() -> Self {
        Self::null()
    }
}

impl<T> PartialEq for Coptr<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<T> Eq for Coptr<T> {}

impl<T> Hash for Coptr<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<T> fmt::Debug for Coptr<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.image() {
            Some(image) => write!(
                formatter,
                "Coptr(image {image} + {:#x})",
                self.bits & OFFSET_MASK
            ),
            None => formatter.write_str("Coptr(null)"),
        }
    }
}
