//! x
mod agreement;
mod block;
mod checkpoint;
mod error;
mod layout;
mod npy;
mod raw;
mod scalar;
mod transfer;
mod vti;
mod whole_file;
pub use checkpoint::{Checkpoint, NotOfType, Restart, Value};
pub use error::{Error, ErrorKind};
pub use npy::{NpyHeader, read_npy, write_npy};
pub use raw::{read_raw, write_raw};
pub use scalar::{ElementType, Scalar};
pub use vti::{Vti, VtiHeader, read_vti};
