//! `#[derive(Remote)]`.

mod enumeration;
pub(crate) mod members;
pub(crate) mod repr;
mod structure;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Generics, Result, parse_quote};

/// The items of `impl Remote` in which structs and enums differ.
struct Layout {
    /// Statements that fail to compile if the type has padding bytes.
    check: TokenStream,
    /// Whether every bit pattern is a value, as a constant expression.
    any_bits: TokenStream,
    /// Whether all-zero bytes are a value, as a constant expression.
    zero_is_valid: TokenStream,
    /// Whether the bytes at `value: *const Self` are a value, as an expression.
    is_valid: TokenStream,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    refuse_lifetimes(&input.generics)?;
    let (layout, members) = match &input.data {
        Data::Struct(data) => (
            structure::layout(input, &data.fields)?,
            members::implement(input, &data.fields, &bounded(&input.generics)),
        ),
        Data::Enum(data) => (
            enumeration::layout(input, &data.variants)?,
            TokenStream::new(),
        ),
        Data::Union(data) => {
            let message = "derive(Remote) takes no union: which of its fields is valid cannot be \
                           told from its bytes; use a struct, or a field of type `[u8; N]`";
            return Err(Error::new_spanned(data.union_token, message));
        }
    };
    let implementation = implement(input, &layout);

    // With parameters to choose, the layout can only be checked where the type is used.
    let check_here = input.generics.params.is_empty().then(|| {
        let name = &input.ident;
        quote!(<#name as ::coarray::__private::Remote>::CHECK)
    });

    // The anonymous constant keeps the generated names out of the user's module. The allowed lints are
    // about names that are repeated here: the compiler warns about them in the user's definition.
    Ok(quote! {
        #[allow(deprecated, non_snake_case)]
        const _: () = {
            #implementation
            #members
            #check_here
        };
    })
}

fn implement(input: &DeriveInput, layout: &Layout) -> TokenStream {
    let name = &input.ident;
    let bounded = bounded(&input.generics);
    let (impl_generics, type_generics, where_clause) = bounded.split_for_impl();
    let Layout {
        check,
        any_bits,
        zero_is_valid,
        is_valid,
    } = layout;
    quote! {
        // SAFETY: the type consists only of parts that are `Symmetric`, which `CHECK` verifies.
        #[automatically_derived]
        unsafe impl #impl_generics ::coarray::__private::Symmetric for #name #type_generics
        #where_clause {}

        // SAFETY: `#[repr]` fixes the layout, `CHECK` rules out padding, and `is_valid` asks every part.
        #[automatically_derived]
        unsafe impl #impl_generics ::coarray::__private::Remote for #name #type_generics
        #where_clause {
            type Element = Self;
            type Cell = ::coarray::__private::Locked<Self>;
            const CHECK: () = { #check };
            const ANY_BITS: ::core::primitive::bool = #any_bits;
            const ZERO_IS_VALID: ::core::primitive::bool = #zero_is_valid;
            unsafe fn is_valid(value: *const Self) -> ::core::primitive::bool {
                #is_valid
            }
        }
    }
}

/// The parameters of the type, each type among them bounded by `Remote`.
///
/// The bounds are on the parameters, not on the field types: otherwise `Copy` could not be proved for
/// the whole, and no field could mention the type that is being defined.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter
            .bounds
            .push(parse_quote!(::coarray::__private::Remote));
    }
    generics
}

fn refuse_lifetimes(generics: &Generics) -> Result<()> {
    match generics.lifetimes().next() {
        None => Ok(()),
        Some(parameter) => {
            let message = format!(
                "derive(Remote) takes no type with a lifetime such as `{}`: a reference is an address \
                 of this image and means nothing on another; store the value itself, or an index",
                parameter.lifetime
            );
            Err(Error::new_spanned(parameter, message))
        }
    }
}
