//! The types of numbers that windows can hold.

use mpi::datatype::SystemDatatype;
use mpi::ffi::{self, MPI_Datatype};
use mpi::traits::Equivalence;

mod sealed {
    use mpi::ffi::MPI_Datatype;

    pub trait Sealed {
        /// MPI's handle of the type, without rsmpi's function call.
        fn datatype() -> MPI_Datatype;
    }
}

/// A number type for which every bit pattern is a value, so that a process can read whatever others put there.
///
/// ```
/// fn holds<T: mpi_rma::Element>() {}
/// holds::<f64>();
/// ```
///
/// ```compile_fail
/// fn holds<T: mpi_rma::Element>() {}
/// holds::<bool>();
/// ```
///
/// # Source
/// The predefined datatypes, MPI 3.1 section 3.2.2.
pub trait Element:
    sealed::Sealed + Equivalence<Out = SystemDatatype> + Copy + Default + 'static
{
}

/// An integer that the atomic operations work on: 32 or 64 bits.
///
/// # Example
/// ```
/// use mpi_rma::{Error, Operation, Window, Word};
///
/// fn take_ticket<T: Word + From<u8>>(window: &Window, at: usize) -> Result<T, Error> {
///     window.fetch_and_op(0, at, Operation::Sum, T::from(1))
/// }
///
/// # fn main() -> Result<(), mpi_rma::Error> {
/// let universe = mpi::initialize().unwrap();
/// let window = Window::allocate(&universe, &universe.world(), 8)?;
/// assert!(take_ticket::<u32>(&window, 0)? < window.size() as u32);
/// window.free()
/// # }
/// ```
///
/// # Source
/// The integers of MPI 3.1 section 5.9.2 whose operations networks have.
pub trait Word: Element {}

macro_rules! elements {
    ($($element:ty: $datatype:ident,)*) => {$(
        impl sealed::Sealed for $element {
            #[inline]
            fn datatype() -> MPI_Datatype {
                // SAFETY: a constant that rsmpi defines.
                unsafe { ffi::$datatype }
            }
        }
        impl Element for $element {}
    )*};
}

macro_rules! words {
    ($($word:ty)*) => {$(
        impl Word for $word {}
    )*};
}

elements! {
    u8: RSMPI_UINT8_T,
    u16: RSMPI_UINT16_T,
    u32: RSMPI_UINT32_T,
    u64: RSMPI_UINT64_T,
    i8: RSMPI_INT8_T,
    i16: RSMPI_INT16_T,
    i32: RSMPI_INT32_T,
    i64: RSMPI_INT64_T,
    f32: RSMPI_FLOAT,
    f64: RSMPI_DOUBLE,
}

#[cfg(target_pointer_width = "64")]
elements! {
    usize: RSMPI_UINT64_T,
    isize: RSMPI_INT64_T,
}

#[cfg(target_pointer_width = "32")]
elements! {
    usize: RSMPI_UINT32_T,
    isize: RSMPI_INT32_T,
}

words!(u32 u64 usize i32 i64 isize);

/// MPI's handle of the type.
#[inline]
pub(crate) fn datatype<T: Element>() -> MPI_Datatype {
    T::datatype()
}
