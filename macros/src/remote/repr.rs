//! The `#[repr(...)]` attributes of a type.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Result, Token};

/// All hints in `#[repr(...)]`, such as `C` and `align(16)`.
pub(crate) struct Repr(Vec<Meta>);

impl Repr {
    pub(crate) fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut hints = Vec::new();
        for attribute in attributes {
            if attribute.path().is_ident("repr") {
                let list = Punctuated::<Meta, Token![,]>::parse_terminated;
                hints.extend(attribute.parse_args_with(list)?);
            }
        }
        Ok(Repr(hints))
    }

    /// The first hint with one of these names.
    pub(crate) fn find(&self, names: &[&str]) -> Option<&Path> {
        self.0
            .iter()
            .map(Meta::path)
            .find(|hint| names.iter().any(|name| hint.is_ident(name)))
    }
}
