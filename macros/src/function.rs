//! The function below `#[coarray::main]` or `#[coarray::test]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Result, ReturnType, Signature, Visibility};

/// A function, taken apart as far as the attributes need it.
///
/// The body stays a token stream: it reaches the compiler exactly as written, also where it uses
/// syntax that `syn` has not heard of yet.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    body: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> Result<Self> {
        Ok(Function {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Function {
    /// Reads the item below `attribute`.
    pub(crate) fn parse(attribute: &str, item: TokenStream) -> Result<Self> {
        syn::parse2(item).map_err(|error| {
            let message = format!("{attribute} belongs on a function: `fn name() {{ ... }}`");
            Error::new(error.span(), message)
        })
    }

    /// Insists on a function that every image can call on its own: `fn name() -> R`.
    pub(crate) fn refuse_all_but_plain(&self, attribute: &str) -> Result<()> {
        let Signature {
            constness,
            asyncness,
            safety,
            abi,
            generics,
            inputs,
            variadic,
            ..
        } = &self.signature;
        let where_clause = &generics.where_clause;
        let refusals = [
            (
                quote!(#asyncness),
                "takes no `async fn`, because an image has no runtime that would drive it; \
                 remove `async`, or start a runtime in the body",
            ),
            (
                quote!(#constness),
                "takes no `const fn`, because images run only once the program does; \
                 remove `const`",
            ),
            (
                quote!(#safety),
                "takes no `unsafe fn`, because nobody could promise what it asks for; \
                 use `unsafe` blocks in the body instead",
            ),
            (
                quote!(#abi),
                "takes an ordinary Rust function; remove `extern`",
            ),
            (
                quote!(#generics),
                "takes no generic function, because nobody would choose its parameters; \
                 remove them",
            ),
            (
                quote!(#where_clause),
                "takes no generic function; remove the `where` clause",
            ),
            (
                quote!(#inputs #variadic),
                "takes a function without parameters, because nobody would pass them; \
                 what an image needs to know it asks for, as with `coarray::this_image()`",
            ),
        ];
        match refusals.into_iter().find(|(tokens, _)| !tokens.is_empty()) {
            None => Ok(()),
            Some((tokens, why)) => Err(Error::new_spanned(tokens, format!("{attribute} {why}"))),
        }
    }

    /// The function as an item inside the one that replaces it.
    ///
    /// It keeps its name, so that the expansion adds no name the body could mistake for its own.
    pub(crate) fn inner(&self) -> TokenStream {
        let Function {
            signature, body, ..
        } = self;
        quote!(#signature #body)
    }

    /// The name of the inner function, placed so that an unsuitable return type is reported there.
    pub(crate) fn inner_name(&self) -> Ident {
        let mut name = self.signature.ident.clone();
        if let ReturnType::Type(_, output) = &self.signature.output {
            name.set_span(Span::call_site().located_at(output.span()));
        }
        name
    }
}
