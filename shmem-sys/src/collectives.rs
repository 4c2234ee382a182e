//! Collectives of untyped elements. OpenSHMEM 1.4, 9.8.3 to 9.8.5 and 9.8.7.
//!
//! All are collective over the processes that [`shmem_barrier`](crate::shmem_barrier) names. `target`, `source` and
//! `sync` are symmetric; the elements of `sync` are `SHMEM_SYNC_VALUE` before the first use, and again on return.

use std::ffi::{c_int, c_long, c_void};

/// Declares the collectives of elements of 32 and of 64 bits.
macro_rules! collectives {
    ($($(#[$about:meta])* $of32:ident $of64:ident($($argument:ident: $of:ty),*);)*) => {
        unsafe extern "C" {
            $(
                $(#[$about])*
                ///
                /// Elements have 32 bits.
                pub fn $of32(
                    target: *mut c_void,
                    source: *const c_void,
                    $($argument: $of,)*
                    pe_start: c_int,
                    log_pe_stride: c_int,
                    pe_size: c_int,
                    sync: *mut c_long,
                );

                $(#[$about])*
                ///
                /// Elements have 64 bits.
                pub fn $of64(
                    target: *mut c_void,
                    source: *const c_void,
                    $($argument: $of,)*
                    pe_start: c_int,
                    log_pe_stride: c_int,
                    pe_size: c_int,
                    sync: *mut c_long,
                );
            )*
        }
    };
}

collectives! {
    /// Collective. Copies the `source` of one process to the `target` of the others. `root` counts among the processes
    /// that take part; its `target` stays as it is. `sync` has `SHMEM_BCAST_SYNC_SIZE` elements.
    shmem_broadcast32 shmem_broadcast64(count: usize, root: c_int);

    /// Collective. Concatenates all processes' `source` in each `target`; their lengths may differ. `sync` has
    /// `SHMEM_COLLECT_SYNC_SIZE` elements.
    shmem_collect32 shmem_collect64(count: usize);

    /// Collective. Concatenates all processes' `source` in each `target`; all are equally long. `sync` has
    /// `SHMEM_COLLECT_SYNC_SIZE` elements.
    shmem_fcollect32 shmem_fcollect64(count: usize);

    /// Collective. Block `i` of the `source` of process `j` becomes block `j` of the `target` of process `i`. Blocks
    /// have `count` elements; `sync` has `SHMEM_ALLTOALL_SYNC_SIZE`.
    shmem_alltoall32 shmem_alltoall64(count: usize);

    /// Collective. As the exchange without strides, of elements at distances of `target_stride` and `source_stride`
    /// elements. `sync` has `SHMEM_ALLTOALLS_SYNC_SIZE` elements.
    shmem_alltoalls32 shmem_alltoalls64(target_stride: isize, source_stride: isize, count: usize);
}
