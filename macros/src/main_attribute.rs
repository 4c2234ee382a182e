//! `#[coarray::main]`.

use crate::function::Function;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Result, ReturnType, Type};

const ATTRIBUTE: &str = "`#[coarray::main]`";

pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function = Function::parse(ATTRIBUTE, item)?;
    let name = &function.signature.ident;
    if name != "main" {
        let message = format!(
            "{ATTRIBUTE} belongs on `fn main`, the program that every image runs; \
             this function is called `{name}`"
        );
        return Err(Error::new_spanned(name, message));
    }

    let attributes = &function.attributes;
    let visibility = &function.visibility;
    // A refused `main` stays a `main`, or else the compiler would also complain that there is none.
    let body = body(arguments, &function).unwrap_or_else(Error::into_compile_error);
    Ok(quote! {
        #(#attributes)*
        #visibility fn #name() -> ::std::process::ExitCode {
            #body
        }
    })
}

fn body(arguments: TokenStream, function: &Function) -> Result<TokenStream> {
    let launch = match arguments.to_string().as_str() {
        "" => quote!(launch),
        "keep_going" => quote!(launch_keeping_going),
        _ => {
            let message = format!(
                "{ATTRIBUTE} takes no arguments but `keep_going`; the number of images is chosen when the \
                 program starts"
            );
            return Err(Error::new_spanned(arguments, message));
        }
    };
    function.refuse_all_but_plain(ATTRIBUTE)?;
    let (inner, inner_name) = (function.inner(), function.inner_name());
    // What may be an error is told in its own words.
    let program = match &function.signature.output {
        ReturnType::Type(_, output) if matches!(**output, Type::Path(_)) => quote!(|| {
            use ::coarray::__private::Told as _;
            ::coarray::__private::Returned(#inner_name()).told()
        }),
        _ => quote!(#inner_name),
    };
    Ok(quote! {
        #inner
        ::coarray::#launch(#program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(arguments: &str, item: &str) -> Result<String> {
        let expansion = super::expand(arguments.parse().unwrap(), item.parse().unwrap());
        expansion.map(|tokens| tokens.to_string())
    }

    #[test]
    fn the_function_moves_inside_and_keeps_its_attributes() {
        let item = "#[allow(unused)] pub(crate) fn main() -> Result<(), Trouble> { body() }";
        let expected = quote! {
            #[allow(unused)]
            pub(crate) fn main() -> ::std::process::ExitCode {
                fn main() -> Result<(), Trouble> { body() }
                ::coarray::launch(|| {
                    use ::coarray::__private::Told as _;
                    ::coarray::__private::Returned(main()).told()
                })
            }
        };
        assert_eq!(expand("", item).unwrap(), expected.to_string());
    }

    #[test]
    fn a_program_can_ask_to_keep_going() {
        let expansion = expand("keep_going", "fn main() {}").unwrap();
        assert!(expansion.contains(&quote!(::coarray::launch_keeping_going(main)).to_string()));
    }

    #[test]
    fn the_body_is_passed_on_untouched() {
        let body: TokenStream = "{ #![allow(unused)] syntax of @ tomorrow }"
            .parse()
            .unwrap();
        let expansion = expand("", &format!("fn main() {body}")).unwrap();
        assert!(expansion.contains(&body.to_string()));
    }

    #[test]
    fn other_names_and_other_items_are_refused() {
        let error = |item| expand("", item).unwrap_err().to_string();
        assert!(error("fn start() {}").ends_with("this function is called `start`"));
        assert!(error("struct Main;").contains("belongs on a function"));
    }

    #[test]
    fn a_refused_main_stays_a_main() {
        for (arguments, item, message) in [
            ("images = 4", "fn main() {}", "takes no arguments"),
            ("", "async fn main() {}", "takes no `async fn`"),
            ("", "const fn main() {}", "takes no `const fn`"),
            ("", "unsafe fn main() {}", "takes no `unsafe fn`"),
            ("", "extern \"C\" fn main() {}", "remove `extern`"),
            ("", "fn main<T>() {}", "takes no generic function"),
            ("", "fn main() where (): Copy {}", "the `where` clause"),
            ("", "fn main(n: usize) {}", "without parameters"),
        ] {
            let expansion = expand(arguments, item).unwrap();
            assert!(expansion.starts_with("fn main ()"), "{expansion}");
            assert!(expansion.contains(message), "{expansion}");
        }
    }
}
