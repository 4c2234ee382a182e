//! The functions, types and files of a package.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use syn::visit::{self, Visit};

/// What one crate or several of a package say.
#[derive(Clone, Default)]
pub(crate) struct Program {
    pub(crate) files: Vec<File>,
    pub(crate) functions: Vec<Rc<Function>>,
    by_name: HashMap<String, Vec<usize>>,
    /// `type Plate = HaloArray<f64, 2>`.
    aliases: HashMap<String, String>,
    /// The type of each member of a struct.
    members: HashMap<(String, String), String>,
    read: HashSet<PathBuf>,
}

#[derive(Clone)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// What is imported by its name, and from where.
    imports: HashMap<String, Vec<String>>,
    /// Whether it imports all of another module of its crate.
    imports_modules: bool,
}

pub(crate) struct Function {
    pub(crate) file: usize,
    /// The last module that it is in.
    module: String,
    /// Of the type of the `impl` or the trait.
    pub(crate) of: Option<String>,
    pub(crate) takes_self: bool,
    /// All but `self`.
    pub(crate) parameters: Vec<syn::PatType>,
    /// The type of the result, or what an `Option` or a `Result` of it has.
    output: Option<String>,
    /// It returns a `Result`.
    pub(crate) may_fail: bool,
    pub(crate) body: syn::Block,
}

impl Program {
    /// Adds a crate by its first file, with all modules.
    pub(crate) fn add_crate(&mut self, root: &Path) -> Result<(), String> {
        let folder = root.parent().unwrap_or(Path::new(""));
        self.add_file(root, folder)
    }

    /// Modules of the file without a path of their own are in `folder`.
    fn add_file(&mut self, path: &Path, folder: &Path) -> Result<(), String> {
        // Targets of a package share modules.
        if !self
            .read
            .insert(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
        {
            return Ok(());
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| {
            let at = error.span().start();
            format!("{}:{}:{}: {error}", path.display(), at.line, at.column + 1)
        })?;
        let file = self.files.len();
        self.files.push(File {
            path: path.to_owned(),
            text,
            imports: HashMap::new(),
            imports_modules: false,
        });
        let mut collector = Collector {
            program: self,
            file,
            of: None,
            modules: Vec::new(),
            inside: PathBuf::new(),
            module: module_of(path),
        };
        collector.visit_file(&parsed);
        let beside = path.parent().unwrap_or(Path::new("")).to_owned();
        for module in collector.modules {
            let (file, folder) = match &module.path {
                Some(at) => (
                    beside.join(at),
                    beside.join(at).parent().unwrap_or(&beside).to_owned(),
                ),
                None => {
                    let inner = folder.join(&module.inside).join(&module.name);
                    let flat = inner.with_extension("rs");
                    (
                        if flat.exists() {
                            flat
                        } else {
                            inner.join("mod.rs")
                        },
                        inner,
                    )
                }
            };
            // It may be another platform's, or made by a macro or a build script.
            if file.exists() {
                self.add_file(&file, &folder)?;
            }
        }
        Ok(())
    }

    /// The name of a type, without those that stand for another.
    pub(crate) fn type_name(&self, ty: &syn::Type) -> Option<String> {
        Some(self.resolved(&last_name(ty)?))
    }

    pub(crate) fn resolved(&self, name: &str) -> String {
        self.aliases
            .get(name)
            .map_or(name, String::as_str)
            .to_owned()
    }

    pub(crate) fn member(&self, of: &str, name: &str) -> Option<String> {
        let ty = self.members.get(&(of.to_owned(), name.to_owned()))?;
        Some(self.resolved(ty))
    }

    /// The functions that a path in a file may name: associated ones of the type `of`, or plain ones, after `module` if that is said.
    pub(crate) fn by_path(
        &self,
        file: usize,
        of: Option<&str>,
        module: Option<&str>,
        name: &str,
    ) -> Vec<usize> {
        let named = self.find(name, |function| function.of.as_deref() == of);
        let only = |fits: &dyn Fn(&Function) -> bool| -> Vec<usize> {
            named
                .iter()
                .copied()
                .filter(|&index| fits(&self.functions[index]))
                .collect()
        };
        if of.is_some() {
            return named;
        }
        match module {
            Some("crate" | "super") => named,
            Some("self") => only(&|function| function.file == file),
            Some(module) => only(&|function| function.module == module),
            None => {
                let here = only(&|function| function.file == file);
                match self.files[file].imports.get(name) {
                    _ if !here.is_empty() => here,
                    Some(from) => match from.last().map(String::as_str) {
                        Some("crate" | "super") => named,
                        module => only(&|function| Some(&*function.module) == module),
                    },
                    None if self.files[file].imports_modules => named,
                    None => Vec::new(),
                }
            }
        }
    }

    /// The type that a function gives, if all that it may be give the same.
    pub(crate) fn output(&self, candidates: &[usize]) -> Option<String> {
        let output = self.functions[*candidates.first()?].output.clone()?;
        let same = |&index: &usize| self.functions[index].output.as_ref() == Some(&output);
        candidates.iter().all(same).then(|| self.resolved(&output))
    }

    /// The methods that a call in a file may be of. Of a type that is not known, only those of the same file are meant.
    pub(crate) fn methods(
        &self,
        file: usize,
        of: Option<&str>,
        name: &str,
        arguments: usize,
    ) -> Vec<usize> {
        let fits =
            |function: &Function| function.takes_self && function.parameters.len() == arguments;
        match of {
            Some(of) => self.find(name, |function| {
                fits(function) && function.of.as_deref() == Some(of)
            }),
            None => self.find(name, |function| function.file == file && fits(function)),
        }
    }

    fn find(&self, name: &str, fits: impl Fn(&Function) -> bool) -> Vec<usize> {
        let named = self.by_name.get(name).into_iter().flatten().copied();
        named
            .filter(|&index| fits(&self.functions[index]))
            .collect()
    }
}

struct Collector<'a> {
    program: &'a mut Program,
    file: usize,
    of: Option<String>,
    modules: Vec<Module>,
    /// The modules with a body that this is in.
    inside: PathBuf,
    module: String,
}

