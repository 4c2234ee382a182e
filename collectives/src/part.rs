//! Elements as the bytes that images post, and back.

use std::marker::PhantomData;
use std::ops::Deref;

use coarray_coref::Remote;
use coarray_runtime::Contribution;

/// The bytes of values.
pub(crate) fn bytes<T: Remote>(values: &[T]) -> &[u8] {
    const { T::CHECK };
    // SAFETY: the slice is valid for reads of `size_of_val(values)` bytes while it is borrowed, all initialised: a `Remote`
    // type has no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Elements that an image has contributed.
pub(crate) struct Part<'a, T> {
    bytes: Contribution<'a>,
    elements: PhantomData<[T]>,
}

impl<'a, T: Remote> Part<'a, T> {
    /// # Safety
    /// The bytes were copied from `T`s, and start a whole number of `T`s behind a place that is aligned to 64 bytes.
    pub(crate) unsafe fn new(bytes: Contribution<'a>) -> Self {
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
        // SAFETY: the contract of `new`: the bytes start at a place aligned for `T`, whose alignment divides 64 and its own
        // size, and are valid `T`s: another image copied all of them from `T`s. They do not change while they are borrowed.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<T>()) }
    }
}
