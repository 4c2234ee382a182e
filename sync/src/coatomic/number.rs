//! The values whose coatomics have arithmetic or logic.

use coarray_coref::{BitsCell, NumberCell, Remote};

/// The values whose coatomics add, subtract, and find the smaller and the larger: integers of up to 64
/// bits, which wrap around, `f32` and `f64`.
///
/// # Examples
/// ```
/// use coarray::atomics::Number;
/// use coarray::prelude::*;
///
/// /// The sum over all images of a part of each, on image 0.
/// fn accumulate<T: Number>(total: &Coarray<Coatomic<T>>, part: T) {
///     total.at(0).add(part);
/// }
///
/// coarray::run(3, || {
///     let total = Coarray::new(Coatomic::new(0.5f32));
///     accumulate(&total, this_image() as f32);
///     sync_all();
///     assert_eq!(total.at(0).load(), 3.5);
/// });
/// ```
///
/// # Source
/// Fortran 2018 `atomic_add`, clause 16.9.20; OpenSHMEM 1.5 atomics, which include floats.
#[diagnostic::on_unimplemented(
    message = "there is no atomic arithmetic on `{Self}`",
    label = "not an integer of up to 64 bits, `f32` or `f64`",
    note = "`fetch_and`, `fetch_or` and `fetch_xor` are for `bool`; values of other types change in a loop of \
            `compare_exchange`"
)]
pub trait Number: Remote<Cell: NumberCell<Self>> {}

/// The values whose coatomics do logic bit by bit: integers of up to 64 bits, and `bool`.
///
/// # Examples
/// ```
/// use coarray::atomics::Bits;
/// use coarray::collectives::co_count;
/// use coarray::prelude::*;
///
/// fn mark<T: Bits + PartialEq>(flags: &Coref<Coatomic<T>>, flag: T) -> bool {
///     flags.fetch_or(flag) != flag // whether this image was the first
/// }
///
/// coarray::run(2, || {
///     let done = Coarray::new(Coatomic::new(false));
///     let first = co_count(mark(done.at(0), true));
///     assert_eq!(first, 1);
/// });
/// ```
///
/// # Source
/// Fortran 2018 `atomic_or` and its relatives, clause 16.9.
#[diagnostic::on_unimplemented(
    message = "there is no atomic logic on the bits of `{Self}`",
    label = "not an integer of up to 64 bits or `bool`",
    note = "values of other types change in a loop of `compare_exchange`"
)]
pub trait Bits: Remote<Cell: BitsCell<Self>> {}

macro_rules! implement {
    ($interface:ident for $($type:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl $interface for $type {}
    )* };
}

implement!(Number for u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);
implement!(Bits for u8 u16 u32 u64 usize i8 i16 i32 i64 isize bool);
