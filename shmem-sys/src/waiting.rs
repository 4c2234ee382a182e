//! Waiting for what others write to this process's symmetric memory. OpenSHMEM 1.4, 9.9.

/// Declares the waiting for an element of a type.
macro_rules! waiting {
    ($name:tt, $type:ty) => {
        calls! { $name;
            /// Waits until the element, which is here, compares so with `value`: one of `SHMEM_CMP_*`.
            fn wait_until(element: *mut $type, comparison: c_int, value: $type);

            /// Whether the element, which is here, compares so with `value`: 1 or 0.
            fn test(element: *mut $type, comparison: c_int, value: $type) -> c_int;
        }
    };
}
