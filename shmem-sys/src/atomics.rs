//! Operations on one element on another process, in one step. OpenSHMEM 1.4, 9.7.
//!
//! They are atomic for each other only if both are of the same type, and not for loads and stores.

/// Declares the atomics that all types with atomics have.
macro_rules! extended_atomics {
    ($name:tt, $type:ty) => {
        calls_with_context! { $name;
            /// Reads the element.
            fn atomic_fetch, ctx_atomic_fetch(source: *const $type, pe: c_int) -> $type;

            /// Writes the element; arrives by the next `shmem_quiet`.
            fn atomic_set, ctx_atomic_set(target: *mut $type, value: $type, pe: c_int);

            /// Replaces the element, and returns its old value.
            fn atomic_swap, ctx_atomic_swap(target: *mut $type, value: $type, pe: c_int) -> $type;
        }
    };
}

/// Declares the atomics of an integer.
macro_rules! standard_atomics {
    ($name:tt, $type:ty) => {
        extended_atomics!($name, $type);

        calls_with_context! { $name;
            /// Replaces the element by `value` if it is `condition`, and returns its old value.
            ///
            /// Open MPI, at least up to 4.1, writes eight bytes to a result of four bytes on its stack: do not use this
            /// for types of 32 bits there.
            fn atomic_compare_swap, ctx_atomic_compare_swap(
                target: *mut $type,
                condition: $type,
                value: $type,
                pe: c_int
            ) -> $type;

            /// Adds one, and returns the old value.
            fn atomic_fetch_inc, ctx_atomic_fetch_inc(target: *mut $type, pe: c_int) -> $type;

            /// Adds one; arrives by the next `shmem_quiet`.
            fn atomic_inc, ctx_atomic_inc(target: *mut $type, pe: c_int);

            /// Adds, and returns the old value.
            fn atomic_fetch_add, ctx_atomic_fetch_add(target: *mut $type, value: $type, pe: c_int) -> $type;

            /// Adds; arrives by the next `shmem_quiet`.
            fn atomic_add, ctx_atomic_add(target: *mut $type, value: $type, pe: c_int);
        }
    };
}

/// Declares the atomics on the bits of an integer.
macro_rules! bitwise_atomics {
    ($name:tt, $type:ty) => {
        calls_with_context! { $name;
            /// Keeps only the bits of `value`, and returns the old value.
            fn atomic_fetch_and, ctx_atomic_fetch_and(target: *mut $type, value: $type, pe: c_int) -> $type;

            /// Keeps only the bits of `value`; arrives by the next `shmem_quiet`.
            fn atomic_and, ctx_atomic_and(target: *mut $type, value: $type, pe: c_int);

            /// Sets the bits of `value`, and returns the old value.
            fn atomic_fetch_or, ctx_atomic_fetch_or(target: *mut $type, value: $type, pe: c_int) -> $type;

            /// Sets the bits of `value`; arrives by the next `shmem_quiet`.
            fn atomic_or, ctx_atomic_or(target: *mut $type, value: $type, pe: c_int);

            /// Flips the bits of `value`, and returns the old value.
            fn atomic_fetch_xor, ctx_atomic_fetch_xor(target: *mut $type, value: $type, pe: c_int) -> $type;

            /// Flips the bits of `value`; arrives by the next `shmem_quiet`.
            fn atomic_xor, ctx_atomic_xor(target: *mut $type, value: $type, pe: c_int);
        }
    };
}
