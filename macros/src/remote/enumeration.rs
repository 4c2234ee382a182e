//! Enums: a value is valid when its integer is the discriminant of a variant.

use super::Layout;
use super::repr::Repr;
use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Error, Fields, Ident, Path, Result, Token, Variant};

const INTEGERS: [&str; 12] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
];

pub(super) fn layout(
    input: &DeriveInput,
    variants: &Punctuated<Variant, Token![,]>,
) -> Result<Layout> {
    let name = &input.ident;
    refuse_fields(variants)?;
    if variants.is_empty() {
        let message = format!(
            "enum `{}` has no variants, hence no value that could travel; give it one",
            name.unraw()
        );
        return Err(Error::new_spanned(name, message));
    }
    let repr = Repr::of(&input.attrs)?;
    let integer = integer(name, &repr)?;

    let integer = quote!(::core::primitive::#integer);
    let variants: Vec<&Ident> = variants.iter().map(|variant| &variant.ident).collect();
    let padding = format!(
        "enum `{}` has padding bytes; remove `align` from its `#[repr(...)]`, because every byte \
         travels",
        name.unraw()
    );
    let here = Span::call_site().located_at(name.span());
    Ok(Layout {
        check: quote_spanned! {here=>
            ::core::assert!(
                ::core::mem::size_of::<Self>() == ::core::mem::size_of::<#integer>(),
                #padding
            );
        },
        any_bits: quote!(false),
        zero_is_valid: quote!(#((Self::#variants as #integer) == 0)||*),
        is_valid: quote! {
            // SAFETY: the enum has the size and alignment of the integer, and its bytes are initialised.
            let discriminant = unsafe { value.cast::<#integer>().read() };
            #(discriminant == (Self::#variants as #integer))||*
        },
    })
}

fn refuse_fields(variants: &Punctuated<Variant, Token![,]>) -> Result<()> {
    match variants
        .iter()
        .find(|variant| !matches!(variant.fields, Fields::Unit))
    {
        None => Ok(()),
        Some(variant) => {
            let message = format!(
                "derive(Remote) takes an enum whose variants are all plain names, but `{}` carries \
                 fields, and the bytes that a smaller variant leaves unused cannot travel; use a \
                 struct with a plain enum beside the fields",
                variant.ident
            );
            Err(Error::new_spanned(&variant.fields, message))
        }
    }
}

/// The integer type in `#[repr(...)]`.
fn integer<'a>(name: &Ident, repr: &'a Repr) -> Result<&'a Path> {
    if let Some(hint) = repr.find(&["C"]) {
        let message = "`#[repr(C)]` leaves the size of an enum to the compiler; name an integer \
                       instead, such as `#[repr(u8)]`";
        return Err(Error::new_spanned(hint, message));
    }
    repr.find(&INTEGERS).ok_or_else(|| {
        let message = "derive(Remote) needs an integer representation such as `#[repr(u8)]`: the \
                       bytes of this enum travel between images as they are";
        Error::new_spanned(name, message)
    })
}
