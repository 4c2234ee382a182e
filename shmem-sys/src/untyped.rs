//! Put and get of bytes, and of elements by their size. OpenSHMEM 1.4, 9.5 and 9.6.

use std::ffi::{c_int, c_void};

use crate::contexts::shmem_ctx_t;

unsafe extern "C" {
    /// Copies `bytes` bytes from here to `target` on process `pe`. `source` may be changed on return; the bytes arrive
    /// by the next [`shmem_quiet`](crate::shmem_quiet).
    pub fn shmem_putmem(target: *mut c_void, source: *const c_void, bytes: usize, pe: c_int);

    /// Copies `bytes` bytes from `source` on process `pe` to here; complete on return.
    pub fn shmem_getmem(target: *mut c_void, source: *const c_void, bytes: usize, pe: c_int);

    /// Begins what [`shmem_putmem`] does; `source` must stay as it is until the next
    /// [`shmem_quiet`](crate::shmem_quiet).
    pub fn shmem_putmem_nbi(target: *mut c_void, source: *const c_void, bytes: usize, pe: c_int);

    /// Begins what [`shmem_getmem`] does; complete after the next [`shmem_quiet`](crate::shmem_quiet).
    pub fn shmem_getmem_nbi(target: *mut c_void, source: *const c_void, bytes: usize, pe: c_int);

    /// As [`shmem_putmem`], in a context.
    pub fn shmem_ctx_putmem(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        pe: c_int,
    );

    /// As [`shmem_getmem`], in a context.
    pub fn shmem_ctx_getmem(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        pe: c_int,
    );

    /// As [`shmem_putmem_nbi`], in a context.
    pub fn shmem_ctx_putmem_nbi(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        pe: c_int,
    );

    /// As [`shmem_getmem_nbi`], in a context.
    pub fn shmem_ctx_getmem_nbi(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        pe: c_int,
    );
}

/// Declares the transfers of elements of a size, whose number ends the names in C.
macro_rules! sizes {
    ($($module:ident $bits:literal;)*) => {
        $(
            #[doc = concat!("The transfers of elements of ", $bits, " bits: in C, calls as `shmem_put", $bits, "`.")]
            pub mod $module {
                use std::ffi::{c_int, c_void};

                use crate::contexts::shmem_ctx_t;

                sizes! { @transfers $bits;
                    put, ctx_put: "put", "", (),
                    get, ctx_get: "get", "", (),
                    put_nbi, ctx_put_nbi: "put", "_nbi", (),
                    get_nbi, ctx_get_nbi: "get", "_nbi", (),
                    iput, ctx_iput: "iput", "", (target_stride: isize, source_stride: isize,),
                    iget, ctx_iget: "iget", "", (target_stride: isize, source_stride: isize,),
                }
            }
        )*
    };
    (@transfers $bits:literal; $(
        $name:ident, $with_context:ident: $verb:literal, $end:literal, ($($stride:ident: $of:ty,)*),
    )*) => {
        unsafe extern "C" {
            $(
                #[doc = concat!("As [`", stringify!($name), "`](crate::int::", stringify!($name), ") of an integer.")]
                #[doc = concat!("\n\nIn C: `shmem_", $verb, $bits, $end, "`.")]
                #[link_name = concat!("shmem_", $verb, $bits, $end)]
                pub fn $name(target: *mut c_void, source: *const c_void, $($stride: $of,)* count: usize, pe: c_int);

                #[doc = concat!("As [`", stringify!($name), "`], in a context.")]
                #[doc = concat!("\n\nIn C: `shmem_ctx_", $verb, $bits, $end, "`.")]
                #[link_name = concat!("shmem_ctx_", $verb, $bits, $end)]
                pub fn $with_context(
                    ctx: shmem_ctx_t,
                    target: *mut c_void,
                    source: *const c_void,
                    $($stride: $of,)*
                    count: usize,
                    pe: c_int,
                );
            )*
        }
    };
}

sizes! {
    bits8 8;
    bits16 16;
    bits32 32;
    bits64 64;
    bits128 128;
}
