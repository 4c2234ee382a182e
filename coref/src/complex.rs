//! Complex numbers of the crate `num-complex` travel.

use num_complex::Complex;

use crate::locked::Locked;
use crate::remote::{Remote, Symmetric};

// SAFETY: two values without drop glue, pointer or handle, since `T` is `Symmetric`.
// Without `do_not_recommend` a list of implementations would bury the advice.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote<Element = T>> Symmetric for Complex<T> {}

// SAFETY: num-complex promises the layout of `[T; 2]`, so that there is no padding, and a value is valid if both parts are. It
// is its own one element.
#[diagnostic::do_not_recommend]
unsafe impl<T: Remote<Element = T>> Remote for Complex<T> {
    type Element = Self;
    type Cell = Locked<Self>;
    const CHECK: () = T::CHECK;
    const ANY_BITS: bool = T::ANY_BITS;
    const ZERO_IS_VALID: bool = T::ZERO_IS_VALID;

    #[inline]
    unsafe fn is_valid(value: *const Self) -> bool {
        // SAFETY: the caller vouches that `value` is aligned and valid for reads of initialised bytes, which are those of a
        // `[T; 2]`.
        unsafe { <[T; 2]>::is_valid(value.cast()) }
    }
}
