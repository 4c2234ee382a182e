//! The list of collective calls is that of the documentation: what begins with "Collective." there is in it, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// The crates whose functions programs call.
const CRATES: [&str; 4] = ["sync", "collectives", "coarray", "io"];

#[test]
fn the_list_is_what_the_documentation_calls_collective() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Found::default();
    for name in CRATES {
        for file in sources(&workspace.join(name).join("src")) {
            found.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
        }
    }
    let list: String = found.calls.iter().map(|call| format!("{call}\n")).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/collectives.txt");
    if std::env::var_os("RECORD").is_some() {
        fs::write(&path, &list).unwrap();
    }
    let there = fs::read_to_string(path).unwrap();
    let (new, old): (BTreeSet<&str>, BTreeSet<&str>) =
        (list.lines().collect(), there.lines().collect());
    assert!(new.len() > 100, "{new:?}");
    assert_eq!(
        new.difference(&old).collect::<Vec<_>>(),
        old.difference(&new).collect::<Vec<_>>(),
        "RECORD=1 cargo test -p cargo-coarray --test list writes src/collectives.txt anew"
    );
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[derive(Default)]
struct Found {
    calls: BTreeSet<String>,
    of: Option<String>,
}

impl Found {
    fn add(&mut self, attributes: &[syn::Attribute], public: bool, signature: &syn::Signature) {
        let name = signature.ident.to_string();
        // A form that returns an error is as its other form.
        if !public
            || matches!(signature.safety, syn::Safety::Unsafe(_))
            || name.starts_with("try_")
            || !is_collective(attributes)
        {
            return;
        }
        let mut parameters = Vec::new();
        let mut dot = "::";
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(_) => dot = ".",
                syn::FnArg::Typed(typed) => match &*typed.pat {
                    syn::Pat::Ident(name) => parameters.push(name.ident.to_string()),
                    _ => parameters.push("_".to_owned()),
                },
            }
        }
        let parameters = parameters.join(", ");
        self.calls.insert(match &self.of {
            Some(of) => format!("{of}{dot}{name}({parameters})"),
            None => format!("{name}({parameters})"),
        });
    }

    /// In what the macro `forms` is given: documentation, and then `fn name [generics] (parameters)`.
    fn forms(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut collective = None;
        let word = |token: &TokenTree| match token {
            TokenTree::Ident(word) => word.to_string(),
            _ => String::new(),
        };
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) if group.to_string().starts_with("[doc") => {
                    collective = collective.or(Some(group.to_string().contains("\" Collective. ")));
                }
                token if word(token) == "fn" => {
                    let parameters = tokens[index..].iter().find_map(|token| match token {
                        TokenTree::Group(group)
                            if group.delimiter() == proc_macro2::Delimiter::Parenthesis =>
                        {
                            Some(group.stream())
                        }
                        _ => None,
                    });
                    if collective.take() == Some(true) {
                        let input: syn::Signature = {
                            let (name, parameters) = (&tokens[index + 1], parameters.unwrap());
                            syn::parse_str(&format!("fn {name}({parameters})")).unwrap()
                        };
                        let doc: syn::Attribute = syn::parse_quote!(#[doc = " Collective. "]);
                        self.add(&[doc], true, &input);
                    }
                }
                _ => {}
            }
        }
    }
}

fn is_collective(attributes: &[syn::Attribute]) -> bool {
    let first = attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
    first.is_some_and(|text| text.starts_with(" Collective. "))
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.attrs, is_public(&function.vis), &function.sig);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.attrs, is_public(&function.vis), &function.sig);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.add(&function.attrs, true, &function.sig);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let syn::Type::Path(path) = &*item.self_ty else {
            return;
        };
        self.of = path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        visit::visit_item_impl(self, item);
        self.of = None;
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.of = Some(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.of = None;
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        if item.mac.path.is_ident("forms") {
            self.forms(item.mac.tokens.clone());
        }
    }
}
