//! Put and get of typed elements. OpenSHMEM 1.4, 9.5 and 9.6.

/// Declares the transfers of a type.
macro_rules! transfers {
    ($name:tt, $type:ty) => {
        calls_with_context! { $name;
            /// Copies `count` elements from here to `target` on process `pe`. `source` may be changed on return; the
            /// elements arrive by the next `shmem_quiet`.
            fn put, ctx_put(target: *mut $type, source: *const $type, count: usize, pe: c_int);

            /// Copies `count` elements from `source` on process `pe` to here; complete on return.
            fn get, ctx_get(target: *mut $type, source: *const $type, count: usize, pe: c_int);

            /// Writes one element on process `pe`, as `put` does.
            fn p, ctx_p(target: *mut $type, value: $type, pe: c_int);

            /// Reads one element on process `pe`.
            fn g, ctx_g(source: *const $type, pe: c_int) -> $type;

            /// Copies `count` elements at distances of `source_stride` from here to process `pe`, at distances of
            /// `target_stride`. Strides are in elements.
            fn iput, ctx_iput(
                target: *mut $type,
                source: *const $type,
                target_stride: isize,
                source_stride: isize,
                count: usize,
                pe: c_int
            );

            /// Copies `count` elements at distances of `source_stride` from process `pe` to here, at distances of
            /// `target_stride`. Strides are in elements.
            fn iget, ctx_iget(
                target: *mut $type,
                source: *const $type,
                target_stride: isize,
                source_stride: isize,
                count: usize,
                pe: c_int
            );

            /// Begins what `put` does; `source` must stay as it is until the next `shmem_quiet`.
            fn put_nbi, ctx_put_nbi(target: *mut $type, source: *const $type, count: usize, pe: c_int);

            /// Begins what `get` does; complete after the next `shmem_quiet`.
            fn get_nbi, ctx_get_nbi(target: *mut $type, source: *const $type, count: usize, pe: c_int);
        }
    };
}
