//! Waiting for writes of others to this process's symmetric memory. OpenSHMEM 1.4, 9.9.

/// Declares the calls that wait for an element of a type.
macro_rules! waiting {
    ($name:tt, $type:ty) => {
        calls! { $name;
            /// Waits until the comparison, one of `SHMEM_CMP_*`, of this process's element with `value` holds.
            fn wait_until(element: *mut $type, comparison: c_int, value: $type);

            /// Whether the comparison of this process's element with `value` holds: 1 or 0.
            fn test(element: *mut $type, comparison: c_int, value: $type) -> c_int;
        }
    };
}
