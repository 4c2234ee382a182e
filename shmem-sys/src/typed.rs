//! The calls of each type.

/// Makes a module for each type, with the families of calls that it has.
macro_rules! types {
    ($($name:ident: $type:ty, $($family:ident)*;)*) => {
        $(
            #[doc = concat!("The calls whose name in C begins with `shmem_", stringify!($name), "_`.")]
            pub mod $name {
                #[allow(unused_imports, reason = "not every family needs all of them")]
                use std::ffi::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_schar, c_short, c_uchar, c_uint,
                    c_ulong, c_ulonglong, c_ushort};

                $($family!($name, $type);)*
            }
        )*
    };
}

types! {
    float: c_float, transfers extended_atomics arithmetic_reductions;
    double: c_double, transfers extended_atomics arithmetic_reductions;
    char: c_char, transfers;
    schar: c_schar, transfers;
    short: c_short, transfers waiting arithmetic_reductions bitwise_reductions;
    int: c_int, transfers standard_atomics waiting arithmetic_reductions bitwise_reductions;
    long: c_long, transfers standard_atomics waiting arithmetic_reductions bitwise_reductions;
    longlong: c_longlong, transfers standard_atomics waiting arithmetic_reductions bitwise_reductions;
    uchar: c_uchar, transfers;
    ushort: c_ushort, transfers waiting;
    uint: c_uint, transfers standard_atomics bitwise_atomics waiting;
    ulong: c_ulong, transfers standard_atomics bitwise_atomics waiting;
    ulonglong: c_ulonglong, transfers standard_atomics bitwise_atomics waiting;
    int8: i8, transfers;
    int16: i16, transfers;
    int32: i32, transfers bitwise_atomics waiting;
    int64: i64, transfers bitwise_atomics waiting;
    uint8: u8, transfers;
    uint16: u16, transfers;
    uint32: u32, transfers bitwise_atomics waiting;
    uint64: u64, transfers bitwise_atomics waiting;
    size: usize, transfers waiting;
    ptrdiff: isize, transfers waiting;
}
