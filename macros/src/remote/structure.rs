//! Structs: a value is valid when each of its fields is.

use super::Layout;
use super::repr::Repr;
use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{DeriveInput, Error, Fields, Ident, Result, Type};

pub(super) fn layout(input: &DeriveInput, fields: &Fields) -> Result<Layout> {
    let name = &input.ident;
    refuse_unordered_bytes(name, &Repr::of(&input.attrs)?)?;
    if fields.is_empty() {
        return Err(Error::new_spanned(name, no_bytes(name)));
    }

    let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
    let members = fields.members();
    let no_bytes = no_bytes(name);
    let padding = format!(
        "struct `{}` has padding bytes; reorder its fields or add explicit padding fields, \
         because every byte travels",
        name.unraw()
    );
    let here = Span::call_site().located_at(name.span());
    Ok(Layout {
        check: quote_spanned! {here=>
            #(let () = <#types as ::coarray::__private::Remote>::CHECK;)*
            ::core::assert!(::core::mem::size_of::<Self>() != 0, #no_bytes);
            ::core::assert!(
                ::core::mem::size_of::<Self>() == #(::core::mem::size_of::<#types>())+*,
                #padding
            );
        },
        any_bits: quote!(#(<#types as ::coarray::__private::Remote>::ANY_BITS)&&*),
        zero_is_valid: quote!(#(<#types as ::coarray::__private::Remote>::ZERO_IS_VALID)&&*),
        // Addresses are computed, not written as `(*value).field`, which could run a `Deref`.
        is_valid: quote! {
            // SAFETY: each field lies inside the struct; it is aligned and initialised, because the struct is.
            unsafe {
                #(
                    <#types as ::coarray::__private::Remote>::is_valid(
                        value
                            .byte_add(::core::mem::offset_of!(Self, #members))
                            .cast::<#types>(),
                    )
                )&&*
            }
        },
    })
}

fn refuse_unordered_bytes(name: &Ident, repr: &Repr) -> Result<()> {
    if let Some(hint) = repr.find(&["packed"]) {
        let message = "derive(Remote) takes no packed struct: its fields may be misaligned, and other \
                       images read and write them in place; remove `packed` and order the fields so \
                       that no padding is needed";
        return Err(Error::new_spanned(hint, message));
    }
    if repr.find(&["C", "transparent"]).is_none() {
        let message = "derive(Remote) needs `#[repr(C)]`: the bytes of this struct travel between \
                       images as they are";
        return Err(Error::new_spanned(name, message));
    }
    Ok(())
}

fn no_bytes(name: &Ident) -> String {
    format!(
        "struct `{}` has no bytes that could travel; give it a field that has some",
        name.unraw()
    )
}
