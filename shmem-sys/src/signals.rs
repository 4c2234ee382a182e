//! Put-with-signal of OpenSHMEM 1.5: bytes, and a word that signals their arrival to the other process.
//!
//! A library of 1.5 sends both in one message. With an older library, these functions put, fence, and change the word
//! by an atomic: the same result by two messages. They are native with `cfg(shmem_signals)`.
//!
//! A signal is a symmetric `u64` that nothing else changes.

#[cfg(not(shmem_signals))]
pub use emulated::*;
#[cfg(shmem_signals)]
pub use native::*;

#[cfg(shmem_signals)]
mod native {
    use std::ffi::{c_int, c_void};

    use crate::contexts::shmem_ctx_t;

    unsafe extern "C" {
        /// Copies `bytes` bytes to process `pe` as [`shmem_putmem`](crate::shmem_putmem) does, then sets the signal
        /// there, or adds to it, as `operation` says: `SHMEM_SIGNAL_SET` or `SHMEM_SIGNAL_ADD`.
        pub fn shmem_putmem_signal(
            target: *mut c_void,
            source: *const c_void,
            bytes: usize,
            signal: *mut u64,
            value: u64,
            operation: c_int,
            pe: c_int,
        );

        /// Begins what [`shmem_putmem_signal`] does; `source` must stay as it is until the next quiet.
        pub fn shmem_putmem_signal_nbi(
            target: *mut c_void,
            source: *const c_void,
            bytes: usize,
            signal: *mut u64,
            value: u64,
            operation: c_int,
            pe: c_int,
        );

        /// As [`shmem_putmem_signal`], in a context.
        pub fn shmem_ctx_putmem_signal(
            ctx: shmem_ctx_t,
            target: *mut c_void,
            source: *const c_void,
            bytes: usize,
            signal: *mut u64,
            value: u64,
            operation: c_int,
            pe: c_int,
        );

        /// As [`shmem_putmem_signal_nbi`], in a context.
        pub fn shmem_ctx_putmem_signal_nbi(
            ctx: shmem_ctx_t,
            target: *mut c_void,
            source: *const c_void,
            bytes: usize,
            signal: *mut u64,
            value: u64,
            operation: c_int,
            pe: c_int,
        );

        /// Reads a signal of this process.
        pub fn shmem_signal_fetch(signal: *const u64) -> u64;

        /// Waits until the comparison, one of `SHMEM_CMP_*`, of this process's signal with `value` holds; returns the
        /// signal.
        pub fn shmem_signal_wait_until(signal: *mut u64, comparison: c_int, value: u64) -> u64;
    }
}

#[cfg(not(shmem_signals))]
mod emulated {
    use std::ffi::{c_int, c_void};

    use crate::constants::SHMEM_SIGNAL_SET;
    use crate::contexts::{shmem_ctx_default, shmem_ctx_t};
    use crate::ordering::shmem_ctx_fence;
    use crate::setup::shmem_my_pe;
    use crate::typed::{uint64, ulonglong};
    use crate::untyped::{shmem_ctx_putmem, shmem_ctx_putmem_nbi};

    /// Copies `bytes` bytes to process `pe` as [`shmem_putmem`](crate::shmem_putmem) does, then sets the signal there,
    /// or adds to it, as `operation` says: `SHMEM_SIGNAL_SET` or `SHMEM_SIGNAL_ADD`.
    ///
    /// # Safety
    /// The library is started, `target` and `signal` are symmetric, and `source` is valid for reads of `bytes` bytes.
    pub unsafe fn shmem_putmem_signal(
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        signal: *mut u64,
        value: u64,
        operation: c_int,
        pe: c_int,
    ) {
        let ctx = shmem_ctx_default();
        // SAFETY: the caller vouches for the library, `target`, `source` and `signal`; the default context exists.
        unsafe { shmem_ctx_putmem_signal(ctx, target, source, bytes, signal, value, operation, pe) }
    }

    /// Begins what [`shmem_putmem_signal`] does; `source` must stay as it is until the next quiet.
    ///
    /// # Safety
    /// As [`shmem_putmem_signal`], until then.
    pub unsafe fn shmem_putmem_signal_nbi(
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        signal: *mut u64,
        value: u64,
        operation: c_int,
        pe: c_int,
    ) {
        let ctx = shmem_ctx_default();
        // SAFETY: the caller vouches for the library, `target`, `source` and `signal`; the default context exists.
        unsafe {
            shmem_ctx_putmem_signal_nbi(ctx, target, source, bytes, signal, value, operation, pe)
        }
    }

    /// As [`shmem_putmem_signal`], in a context.
    ///
    /// # Safety
    /// As [`shmem_putmem_signal`]; the context exists.
    #[expect(
        clippy::too_many_arguments,
        reason = "the specification's call has them"
    )]
    pub unsafe fn shmem_ctx_putmem_signal(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        signal: *mut u64,
        value: u64,
        operation: c_int,
        pe: c_int,
    ) {
        // SAFETY: the caller vouches for the library, the context, `target`, `source` and `signal`.
        unsafe {
            shmem_ctx_putmem(ctx, target, source, bytes, pe);
            tell(ctx, signal, value, operation, pe);
        }
    }

    /// As [`shmem_putmem_signal_nbi`], in a context.
    ///
    /// # Safety
    /// As [`shmem_putmem_signal_nbi`]; the context exists.
    #[expect(
        clippy::too_many_arguments,
        reason = "the specification's call has them"
    )]
    pub unsafe fn shmem_ctx_putmem_signal_nbi(
        ctx: shmem_ctx_t,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        signal: *mut u64,
        value: u64,
        operation: c_int,
        pe: c_int,
    ) {
        // SAFETY: the caller vouches for the library, the context, `target`, `source` and `signal`.
        unsafe {
            shmem_ctx_putmem_nbi(ctx, target, source, bytes, pe);
            tell(ctx, signal, value, operation, pe);
        }
    }

    /// Changes the signal, after all earlier puts of the context.
    ///
    /// # Safety
    /// As [`shmem_ctx_putmem_signal`].
    unsafe fn tell(ctx: shmem_ctx_t, signal: *mut u64, value: u64, operation: c_int, pe: c_int) {
        let signal = signal.cast();
        // SAFETY: the caller vouches for the library and the signal, which has the size of an unsigned long long.
        unsafe {
            shmem_ctx_fence(ctx);
            if operation == SHMEM_SIGNAL_SET {
                ulonglong::ctx_atomic_set(ctx, signal, value, pe);
            } else {
                ulonglong::ctx_atomic_add(ctx, signal, value, pe);
            }
        }
    }

    /// Reads a signal of this process.
    ///
    /// # Safety
    /// The library is started, and `signal` is symmetric.
    pub unsafe fn shmem_signal_fetch(signal: *const u64) -> u64 {
        // SAFETY: the caller vouches for the library and the signal, which has the size of an unsigned long long.
        unsafe { ulonglong::atomic_fetch(signal.cast(), shmem_my_pe()) }
    }

    /// Waits until the comparison, one of `SHMEM_CMP_*`, of this process's signal with `value` holds; returns the
    /// signal.
    ///
    /// # Safety
    /// As [`shmem_signal_fetch`].
    pub unsafe fn shmem_signal_wait_until(signal: *mut u64, comparison: c_int, value: u64) -> u64 {
        // SAFETY: the caller vouches for the library and the signal.
        unsafe {
            uint64::wait_until(signal, comparison, value);
            shmem_signal_fetch(signal)
        }
    }
}
