//! Single values in checkpoints.

use std::fmt;

/// A single value in a checkpoint: the number of a step, a time, a seed, a name.
///
/// It comes from integers of up to 64 bits, `f32`, `f64`, `bool` and text, and turns back into the types that hold it
/// exactly.
///
/// # Examples
/// ```
/// use coarray_io::Value;
///
/// assert_eq!(Value::from(3u8), Value::Integer(3));
/// assert_eq!(i64::try_from(Value::Integer(3)), Ok(3));
/// assert!(u8::try_from(Value::Integer(300)).is_err());
/// ```
///
/// # Source
/// Attributes of files in HDF5.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// An integer of a type of up to 64 bits.
    Integer(i128),
    /// A real number; all its bits are kept.
    Real(f64),
    /// True or false.
    Truth(bool),
    /// Text.
    Text(String),
}

/// A value that does not fit the type asked for.
///
/// # Examples
/// ```
/// use coarray_io::Value;
///
/// let error = u8::try_from(Value::Integer(300)).unwrap_err();
/// assert_eq!(error.to_string(), "300 is no u8");
/// ```
///
/// # Source
/// As [`Value`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{value} is no {wanted}")]
pub struct NotOfType {
    value: Value,
    wanted: &'static str,
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(formatter),
            Self::Real(number) => number.fmt(formatter),
            Self::Truth(truth) => truth.fmt(formatter),
            Self::Text(text) => fmt::Debug::fmt(text, formatter),
        }
    }
}

macro_rules! integers {
    ($($integer:ident),*) => { $(
        impl From<$integer> for Value {
            fn from(value: $integer) -> Self {
                // Every one of these types has 64 bits at most.
                Self::Integer(value as i128)
            }
        }

        impl TryFrom<Value> for $integer {
            type Error = NotOfType;

            fn try_from(value: Value) -> Result<Self, NotOfType> {
                let fits = match value {
                    Value::Integer(number) => number.try_into().ok(),
                    _ => None,
                };
                fits.ok_or(NotOfType { value, wanted: stringify!($integer) })
            }
        }
    )* };
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! others {
    ($($other:ident: $name:ident, $wanted:expr);*) => { $(
        impl From<$other> for Value {
            fn from(value: $other) -> Self {
                Self::$name(value)
            }
        }

        impl TryFrom<Value> for $other {
            type Error = NotOfType;

            fn try_from(value: Value) -> Result<Self, NotOfType> {
                match value {
                    Value::$name(value) => Ok(value),
                    value => Err(NotOfType { value, wanted: $wanted }),
                }
            }
        }
    )* };
}

others!(f64: Real, "real number"; bool: Truth, "truth value"; String: Text, "text");

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::Real(value.into())
    }
}

impl TryFrom<Value> for f32 {
    type Error = NotOfType;

    fn try_from(value: Value) -> Result<Self, NotOfType> {
        match value {
            Value::Real(number) if f64::from(number as f32).to_bits() == number.to_bits() => {
                Ok(number as f32)
            }
            value => Err(NotOfType {
                value,
                wanted: "f32",
            }),
        }
    }
}
