//! Which values may live in a coarray, and which may travel between images.

use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8,
    NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};

use crate::as_word::AsWord;
use crate::atomic_cell::AtomicCell;
use crate::locked::Locked;

/// A value that may live in the memory that images share: all [`Remote`] values, and all [`Shared`] ones.
///
/// # Safety
/// The type has no drop glue, and its bytes mean the same on every image: no references, pointers or
/// handles of one process.
///
/// # Examples
/// ```
/// use coarray::places::Symmetric;
/// use coarray::prelude::*;
///
/// fn one_each<T: Symmetric + Default>() -> Coarray<T> {
///     Coarray::new(T::default())
/// }
///
/// coarray::run(2, || {
///     let (x, events) = (one_each::<f64>(), one_each::<Coevent>());
///     assert_eq!((*x, events.query()), (0.0, 0));
/// });
/// ```
///
/// # Source
/// Symmetric objects, OpenSHMEM 1.5 section 3; the types of coarrays, *Coarray C++* section 3.1.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in a coarray",
    label = "not a value whose bytes mean the same on every image",
    note = "numbers, `bool`, `char`, arrays of them and structs with `#[derive(Clone, Copy, coarray::Remote)] #[repr(C)]` can",
    note = "the items of a vector, equally many on all images, fit a coarray of a slice: `Coarray::from_slice(&v)`",
    note = "text, and other data of a different length on each image, fits `coarray::Ragged<T>`, such as `Ragged<u8>`"
)]
pub unsafe trait Symmetric: 'static {
    /// Whether other images may reach a value from its creation on, because it is [`Shared`].
    #[doc(hidden)]
    const SHARED: bool = false;
}

/// A value that travels between images as its bytes.
///
/// Integers, floats, `bool`, `char`, the `NonZero` integers, `Complex` of `num-complex`, arrays of all these, [`Plain`]
/// wrappers around other [`bytemuck`] types, and structs and enums with `#[derive(Remote)]`.
///
/// # Safety
/// * Every byte of a value is initialised: the type has no padding.
/// * [`is_valid`](Self::is_valid) accepts exactly bytes that are a valid value, [`ANY_BITS`](Self::ANY_BITS)
///   is true only if it accepts all, [`ZERO_IS_VALID`](Self::ZERO_IS_VALID) only if it accepts zeros.
/// * `Self` is a whole number of [`Element`](Self::Element)s, one after the other, and as aligned as one.
/// * A value of any image may be copied to any other image: the type guards no resource.
///
/// # Examples
/// The derive says all of this for a struct, or refuses it:
/// ```
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, PartialEq, Debug, Remote)]
/// #[repr(C)]
/// struct Particle {
///     position: [f64; 3],
///     charge: i32,
///     alive: bool,
///     padding: [u8; 3], // every byte travels, so that there may be no gaps
/// }
///
/// fn send<T: Remote>(values: &mut Coarray<T>, image: usize, value: T) {
///     values.open().at(image).put(value);
/// }
///
/// coarray::run(2, || {
///     let nobody = Particle { position: [0.0; 3], charge: 0, alive: false, padding: [0; 3] };
///     let mut guest = Coarray::new(nobody);
///     let electron = Particle { charge: -1, alive: true, ..nobody };
///     send(&mut guest, 1 - this_image(), electron);
///     assert_eq!(*guest, electron);
/// });
/// ```
///
/// Complex numbers of the crate `num-complex` travel and are added up as others are:
/// ```
/// use coarray::prelude::*;
/// use num_complex::Complex;
///
/// coarray::run(4, || {
///     let mut wave = Coarray::new([Complex::new(0.5, this_image() as f64); 3]);
///     co_sum(&mut wave);
///     assert_eq!(wave[2], Complex::new(2.0, 6.0));
///     let wave = wave.open();
///     wave.at(1)[0].put(Complex::I);
///     assert_eq!(wave.at(1)[0].get(), Complex::I);
/// });
/// ```
///
/// # Source
/// Trivially copyable types and the traits of *Coarray C++* section 3.4; `NoUninit` and `CheckedBitPattern` of [`bytemuck`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot travel between images",
    label = "its bytes would mean nothing, or something wrong, on another image",
    note = "numbers, `bool`, `char`, arrays of them and structs with `#[derive(Clone, Copy, coarray::Remote)] #[repr(C)]` can",
    note = "the items of a vector, equally many on all images, fit a coarray of a slice: `Coarray::from_slice(&v)`",
    note = "text, and other data of a different length on each image, fits `coarray::Ragged<T>`, such as `Ragged<u8>`"
)]
pub unsafe trait Remote: Symmetric + Copy {
    /// The type inside all array brackets: `f64` for `[[f64; 20]; 10]`.
    type Element: Remote<Element = Self::Element>;

    /// The memory of a coatomic of this type: an atomic integer, or [`Locked`].
    #[doc(hidden)]
    type Cell: AtomicCell<Self>;

