//! The pointer to a place on an image: image number and offset in its heap, in 64 bits.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

use coarray_runtime::Image;

use crate::access::{Access, MayPut, ReadOnly, ReadWrite};
use crate::as_word::{AsWord, Word};
use crate::atomic_cell::{LockFree, check_layout};
use crate::coref::Coref;
use crate::remote::{Remote, Symmetric};

/// A pointer to a `T` on some image, or null.
///
/// It is a plain number: it means the same on every image, so it can be stored in coarrays and travel, and
/// structures linked by it can span images. Arithmetic moves it within its image, never to another.
///
/// Copointers to one image are ordered as their places are. Those to different images, and null, are not: no comparison of
/// them but that for equality is true.
///
/// `A` is what may be done at the place: a `Coptr<T, ReadOnly>` leads to corefs that only get.
///
/// # Examples
/// A list that goes through all images; each has one node of it:
/// ```
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, Remote)]
/// #[repr(C)]
/// struct Node {
///     value: usize,
///     next: Coptr<Node>,
/// }
///
/// coarray::run(4, || {
///     let (me, n) = (this_image(), num_images());
///     let mut nodes = Coarray::new(Node { value: me, next: Coptr::null() });
///     let nodes = nodes.open();
///     if me + 1 < n {
///         coarray::field!(nodes.here(), next).put(nodes.at(me + 1).address());
///     }
///     sync_all();
///     let (mut sum, mut place) = (0, nodes.at(0).address());
///     // SAFETY: `nodes` is open, and all pointers in it are to nodes, or null.
///     while let Some(node) = unsafe { place.as_coref() } {
///         let node = node.get();
///         sum += node.value;
///         place = node.next;
///     }
///     assert_eq!(sum, 6);
/// });
/// ```
///
/// Fill an array on another image, item by item, and read it there:
/// ```
/// use coarray::places::ReadOnly;
/// use coarray::prelude::*;
///
/// fn sum(values: impl Iterator<Item = Coptr<u32, ReadOnly>>) -> u32 {
///     // SAFETY: whoever calls this has the places open.
///     values.map(|place| unsafe { place.as_coref() }.unwrap().get()).sum()
/// }
///
/// coarray::run(3, || {
///     let mut x = Coarray::<[u32; 10]>::zeroed();
///     let x = x.open();
///     let right = x.at((this_image() + 1) % num_images());
///     let (begin, last) = (right[0].address(), right[9].address());
///     for place in begin.up_to(last + 1) {
///         // SAFETY: `x` is open, and the place lies in it.
///         unsafe { place.as_coref() }.unwrap().put((place - begin) as u32);
///     }
///     assert_eq!(sum(begin.read_only().up_to(last.into())), 36); // without the last
/// });
/// ```
///
/// # Source
/// `coptr` and `const_coptr`, *Coarray C++* section 3.5.
#[repr(transparent)]
pub struct Coptr<T, A: Access = ReadWrite> {
    /// `image << OFFSET_BITS | offset in its heap`; the first bytes of a heap are never a place.
    pub(crate) bits: u64,
    target: PhantomData<fn() -> (T, A)>,
}

pub(crate) const OFFSET_BITS: u32 = 44;
const OFFSET_MASK: u64 = (1 << OFFSET_BITS) - 1;

impl<T, A: Access> Coptr<T, A> {
    /// Local. The pointer to nothing.
    ///
    /// # Examples
    /// ```
    /// use coarray::Coptr;
    ///
    /// let end: Coptr<i32> = Coptr::null();
    /// assert!(end.is_null() && end.image().is_none());
    /// assert_eq!(end, Coptr::default());
    /// ```
    #[must_use]
    pub const fn null() -> Self {
        Self::of_bits(0)
    }

    pub(crate) const fn of_bits(bits: u64) -> Self {
        Self {
            bits,
            target: PhantomData,
        }
    }

    pub(crate) fn new(image: usize, offset: usize) -> Self {
        assert!(
            offset as u64 <= OFFSET_MASK,
            "a heap larger than 16 TiB is beyond the reach of copointers"
        );
        Self::of_bits((image as u64) << OFFSET_BITS | offset as u64)
    }

