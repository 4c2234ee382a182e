//! Macros that declare the families of calls that exist for many types.
//!
//! In C the name of the type is a part of the name of the call: `shmem_long_put`. Here it is a module: `long::put`.

/// Declares calls of one type, each by its name in the module.
macro_rules! calls {
    ($type:tt; $($(#[$about:meta])* fn $name:ident($($argument:ident: $of:ty),*) $(-> $result:ty)?;)*) => {
        unsafe extern "C" {
            $(
                $(#[$about])*
                #[doc = concat!("\n\nIn C: `shmem_", stringify!($type), "_", stringify!($name), "`.")]
                #[link_name = concat!("shmem_", stringify!($type), "_", stringify!($name))]
                pub fn $name($($argument: $of),*) $(-> $result)?;
            )*
        }
    };
}

/// Declares calls of one type that exist without a context and, by the second name, with one.
macro_rules! calls_with_context {
    ($type:tt; $(
        $(#[$about:meta])*
        fn $name:ident, $with_context:ident($($argument:ident: $of:ty),*) $(-> $result:ty)?;
    )*) => {
        calls! { $type; $($(#[$about])* fn $name($($argument: $of),*) $(-> $result)?;)* }

        unsafe extern "C" {
            $(
                #[doc = concat!("As [`", stringify!($name), "`], in a context.")]
                #[doc = concat!("\n\nIn C: `shmem_ctx_", stringify!($type), "_", stringify!($name), "`.")]
                #[link_name = concat!("shmem_ctx_", stringify!($type), "_", stringify!($name))]
                pub fn $with_context(ctx: $crate::shmem_ctx_t, $($argument: $of),*) $(-> $result)?;
            )*
        }
    };
}
