//! Order and completion of operations, and barriers. OpenSHMEM 1.4, 9.8.1, 9.8.2, 9.9 and 9.10.

use std::ffi::{c_int, c_long};

use crate::contexts::shmem_ctx_t;

unsafe extern "C" {
    /// Orders puts and atomics: those issued before this call reach a process before those issued to it afterwards.
    pub fn shmem_fence();

    /// As [`shmem_fence`], for the operations of one context.
    pub fn shmem_ctx_fence(ctx: shmem_ctx_t);

    /// Completes all operations of this process: on return, all processes see its puts.
    pub fn shmem_quiet();

    /// As [`shmem_quiet`], for the operations of one context.
    pub fn shmem_ctx_quiet(ctx: shmem_ctx_t);

    /// Collective. Waits for all processes, and completes their operations in the default context.
    pub fn shmem_barrier_all();

    /// Collective. Waits for all processes, and completes only their writes to their own memory.
    pub fn shmem_sync_all();

    /// Collective over `pe_size` processes, from `pe_start` on in steps of `2^log_pe_stride`. As
    /// [`shmem_barrier_all`]; `sync` has [`SHMEM_BARRIER_SYNC_SIZE`](crate::SHMEM_BARRIER_SYNC_SIZE) elements.
    pub fn shmem_barrier(pe_start: c_int, log_pe_stride: c_int, pe_size: c_int, sync: *mut c_long);

    /// Collective over the processes that [`shmem_barrier`] names. As [`shmem_sync_all`].
    pub fn shmem_sync(pe_start: c_int, log_pe_stride: c_int, pe_size: c_int, sync: *mut c_long);
}