    /// Local. Whether it points to nothing.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.bits == 0
    }

    /// Local. The number of the image that it points to, in the team of all images; none if it is null.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(3, || {
    ///     let mut x = Coarray::new([0u16; 8]);
    ///     let x = x.open();
    ///     assert_eq!(x.at(2)[5].address().image(), Some(2));
    /// });
    /// ```
    #[must_use]
    pub const fn image(self) -> Option<usize> {
        if self.is_null() {
            None
        } else {
            Some((self.bits >> OFFSET_BITS) as usize)
        }
    }

    /// Local. The pointer `count` values further on the same image; back if negative. So do `+` and `-`.
    ///
    /// Like the arithmetic of raw pointers with `wrapping_offset` it may leave the array; it stays on the
    /// image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([0u16; 8]);
    ///     let x = x.open();
    ///     let first = x.at(1)[0].address();
    ///     assert_eq!(first.offset(5), x.at(1)[5].address());
    ///     assert_eq!(first.offset(9).offset(-9), first);
    ///     assert_eq!((first + 5, first + 9 - 9), (first.offset(5), first));
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.5.
    #[must_use]
    pub const fn offset(self, count: isize) -> Self {
        let bytes = (count as i64).wrapping_mul(size_of::<T>() as i64);
        let offset = (self.bits & OFFSET_MASK).wrapping_add_signed(bytes) & OFFSET_MASK;
        Self::of_bits(self.bits & !OFFSET_MASK | offset)
    }

    /// Local. How many values this lies behind `origin`; `None` if they are on different images, one is null, or
    /// the distance is no whole number of values.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([0u16; 8]);
    ///     let x = x.open();
    ///     let (first, last) = (x.at(1)[0].address(), x.at(1)[7].address());
    ///     assert_eq!((last.offset_from(first), first.offset_from(last)), (Some(7), Some(-7)));
    ///     assert_eq!(last.offset_from(x.at(0)[0].address()), None); // on another image
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.5.
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

    /// Local. The same place as memory of this image, if it is mapped here; null and pointers out of every heap
    /// give `None`.
    ///
    /// What may be done with the pointer depends on what the place's coarray allows, so using it is
    /// `unsafe`.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let mut x = Coarray::new([1.5; 8]);
    ///     let x = x.publish();
    ///     let place = x.at(1 - this_image())[3].address();
    ///     match place.to_local() {
    ///         // SAFETY: `x` is published: nobody writes to it.
    ///         Some(here) => assert_eq!(unsafe { here.read() }, 1.5),
    ///         None => assert!(!x.at(1 - this_image()).is_direct()), // the other image shares no memory with this one
    ///     }
    /// });
    /// ```
    ///
    /// # Source
    /// *Coarray C++* section 3.5; `shmem_ptr`, OpenSHMEM 1.5.
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

    /// Local. The place it points to, or `None` if it is null.
    ///
    /// # Safety
    /// It points to an aligned `T` in a coarray that is open, or if the copointer is read-only open or published, for all of `'a`,
    /// and until this image has completed the operations that it issued through the coref.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// See [`Coptr`].
    ///
    /// # Source
    /// *Coarray C++* section 3.5.
    #[must_use]
    pub unsafe fn as_coref<'a>(self) -> Option<&'a Coref<T, A>> {
        let image = self.image()?;
        let me = Image::current();
        let address = me.heap(image).addr() + (self.bits & OFFSET_MASK) as usize;
        // SAFETY: the caller vouches that an aligned `T` lies there, in a coarray whose phase allows the access for `'a` and until
        // this image has completed its operations; so the image exists. `is_direct` says whether its heap is mapped.
        Some(unsafe { Coref::new(address, image, 1, me.is_direct(image)) })
    }
}

impl<T, A: MayPut> Coptr<T, A> {
    /// Local. The same pointer, but its corefs only get. [`From`] does this as well.
    ///
    /// # Examples
    /// ```
    /// use coarray::places::ReadOnly;
    /// use coarray::prelude::*;
    ///
    /// #[derive(Clone, Copy, Remote)]
    /// #[repr(C)]
    /// struct Table {
    ///     first: Coptr<f64, ReadOnly>, // who finds the table cannot change it
    ///     length: usize,
    /// }
    ///
    /// coarray::run(2, || {
    ///     let mut values = Coarray::new([0.5; 8]);
    ///     let values = values.open();
    ///     let first = values.at(1)[0].address().read_only();
    ///     let table = Table { first, length: 8 };
    ///     assert_eq!((table.first.image(), table.length), (Some(1), 8));
    /// });
    /// ```
    ///
    /// # Source
    /// `const_coptr`, *Coarray C++* section 3.5.
    #[must_use]
    pub const fn read_only(self) -> Coptr<T, ReadOnly> {
        Coptr::of_bits(self.bits)
    }
}

impl<T> From<Coptr<T>> for Coptr<T, ReadOnly> {
    fn from(pointer: Coptr<T>) -> Self {
        pointer.read_only()
    }
}

// SAFETY: one `u64` without drop glue, which means the same on every image: an image number and an offset.
#[diagnostic::do_not_recommend]
unsafe impl<T: 'static, A: Access> Symmetric for Coptr<T, A> {}

// SAFETY: transparent over one `u64`, so there is no padding and any bits, zeros too, are a valid copointer: only the unsafe
// `as_coref` relies on what they name. It is its own one element.
#[diagnostic::do_not_recommend]
unsafe impl<T: 'static, A: Access> Remote for Coptr<T, A> {
    type Element = Self;
    type Cell = AsWord<Self>;
    const ANY_BITS: bool = true;
    const ZERO_IS_VALID: bool = true;

    unsafe fn is_valid(_value: *const Self) -> bool {
        true
    }
}

check_layout!(Coptr<u8>);

// SAFETY: the layout was just checked, and is that of `u64` for every `T` and `A`; any bits are a copointer.
#[diagnostic::do_not_recommend]
unsafe impl<T: 'static, A: Access> LockFree for Coptr<T, A> {}

impl<T: 'static, A: Access> Word for Coptr<T, A> {
    type Word = u64;

    #[inline]
    fn to_word(self) -> u64 {
        self.bits
    }

    #[inline]
    fn from_word(bits: u64) -> Self {
        Self::of_bits(bits)
    }
}

impl<T, A: Access> Clone for Coptr<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, A: Access> Copy for Coptr<T, A> {}

impl<T, A: Access> Default for Coptr<T, A> {
    fn default() -> Self {
        Self::null()
    }
}

impl<T, A: Access> PartialEq for Coptr<T, A> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<T, A: Access> Eq for Coptr<T, A> {}

impl<T, A: Access> Hash for Coptr<T, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<T, A: Access> fmt::Debug for Coptr<T, A> {
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
