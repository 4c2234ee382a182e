//! Constants of `mpi.h` that rsmpi does not name.

use std::ffi::c_int;

use mpi::ffi::MPI_Op;

// SAFETY: constants.c defines these, with these types.
unsafe extern "C" {
    safe static MPI_RMA_REPLACE: MPI_Op;
    safe static MPI_RMA_NO_OP: MPI_Op;
    safe static MPI_RMA_MODE_NOCHECK: c_int;
    safe static MPI_RMA_WIN_MODEL: c_int;
    safe static MPI_RMA_WIN_UNIFIED: c_int;
    safe static MPI_RMA_MAX_ERROR_STRING: c_int;
}

/// The operation that replaces the old value.
#[inline]
pub(crate) fn replace() -> MPI_Op {
    MPI_RMA_REPLACE
}

/// The operation that keeps the old value.
#[inline]
pub(crate) fn no_op() -> MPI_Op {
    MPI_RMA_NO_OP
}

/// The assertion that no conflicting lock of the window is held or requested.
pub(crate) fn no_check() -> c_int {
    MPI_RMA_MODE_NOCHECK
}

/// The key of the attribute with the memory model of a window.
pub(crate) fn model() -> c_int {
    MPI_RMA_WIN_MODEL
}

/// The memory model in which public and private memory of a window are the same.
pub(crate) fn unified() -> c_int {
    MPI_RMA_WIN_UNIFIED
}

/// The length of the longest error text, with its terminating zero.
pub(crate) fn max_error_string() -> usize {
    usize::try_from(MPI_RMA_MAX_ERROR_STRING).unwrap_or(0)
}
