//! `#[derive(Shared)]`: structs of coatomics, coevents and comutexes.

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Result, parse_quote};

use crate::remote::members;
use crate::remote::repr::Repr;

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => return Err(Error::new_spanned(data.enum_token, refusal("enum"))),
        Data::Union(data) => return Err(Error::new_spanned(data.union_token, refusal("union"))),
    };
    if fields.is_empty() {
        let message = "derive(Shared) takes no struct without fields: there is nothing to share";
        return Err(Error::new_spanned(&input.ident, message));
    }
    if let Some(hint) = Repr::of(&input.attrs)?.find(&["packed"]) {
        let message = "derive(Shared) takes no packed struct: images work on its fields in place, which may be misaligned; \
                       remove `packed`";
        return Err(Error::new_spanned(hint, message));
    }
    let types = || fields.iter().map(|field| &field.ty);
    let mut generics = input.generics.clone();
    // Of a type without parameters the compiler says more in a function than in a `where` clause.
    let is_generic = !generics.params.is_empty();
    for of in types().filter(|_| is_generic) {
        let bound = parse_quote!(#of: ::coarray::__private::Shared);
        generics.make_where_clause().predicates.push(bound);
    }
    let checks =
        types().map(|of| quote_spanned!(of.span()=> ::coarray::__private::shared_member::<#of>()));
    let members = members::implement(input, fields, &generics);
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    // As with `derive(Remote)`.
    Ok(quote! {
        #[allow(deprecated, non_snake_case)]
        const _: () = {
            // SAFETY: all fields are `Symmetric`, as `SHARED` checks; that the whole has no drop glue, its creation in a coarray does.
            #[automatically_derived]
            unsafe impl #impl_generics ::coarray::__private::Symmetric for #name #type_generics #where_clause {
                const SHARED: ::core::primitive::bool = {
                    #(#checks;)*
                    true
                };
            }

            // SAFETY: `&Self` gives access to the fields only, each of which is `Shared`.
            #[automatically_derived]
            unsafe impl #impl_generics ::coarray::__private::Shared for #name #type_generics #where_clause {}

            #members
        };
    })
}

fn refusal(what: &str) -> String {
    format!(
        "derive(Shared) takes no {what}: images change the fields at any time, and all of them must be there; use a struct"
    )
}