    /// Fails to compile for a type whose layout cannot travel. Every function that moves a value evaluates it, which `cargo check` does not show for types
    /// with parameters: `const _: () = Pair::<u8>::CHECK;` does.
    ///
    /// An array of no items, `[T; 0]`, travels if `T` does, so that `[T; N]` does for every `N`; other types without bytes are a mistake.
    const CHECK: () = ();

    /// Whether all bytes are a valid value, so that bytes from another image need no check.
    const ANY_BITS: bool;

    /// Whether zero bytes are a valid value.
    const ZERO_IS_VALID: bool;

    /// Local. Whether the bytes at `value` are a valid value.
    ///
    /// # Safety
    /// `value` is aligned and valid for reads of `size_of::<Self>()` initialised bytes.
    unsafe fn is_valid(value: *const Self) -> bool;
}

/// A value that several images may use at any time, because every access to it is atomic: coatomics,
/// coevents, comutexes, and arrays of them. Coarrays of these need no open phase.
///
/// # Safety
/// All access through `&Self` is sound from several images of one node, processes included, at the same time.
/// [`Symmetric::SHARED`] is true, and the type is not [`Remote`].
///
/// Nothing is relied on where a value is on another node: there is no reference to it ([`Coref::as_local`](crate::Coref::as_local)).
///
/// # Examples
/// ```
/// use coarray::places::Shared;
/// use coarray::prelude::*;
///
/// /// This image's own, and that of the next image.
/// fn pair<T: Shared>(all: &Coarray<T>) -> (&T, &Coref<T>) {
///     (&**all, all.at((this_image() + 1) % num_images()))
/// }
///
/// coarray::run(3, || {
///     let counters = Coarray::new(Coatomic::new(0));
///     let (mine, next) = pair(&counters);
///     next.add(1);
///     sync_all();
///     assert_eq!(mine.load(), 1);
/// });
/// ```
///
/// # Source
/// Coatomics, coevents and comutexes, *Coarray C++* sections 5.2, 6.2 and 6.3; [`Sync`], among processes.
#[diagnostic::on_unimplemented(
    message = "other images can reach a coarray of `{Self}` only while it is open",
    label = "this coarray is closed: it is private to each image",
    note = "open it first, on every image: `let x = x.open(); x.at(image)`; or `x.publish()` to let others only read"
)]
pub unsafe trait Shared: Symmetric + Sync {}

// SAFETY: it has neither drop glue nor handles.
#[diagnostic::do_not_recommend]
unsafe impl Symmetric for () {}

/// No bytes, for a lock that guards no value: `Comutex<()>`.
// SAFETY: it has no bytes, which are always valid, and is as an array of no `u8`s.
#[diagnostic::do_not_recommend]
unsafe impl Remote for () {
    type Element = u8;
    type Cell = Locked<Self>;
    const ANY_BITS: bool = true;
    const ZERO_IS_VALID: bool = true;

    unsafe fn is_valid(_value: *const Self) -> bool {
        true
    }
}

// SAFETY: an array has neither drop glue nor handles, since its elements have none.
unsafe impl<T: Symmetric, const N: usize> Symmetric for [T; N] {
    const SHARED: bool = T::SHARED;
}

// SAFETY: `&[T; N]` gives access to its elements only, each of which is `Shared`.
// Without `do_not_recommend` the compiler would report that the items are private, and not the coarray.
#[diagnostic::do_not_recommend]
unsafe impl<T: Shared, const N: usize> Shared for [T; N] {}

// SAFETY: an array is its elements one after the other, without padding between them (the Reference, "Array layout"), and is
// valid if they all are.
unsafe impl<T: Remote, const N: usize> Remote for [T; N] {
    type Element = T::Element;
    type Cell = Locked<Self>;
    const CHECK: () = T::CHECK;
    const ANY_BITS: bool = T::ANY_BITS;
    const ZERO_IS_VALID: bool = T::ZERO_IS_VALID;

    unsafe fn is_valid(value: *const Self) -> bool {
        // SAFETY: the caller vouches that the `N` elements at `value` are aligned and valid for reads of initialised bytes; the
        // index is less than `N`.
        T::ANY_BITS || (0..N).all(|index| unsafe { T::is_valid(value.cast::<T>().add(index)) })
    }
}

macro_rules! elements {
    ($($type:ident in $cell:ty),*; any_bits: $any:expr, zero: $zero:expr) => { $(
        // SAFETY: a number, `char` or `bool`: no drop glue, and no pointer or handle.
        // Without `do_not_recommend` a list of these types would bury the advice.
        #[diagnostic::do_not_recommend]
        unsafe impl Symmetric for $type {}

        // SAFETY: bytemuck's `NoUninit` says that there is no padding, its `CheckedBitPattern` which bytes are valid; the bounds
        // of `plain_is_valid` require both. Each of these types is its own one element.
        #[diagnostic::do_not_recommend]
        unsafe impl Remote for $type {
            type Element = Self;
            type Cell = $cell;
            const ANY_BITS: bool = $any;
            const ZERO_IS_VALID: bool = $zero;

            #[inline]
            unsafe fn is_valid(value: *const Self) -> bool {
                // SAFETY: the caller vouches that `value` is aligned and valid for reads of initialised bytes.
                $any || unsafe { plain_is_valid(value) }
            }
        }
    )* };
}

