//! `impl Members`: the offset of each field of a struct.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{DeriveInput, Fields, Generics, Ident};

/// With `bounded`, the generics of the type and what makes it travel, or shared.
pub(crate) fn implement(input: &DeriveInput, fields: &Fields, bounded: &Generics) -> TokenStream {
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = bounded.split_for_impl();

    let members_name = format_ident!("__{}Members", name, span = Span::call_site());
    let definition = define(input, fields, &members_name);
    let members = fields.members();
    quote! {
        #definition

        #[automatically_derived]
        impl #impl_generics ::coarray::__private::Members for #name #type_generics #where_clause {
            type Members = #members_name #type_generics;
            const MEMBERS: Self::Members = #members_name {
                #(
                    // SAFETY: `offset_of!` gives the field's offset, and both the field and its type
                    // are copied from the definition of the struct.
                    #members: unsafe {
                        ::coarray::__private::Member::new(::core::mem::offset_of!(Self, #members))
                    },
                )*
            };
        }
    }
}

/// The struct that has a `Member<S, F>` for every field of type `F` in the struct `S`.
fn define(input: &DeriveInput, fields: &Fields, members_name: &Ident) -> TokenStream {
    let name = &input.ident;
    let visibility = &input.vis;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();

    let whole = quote!(#name #type_generics);
    let where_clause = replace_self(where_clause.to_token_stream(), &whole);
    let members = fields.iter().map(|field| {
        let (visibility, name) = (&field.vis, field.ident.iter());
        let part = replace_self(field.ty.to_token_stream(), &whole);
        quote!(#visibility #(#name:)* ::coarray::__private::Member<#whole, #part>)
    });
    let body = match fields {
        Fields::Named(_) => quote!(#where_clause { #(#members,)* }),
        Fields::Unnamed(_) | Fields::Unit => quote!((#(#members,)*) #where_clause;),
    };
    // Derived implementations would ask the type parameters to be `Clone` and `Copy` as well.
    quote! {
        #[doc(hidden)]
        #visibility struct #members_name #impl_generics #body

        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #members_name #type_generics #where_clause {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::marker::Copy for #members_name #type_generics #where_clause {}
    }
}

/// The struct may call itself `Self`, which would mean another type in the members struct.
fn replace_self(tokens: TokenStream, whole: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => whole.clone(),
            TokenTree::Group(group) => {
                let content = replace_self(group.stream(), whole);
                let mut replaced = Group::new(group.delimiter(), content);
                replaced.set_span(group.span());
                TokenTree::Group(replaced).into()
            }
            other => other.into(),
        })
        .collect()
}
