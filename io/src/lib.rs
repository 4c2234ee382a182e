//! x
mod agreement;
mod block;
mod error;
mod layout;
mod npy;
mod raw;
mod scalar;
mod transfer;
mod whole_file;
pub use error::{Error, ErrorKind};
pub use npy::{NpyHeader, read_npy, write_npy};
pub use raw::{read_raw, write_raw};
pub use scalar::{ElementType, Scalar};
