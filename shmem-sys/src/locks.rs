//! Locks that all processes share. OpenSHMEM 1.4, 9.11.
//!
//! A lock is a symmetric `long` that is 0 before its first use.

use std::ffi::{c_int, c_long};

unsafe extern "C" {
    /// Waits for the lock, and takes it.
    pub fn shmem_set_lock(lock: *mut c_long);

    /// Completes this process's operations, and gives the lock back.
    pub fn shmem_clear_lock(lock: *mut c_long);

    /// Takes the lock if it is free, and returns 0; returns 1 otherwise.
    pub fn shmem_test_lock(lock: *mut c_long) -> c_int;
}