elements!(
    u8 in AtomicU8,
    u16 in AtomicU16,
    u32 in AtomicU32,
    u64 in AtomicU64,
    usize in AtomicUsize,
    i8 in AtomicI8,
    i16 in AtomicI16,
    i32 in AtomicI32,
    i64 in AtomicI64,
    isize in AtomicIsize,
    u128 in Locked<Self>,
    i128 in Locked<Self>,
    f32 in AsWord<Self>,
    f64 in AsWord<Self>;
    any_bits: true, zero: true
);
elements!(bool in AsWord<Self>, char in Locked<Self>; any_bits: false, zero: true);
elements!(
    NonZeroU8 in Locked<Self>,
    NonZeroU16 in Locked<Self>,
    NonZeroU32 in Locked<Self>,
    NonZeroU64 in Locked<Self>,
    NonZeroU128 in Locked<Self>,
    NonZeroUsize in Locked<Self>,
    NonZeroI8 in Locked<Self>,
    NonZeroI16 in Locked<Self>,
    NonZeroI32 in Locked<Self>,
    NonZeroI64 in Locked<Self>,
    NonZeroI128 in Locked<Self>,
    NonZeroIsize in Locked<Self>;
    any_bits: false, zero: false
);

/// Whether the bytes at `value` are a valid `T` by bytemuck's check.
///
/// # Safety
/// `value` is aligned and valid for reads of `size_of::<T>()` initialised bytes.
unsafe fn plain_is_valid<T: NoUninit + CheckedBitPattern>(value: *const T) -> bool {
    // SAFETY: the caller vouches that `value` is aligned and valid for reads of initialised bytes. `CheckedBitPattern` says that
    // `T::Bits` has the layout of `T`, and that all bytes are valid for it.
    let bits = unsafe { value.cast::<T::Bits>().read() };
    T::is_valid_bit_pattern(&bits)
}

/// Lets a value of another crate travel that is plain by [`bytemuck`]'s traits, such as a vector type.
///
/// # Examples
/// ```
/// use coarray::Plain;
/// use coarray::prelude::*;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// #[repr(transparent)]
/// struct Celsius(f32); // pretend that it comes from a crate that knows bytemuck only
/// // SAFETY: an `f32` and nothing else: zero bytes are a value, and so are all others.
/// unsafe impl bytemuck::Zeroable for Celsius {}
/// // SAFETY: as above.
/// unsafe impl bytemuck::Pod for Celsius {}
///
/// coarray::run(2, || {
///     let mut melt = Coarray::new([Plain(Celsius(20.0)); 3]);
///     let melt = melt.open();
///     melt.at(1)[this_image()].put(Plain(Celsius(660.3)));
///     assert_eq!(melt.at(1)[this_image()].get().0, Celsius(660.3));
/// });
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Plain<T>(
    /// The value.
    pub T,
);

impl<T: Zeroable> Plain<T> {
    /// Local. The value whose bytes are all zero, of a type that has one.
    ///
    /// # Examples
    /// ```
    /// use coarray::Plain;
    /// use coarray::prelude::*;
    ///
    /// #[derive(Clone, Copy, PartialEq, Debug)]
    /// #[repr(transparent)]
    /// struct Celsius(f32); // pretend that it comes from a crate that knows bytemuck only
    /// // SAFETY: an `f32` and nothing else: zero bytes are a value, and so are all others.
    /// unsafe impl bytemuck::Zeroable for Celsius {}
    /// // SAFETY: as above.
    /// unsafe impl bytemuck::Pod for Celsius {}
    ///
    /// coarray::run(2, || {
    ///     let melt = Coarray::<[Plain<Celsius>]>::from_fn(5, |_| Plain::zeroed());
    ///     assert_eq!(melt[4].0, Celsius(0.0));
    /// });
    /// ```
    ///
    /// # Source
    /// `Zeroable` of [`bytemuck`].
    #[must_use]
    pub fn zeroed() -> Self {
        Self(T::zeroed())
    }
}

// SAFETY: `NoUninit` excludes references and pointers, and its supertrait `Copy` drop glue.
unsafe impl<T: NoUninit + CheckedBitPattern> Symmetric for Plain<T> {}

// SAFETY: `Plain` is transparent; `NoUninit` says that there is no padding, `CheckedBitPattern` which bytes are valid. Both
// constants are false, so every value is checked.
unsafe impl<T: NoUninit + CheckedBitPattern> Remote for Plain<T> {
    type Element = Self;
    type Cell = Locked<Self>;
    const CHECK: () = assert!(size_of::<T>() > 0, "a value without bytes cannot travel");
    const ANY_BITS: bool = false;
    const ZERO_IS_VALID: bool = false;

    #[inline]
    unsafe fn is_valid(value: *const Self) -> bool {
        // SAFETY: the caller vouches that `value` is aligned and valid for reads of initialised bytes; `Plain` is transparent
        // over `T`.
        unsafe { plain_is_valid(value.cast::<T>()) }
    }
}
