//! `#[derive(Add)]`: structs are added field by field, and arrays in them element by element.

#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Generics, Result, Type, parse_quote};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => return Err(Error::new_spanned(data.enum_token, refusal("enum"))),
        Data::Union(data) => return Err(Error::new_spanned(data.union_token, refusal("union"))),
    };
    let name = &input.ident;
    let bounded = bounded(&input.generics);
    let (impl_generics, type_generics, where_clause) = bounded.split_for_impl();
    let members = fields.members();
    let sums = fields.iter().zip(fields.members()).map(|(field, member)| {
        let (one, other) = (quote!(self.#member), quote!(other.#member));
        sum(&field.ty, &one, &other, 0)
    });
    // The allowed lints are about names that are repeated here, about which the compiler warns in the user's definition, and
    // about a struct without fields.
    Ok(quote! {
        #[allow(deprecated, non_snake_case, unused_variables)]
        #[automatically_derived]
        impl #impl_generics ::core::ops::Add for #name #type_generics #where_clause {
            type Output = Self;

            #[inline]
            fn add(self, other: Self) -> Self {
                Self { #(#members: #sums),* }
            }
        }
    })
}

fn refusal(kind: &str) -> String {
    format!(
        "derive(Add) takes no {kind}: only structs are added field by field; write `impl std::ops::Add` by hand"
    )
}

/// The sum of two places of type `ty`, inside `depth` arrays.
fn sum(ty: &Type, one: &TokenStream, other: &TokenStream, depth: usize) -> TokenStream {
    match ty {
        Type::Array(array) => {
            let index = format_ident!("index_{depth}", span = Span::mixed_site());
            let [one, other] = [one, other].map(|place| quote!(#place[#index]));
            let element = sum(&array.elem, &one, &other, depth + 1);
            quote!(::core::array::from_fn(|#index| #element))
        }
        Type::Paren(inner) => sum(&inner.elem, one, other, depth),
        // What a macro passes on.
        Type::Group(inner) => sum(&inner.elem, one, other, depth),
        // An error is about the field.
        _ => quote_spanned!(ty.span()=> ::core::ops::Add::add(#one, #other)),
    }
}

/// The parameters of the type, each type among them bounded by what its elements need.
fn bounded(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        let name = parameter.ident.clone();
        let bounds = &mut parameter.bounds;
        bounds.push(parse_quote!(::core::marker::Copy));
        bounds.push(parse_quote!(::core::ops::Add<Output = #name>));
    }
    generics
}
