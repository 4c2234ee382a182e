//! The symmetric heap, and queries of reachability. OpenSHMEM 1.4, 9.1 and 9.3.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    /// Collective. Allocates `size` bytes in the symmetric heap of each process, and waits for all. Null if there is no
    /// room.
    pub fn shmem_malloc(size: usize) -> *mut c_void;

    /// Collective. As [`shmem_malloc`], of `count` zeroed elements.
    ///
    /// Open MPI 4.1 fills the memory only after it has waited for all: there must be another barrier before others
    /// write to it.
    pub fn shmem_calloc(count: usize, size: usize) -> *mut c_void;

    /// Collective. As [`shmem_malloc`], at a multiple of `alignment`, a power of two.
    pub fn shmem_align(alignment: usize, size: usize) -> *mut c_void;

    /// Collective. Waits for all, and changes the size of a block.
    pub fn shmem_realloc(block: *mut c_void, size: usize) -> *mut c_void;

    /// Collective. Waits for all, and gives a block back.
    pub fn shmem_free(block: *mut c_void);

    /// The address at which this process reaches a symmetric object of process `pe` by loads and stores; null if it
    /// does not.
    pub fn shmem_ptr(object: *const c_void, pe: c_int) -> *mut c_void;

    /// Whether calls reach the process: 1 or 0.
    pub fn shmem_pe_accessible(pe: c_int) -> c_int;

    /// Whether calls reach the object of that process, that is, whether it is symmetric: 1 or 0.
    pub fn shmem_addr_accessible(object: *const c_void, pe: c_int) -> c_int;
}
