//! The macros of the `coarray` crate.
//!
//! Depend on `coarray`, which re-exports everything here: the generated code names `::coarray`.
//!
//! | macro | what it is for |
//! |---|---|
//! | [`derive(Remote)`](macro@Remote) | lets a struct or an enum of yours travel between images |
//! | [`derive(Add)`](macro@Add) | adds structs field by field, so that `co_sum` takes them |
//! | [`#[coarray::main]`](macro@main) | makes `fn main` the program that every image runs |
//! | [`#[coarray::test]`](macro@test) | runs a test at one or several image counts |

// They are documented in `coarray`, where the examples find what they use. A crate of macros cannot ask for `coarray` without that
// its tests build the whole library once more.
#![allow(missing_docs)]

mod add;
mod function;
mod main_attribute;
mod remote;
mod shared;
mod test_attribute;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

#[proc_macro_derive(Shared)]
pub fn derive_shared(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    or_error(shared::derive(&item))
}

#[proc_macro_derive(Remote)]
pub fn derive_remote(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    or_error(remote::derive(&item))
}

#[proc_macro_derive(Add)]
pub fn derive_add(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    or_error(add::derive(&item))
}

#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    or_error(main_attribute::expand(arguments.into(), item.into()))
}

#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    or_error(test_attribute::expand(arguments.into(), item.into()))
}

/// The tokens for the compiler: the expansion, or the error at its place in the source.
fn or_error(expansion: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expansion
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