struct Module {
    name: String,
    path: Option<String>,
    inside: PathBuf,
}

impl Collector<'_> {
    fn add(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(typed.clone()),
            _ => None,
        });
        let name = signature.ident.to_string();
        self.program
            .by_name
            .entry(name.clone())
            .or_default()
            .push(self.program.functions.len());
        self.program.functions.push(Rc::new(Function {
            file: self.file,
            module: self.module.clone(),
            of: self.of.clone(),
            takes_self: matches!(signature.inputs.first(), Some(syn::FnArg::Receiver(_))),
            parameters: parameters.collect(),
            output: match &signature.output {
                syn::ReturnType::Type(_, ty) => given_by(ty).map(|name| match (&*name, &self.of) {
                    ("Self", Some(of)) => of.clone(),
                    _ => name,
                }),
                syn::ReturnType::Default => None,
            },
            may_fail: match &signature.output {
                syn::ReturnType::Type(_, ty) => last_name(ty).is_some_and(|name| name == "Result"),
                syn::ReturnType::Default => false,
            },
            body: body.clone(),
        }));
    }

    fn import(&mut self, tree: &syn::UseTree, from: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                from.push(path.ident.to_string());
                self.import(&path.tree, from);
                from.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, from))
            }
            syn::UseTree::Name(name) => {
                self.program.files[self.file]
                    .imports
                    .insert(name.ident.to_string(), from.clone());
            }
            syn::UseTree::Glob(_) => {
                let inside = matches!(
                    from.first().map(String::as_str),
                    Some("super" | "crate" | "self")
                );
                self.program.files[self.file].imports_modules |= inside;
            }
            syn::UseTree::Rename(_) => {}
        }
    }

    fn of(&mut self, name: Option<String>, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.of, name);
        visit(self);
        self.of = outer;
    }
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.of(None, |collector| {
            collector.add(&function.sig, &function.block);
            visit::visit_item_fn(collector, function);
        });
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.of(last_name(&item.self_ty), |collector| {
            visit::visit_item_impl(collector, item)
        });
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.of(Some(item.ident.to_string()), |collector| {
            visit::visit_item_trait(collector, item)
        });
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        if let Some(name) = last_name(&item.ty) {
            self.program.aliases.insert(item.ident.to_string(), name);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        for member in &item.fields {
            if let (Some(name), Some(ty)) = (&member.ident, last_name(&member.ty)) {
                self.program
                    .members
                    .insert((item.ident.to_string(), name.to_string()), ty);
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, &mut Vec::new());
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        if module.content.is_some() {
            self.inside.push(&name);
            let outer = std::mem::replace(&mut self.module, name);
            visit::visit_item_mod(self, module);
            self.module = outer;
            self.inside.pop();
            return;
        }
        let path = module
            .attrs
            .iter()
            .find_map(|attribute| match &attribute.meta {
                syn::Meta::NameValue(meta) if meta.path.is_ident("path") => match &meta.value {
                    syn::Expr::Lit(syn::ExprLit {
                        lit: syn::Lit::Str(path),
                        ..
                    }) => Some(path.value()),
                    _ => None,
                },
                _ => None,
            });
        self.modules.push(Module {
            name,
            path,
            inside: self.inside.clone(),
        });
    }
}

/// `Coarray` of `&mut coarray::Coarray<f64>`.
fn last_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string()),
        syn::Type::Reference(reference) => last_name(&reference.elem),
        syn::Type::Paren(paren) => last_name(&paren.elem),
        syn::Type::Group(group) => last_name(&group.elem),
        _ => None,
    }
}

/// As [`last_name`], of what a `Result` or an `Option` has.
fn given_by(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else {
        return last_name(ty);
    };
    let last = path.path.segments.last()?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(inner)
            if last.ident == "Result" || last.ident == "Option" =>
        {
            match inner.args.first()? {
                syn::GenericArgument::Type(ty) => last_name(ty),
                _ => None,
            }
        }
        _ => last_name(ty),
    }
}

/// The name of the module that a file is.
fn module_of(path: &Path) -> String {
    let name = |path: &Path| {
        path.file_stem()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    match name(path) {
        stem if stem == "mod" => path.parent().map(name).unwrap_or_default(),
        stem => stem,
    }
}
