//! Which numbers can be in a file, and what the formats call them.

use coarray::Remote;

/// A number of a type that files have: `bool`, the integers of 8 to 64 bits, `f32` and `f64`.
///
/// | here | `.npy` | VTK |
/// |---|---|---|
/// | `bool` | `\|b1` | `UInt8`, 0 or 1 |
/// | `u8`, `i8` | `\|u1`, `\|i1` | `UInt8`, `Int8` |
/// | `u16` ... `u64` | `<u2` ... `<u8` | `UInt16` ... `UInt64` |
/// | `i16` ... `i64` | `<i2` ... `<i8` | `Int16` ... `Int64` |
/// | `f32`, `f64` | `<f4`, `<f8` | `Float32`, `Float64` |
///
/// # Examples
/// ```
/// use coarray_io::{ElementType, Scalar};
///
/// assert_eq!(f64::TYPE, ElementType::F64);
/// assert_eq!(f64::TYPE.to_string(), "f64");
/// ```
///
/// # Source
/// The `.npy` format, NEP 1; the VTK file formats, section on XML.
pub trait Scalar: Remote + Send + Sync + sealed::Bytes {
    /// Which of the types it is.
    const TYPE: ElementType;
}

pub(crate) mod sealed {
    /// The memory of numbers as bytes.
    pub trait Bytes: Sized {
        #[doc(hidden)]
        fn bytes(cells: &[Self]) -> &[u8];

        /// Has `read` change the bytes. If they are then no values of the type, the cells stay as they were, and the
        /// index of the first wrong byte is returned.
        #[doc(hidden)]
        fn change<E>(
            cells: &mut [Self],
            read: impl FnOnce(&mut [u8]) -> Result<(), E>,
        ) -> Result<Option<usize>, E>;
    }
}

/// The type of the numbers in a file.
///
/// # Examples
/// ```
/// use coarray_io::ElementType;
///
/// assert_eq!(ElementType::U16.bytes(), 2);
/// ```
///
/// # Source
/// As [`Scalar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ElementType {
    /// `bool`, one byte that is 0 or 1.
    Bool,
    /// `u8`.
    U8,
    /// `i8`.
    I8,
    /// `u16`.
    U16,
    /// `i16`.
    I16,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `u64`.
    U64,
    /// `i64`.
    I64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

/// The names of a type: in Rust, in `.npy` without the byte order, and in VTK.
type Names = (ElementType, &'static str, &'static str, &'static str);

const NAMES: [Names; 11] = [
    (ElementType::Bool, "bool", "b1", "UInt8"),
    (ElementType::U8, "u8", "u1", "UInt8"),
    (ElementType::I8, "i8", "i1", "Int8"),
    (ElementType::U16, "u16", "u2", "UInt16"),
    (ElementType::I16, "i16", "i2", "Int16"),
    (ElementType::U32, "u32", "u4", "UInt32"),
    (ElementType::I32, "i32", "i4", "Int32"),
    (ElementType::U64, "u64", "u8", "UInt64"),
    (ElementType::I64, "i64", "i8", "Int64"),
    (ElementType::F32, "f32", "f4", "Float32"),
    (ElementType::F64, "f64", "f8", "Float64"),
];

impl ElementType {
    /// Local. The bytes of one number.
    ///
    /// # Examples
    /// See [`ElementType`].
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    fn names(self) -> &'static Names {
        &NAMES[self as usize]
    }

    pub(crate) fn rust_name(self) -> &'static str {
        self.names().1
    }

    pub(crate) fn npy_name(self) -> &'static str {
        self.names().2
    }

    pub(crate) fn vtk_name(self) -> &'static str {
        self.names().3
    }

    pub(crate) fn from_rust_name(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|names| names.1 == name)
            .map(|names| names.0)
    }

    pub(crate) fn from_npy_name(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|names| names.2 == name)
            .map(|names| names.0)
    }
}

impl std::fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.rust_name())
    }
}

macro_rules! numbers {
    ($($number:ident: $name:ident),*) => { $(
        impl Scalar for $number {
            const TYPE: ElementType = ElementType::$name;
        }

        impl sealed::Bytes for $number {
            fn bytes(cells: &[Self]) -> &[u8] {
                bytemuck::cast_slice(cells)
            }

            fn change<E>(
                cells: &mut [Self],
                read: impl FnOnce(&mut [u8]) -> Result<(), E>,
            ) -> Result<Option<usize>, E> {
                read(bytemuck::cast_slice_mut(cells)).map(|()| None)
            }
        }
    )* };
}

numbers!(u8: U8, i8: I8, u16: U16, i16: I16, u32: U32, i32: I32, u64: U64, i64: I64, f32: F32, f64: F64);

impl Scalar for bool {
    const TYPE: ElementType = ElementType::Bool;
}

impl sealed::Bytes for bool {
    fn bytes(cells: &[Self]) -> &[u8] {
        bytemuck::cast_slice(cells)
    }

    fn change<E>(
        cells: &mut [Self],
        read: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        // A file may hold anything, and a `bool` other than 0 or 1 must never exist.
        let mut copy = Self::bytes(cells).to_vec();
        read(&mut copy)?;
        let wrong = copy.iter().position(|&byte| byte > 1);
        if wrong.is_none() {
            for (cell, byte) in cells.iter_mut().zip(copy) {
                *cell = byte == 1;
            }
        }
        Ok(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::{ElementType, NAMES, sealed::Bytes};

    #[test]
    fn every_type_is_found_under_its_names() {
        for (index, names) in NAMES.iter().enumerate() {
            assert_eq!(names.0 as usize, index, "{names:?}");
            assert_eq!(ElementType::from_rust_name(names.1), Some(names.0));
            assert_eq!(ElementType::from_npy_name(names.2), Some(names.0));
            let bytes = names.2[1..].parse();
            assert_eq!(Ok(names.0.bytes()), bytes);
        }
        assert_eq!(ElementType::from_npy_name("c16"), None);
    }

    #[test]
    fn bytes_that_are_no_truth_values_change_nothing() {
        let mut cells = [true, false, true];
        let outcome = bool::change(&mut cells, |bytes| {
            bytes.copy_from_slice(&[0, 2, 1]);
            Ok::<_, ()>(())
        });
        assert_eq!((outcome, cells), (Ok(Some(1)), [true, false, true]));
        let outcome = bool::change(&mut cells, |bytes| {
            bytes.copy_from_slice(&[0, 1, 1]);
            Ok::<_, ()>(())
        });
        assert_eq!((outcome, cells), (Ok(None), [false, true, true]));
    }
}
