//! `#[coarray::test(images = ...)]`.

use crate::function::Function;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, Lit, Result, Token};

const ATTRIBUTE: &str = "`#[coarray::test]`";
const FORMS: &str = "say how many images run this test, as in `#[coarray::test(images = 4)]`, \
                     or list several counts, as in `#[coarray::test(images = [1, 2, 4])]`";

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let Arguments {
        images,
        schedules,
        check,
    } = syn::parse2(arguments)?;
    let function = Function::parse(ATTRIBUTE, item)?;
    function.refuse_all_but_plain(ATTRIBUTE)?;

    let counts = image_counts(images)?;
    let attributes = &function.attributes;
    let visibility = &function.visibility;
    let name = &function.signature.ident;
    let (inner, inner_name) = (function.inner(), function.inner_name());
    let run = match schedules {
        Some(schedules) => quote!(explore_at(#counts, #schedules, #inner_name)),
        None if check => quote!(check_at(#counts, #inner_name)),
        None => quote!(run_at(#counts, #inner_name)),
    };
    Ok(quote! {
        #[::core::prelude::v1::test]
        #(#attributes)*
        #visibility fn #name() {
            #inner
            ::coarray::testing::#run
        }
    })
}

/// The arguments of the attribute.
struct Arguments {
    images: Expr,
    /// How many schedules are explored, if they are.
    schedules: Option<Expr>,
    /// Whether races fail the test.
    check: bool,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> Result<Self> {
        let (mut images, mut schedules, mut check) = (None, None, false);
        while !input.is_empty() {
            let key = input
                .call(Ident::parse_any)
                .map_err(|error| Error::new(error.span(), FORMS))?;
            if key == "check" {
                check = true;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
                continue;
            }
            let value = match key.to_string().as_str() {
                "images" if images.is_some() => {
                    let message = "`images` is given twice; list all counts in one array, \
                                   as in `images = [1, 2, 4]`";
                    return Err(Error::new(key.span(), message));
                }
                "images" => &mut images,
                "schedules" if schedules.is_some() => {
                    return Err(Error::new(key.span(), "`schedules` is given twice"));
                }
                "schedules" => &mut schedules,
                _ => {
                    let message = format!("{ATTRIBUTE} has no argument `{key}`; {FORMS}");
                    return Err(Error::new(key.span(), message));
                }
            };
            if input.parse::<Option<Token![=]>>()?.is_none() || input.is_empty() {
                return Err(Error::new(key.span(), FORMS));
            }
            *value = Some(input.parse()?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        match images {
            Some(images) => Ok(Arguments {
                images,
                schedules,
                check,
            }),
            None => Err(Error::new(Span::call_site(), FORMS)),
        }
    }
}

/// The value of `images` as an expression of type `&[usize; N]`.
fn image_counts(images: Expr) -> Result<TokenStream> {
    match images {
        // An expression that a `macro_rules!` macro passes on comes in an invisible group.
        Expr::Group(group) => image_counts(*group.expr),
        Expr::Array(counts) => {
            if counts.elems.is_empty() {
                let message = "this list is empty, so that the test would never run; \
                               name at least one image count";
                return Err(Error::new_spanned(counts, message));
            }
            counts.elems.iter().try_for_each(refuse_zero)?;
            Ok(quote!(&#counts))
        }
        Expr::Repeat(counts) => Ok(quote!(&#counts)),
        Expr::Reference(counts) => Ok(quote!(#counts)),
        count => {
            refuse_zero(&count)?;
            Ok(quote!(&[#count]))
        }
    }
}

fn refuse_zero(count: &Expr) -> Result<()> {
    if let Expr::Lit(literal) = count
        && let Lit::Int(number) = &literal.lit
        && number.base10_digits() == "0"
    {
        let message = "a program runs on at least one image; write 1 or more";
        return Err(Error::new_spanned(number, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::{Delimiter, Group};

    fn expand(arguments: &str, item: &str) -> Result<TokenStream> {
        super::expand(arguments.parse().unwrap(), item.parse().unwrap())
    }

    fn error(arguments: &str, item: &str) -> String {
        expand(arguments, item).unwrap_err().to_string()
    }

    fn counts(images: TokenStream) -> String {
        image_counts(syn::parse2(images).unwrap())
            .unwrap()
            .to_string()
    }

    #[test]
    fn the_function_moves_inside_and_keeps_its_attributes() {
        let item = "#[should_panic] fn breaks() -> Result<(), Trouble> { body() }";
        let expected = quote! {
            #[::core::prelude::v1::test]
            #[should_panic]
            fn breaks() {
                fn breaks() -> Result<(), Trouble> { body() }
                ::coarray::testing::run_at(&[1, 2, 4], breaks)
            }
        };
        let expansion = expand("images = [1, 2, 4],", item).unwrap();
        assert_eq!(expansion.to_string(), expected.to_string());
    }

    #[test]
    fn races_and_schedules_are_asked_for() {
        for (arguments, call) in [
            ("images = 2, check", "check_at(&[2], a)"),
            ("images = 2, schedules = 9", "explore_at(&[2], 9, a)"),
            (
                "schedules = N, images = [2, 3],",
                "explore_at(&[2, 3], N, a)",
            ),
        ] {
            let call: TokenStream = call.parse().unwrap();
            let expansion = expand(arguments, "fn a() {}").unwrap().to_string();
            let expected = quote!(::coarray::testing::#call).to_string();
            assert!(expansion.contains(&expected), "{expansion}");
        }
        let twice = error("images = 2, schedules = 9, schedules = 9", "fn a() {}");
        assert_eq!(twice, "`schedules` is given twice");
    }

    #[test]
    fn counts_become_a_slice() {
        let text = |tokens: TokenStream| tokens.to_string();
        assert_eq!(counts(quote!(COUNT + 1)), text(quote!(&[COUNT + 1])));
        assert_eq!(counts(quote!([1, 2])), text(quote!(&[1, 2])));
        assert_eq!(counts(quote!([4; 2])), text(quote!(&[4; 2])));
        assert_eq!(counts(quote!(&COUNTS)), text(quote!(&COUNTS)));
        let passed_on = Group::new(Delimiter::None, quote!([1, 2]));
        assert_eq!(counts(quote!(#passed_on)), text(quote!(&[1, 2])));
    }

    #[test]
    fn arguments_that_say_no_count_are_answered_with_the_forms() {
        for arguments in ["", "images", "images =", "4", "images: 4"] {
            assert_eq!(error(arguments, "fn a() {}"), FORMS);
        }
        let unknown = error("image = 4", "fn a() {}");
        assert!(unknown.contains("has no argument `image`; say how many images"));
        let twice = error("images = 1, images = 2", "fn a() {}");
        assert!(twice.contains("`images` is given twice"));
    }

    #[test]
    fn counts_without_images_are_refused() {
        for arguments in ["images = 0", "images = [1, 0]", "images = 0usize"] {
            assert!(error(arguments, "fn a() {}").contains("at least one image"));
        }
        assert!(error("images = []", "fn a() {}").contains("this list is empty"));
    }

    #[test]
    fn only_plain_functions_are_taken() {
        for (item, message) in [
            ("async fn a() {}", "takes no `async fn`"),
            ("fn a<const N: usize>() {}", "takes no generic function"),
            ("fn a(n: usize) {}", "without parameters"),
            ("struct A;", "belongs on a function"),
        ] {
            assert!(error("images = 4", item).contains(message), "{message}");
        }
    }
}
