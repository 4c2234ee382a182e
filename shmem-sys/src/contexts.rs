//! Contexts: streams of operations that are ordered and completed independently of each other. OpenSHMEM 1.4, 9.4.

use std::ffi::{c_int, c_long, c_void};

/// A context.
pub type shmem_ctx_t = *mut c_void;

unsafe extern "C" {
    /// Makes a context with the properties in `options`, some of `SHMEM_CTX_*`. Returns 0 on success. See
    /// [`FINALIZE_MAY_HANG_WITH_CONTEXTS`](crate::FINALIZE_MAY_HANG_WITH_CONTEXTS).
    pub fn shmem_ctx_create(options: c_long, ctx: *mut shmem_ctx_t) -> c_int;

    /// Completes the context's outstanding operations, and destroys it.
    pub fn shmem_ctx_destroy(ctx: shmem_ctx_t);
}

include!(concat!(env!("OUT_DIR"), "/default_context.rs"));

/// The context of all calls that name none: in C, `SHMEM_CTX_DEFAULT`.
///
/// It is a function because some libraries set it while they start: call it after `shmem_init`.
#[must_use]
pub fn shmem_ctx_default() -> shmem_ctx_t {
    default_context()
}
