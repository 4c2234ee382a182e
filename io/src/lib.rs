//! x
mod agreement;
mod error;
mod layout;
mod scalar;
mod transfer;
mod whole_file;
pub use error::{Error, ErrorKind};
pub use scalar::{ElementType, Scalar};
