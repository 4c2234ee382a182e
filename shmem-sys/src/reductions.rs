//! Reductions of typed elements. OpenSHMEM 1.4, 9.8.6.

/// Declares reductions by their names, with words for their results.
macro_rules! reductions {
    ($name:tt, $type:ty; $($call:ident: $what:literal,)*) => {
        calls! { $name;
            $(
                #[doc = concat!(
                    "Collective over the processes that [`shmem_barrier`](crate::shmem_barrier) names. Every one's `target` \
                     gets the ", $what, " of all `source`, element by element."
                )]
                ///
                /// `work` has `count / 2 + 1` elements, and `SHMEM_REDUCE_MIN_WRKDATA_SIZE` at least; `sync` has
                /// `SHMEM_REDUCE_SYNC_SIZE`.
                fn $call(
                    target: *mut $type,
                    source: *const $type,
                    count: c_int,
                    pe_start: c_int,
                    log_pe_stride: c_int,
                    pe_size: c_int,
                    work: *mut $type,
                    sync: *mut c_long
                );
            )*
        }
    };
}

/// Declares the reductions of every number.
macro_rules! arithmetic_reductions {
    ($name:tt, $type:ty) => {
        reductions! { $name, $type;
            max_to_all: "largest",
            min_to_all: "smallest",
            sum_to_all: "sum",
            prod_to_all: "product",
        }
    };
}

/// Declares the reductions of the bits of integers.
macro_rules! bitwise_reductions {
    ($name:tt, $type:ty) => {
        reductions! { $name, $type;
            and_to_all: "common bits",
            or_to_all: "united bits",
            xor_to_all: "exclusive-or",
        }
    };
}
