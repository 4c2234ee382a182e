//! Calls: which are collective, and which lead to other functions of the package.

use std::rc::Rc;

use syn::{Expr, spanned::Spanned};

use crate::collectives;
use crate::expression::is_this_image;
use crate::lowering::Lowering;
use crate::mismatch::{Call, Mismatch, What};
use crate::node::{Condition, Exit, Node};
use crate::place::Place;
use crate::scope::{Kind, Taint};

type Arguments = syn::punctuated::Punctuated<Expr, syn::Token![,]>;

/// Closures given to these are programs of their own, or run on threads that are no images.
const ELSEWHERE: [&str; 6] = [
    "run",
    "spawn",
    "launch",
    "launch_keeping_going",
    "run_on",
    "same_on",
];

/// The job ends in these, or goes on without this image, whose end `try_` forms tell.
const NEVER: [&str; 8] = [
    "error_stop",
    "error_stop_quiet",
    "error_stop_with",
    "fail_image",
    "exit",
    "abort",
    "panic_any",
    "resume_unwind",
];

/// These call the closure only if the value says so.
const IF: [&str; 7] = [
    "then",
    "and_then",
    "or_else",
    "unwrap_or_else",
    "is_some_and",
    "is_ok_and",
    "map_or",
];

/// These have the same value on all images, though what they are asked may not.
const ALIKE: [&str; 8] = [
    "len", "is_empty", "extents", "shape", "images", "dim", "capacity", "ndim",
];

/// Methods that so many types have, that one of the package is meant only if its type is known.
const COMMON: [&str; 24] = [
    "next", "get", "get_mut", "insert", "remove", "push", "pop", "write", "read", "flush", "send",
    "recv", "lock", "wait", "clone", "drop", "fmt", "from", "into", "find", "iter", "map", "fill",
    "swap",
];

impl Lowering<'_> {
    pub(crate) fn call(&mut self, call: &syn::ExprCall, out: &mut Vec<Node>) -> Taint {
        let Expr::Path(path) = &*call.func else {
            let taint = self.expression(&call.func, out);
            return taint.or(self.arguments(&call.args, false, out));
        };
        let path = &path.path;
        let place = self.place(path.segments.last().span());
        if is_this_image(path) && call.args.is_empty() {
            return Some(place);
        }
        let name = path.segments.last()?.ident.to_string();
        let owner = self.owner(path);
        if path.segments.len() == 1
            && let Some(variable) = self.scopes.get(&name)
        {
            let taint = self.arguments(&call.args, false, out);
            let collective = variable
                .closure
                .as_ref()
                .is_some_and(|nodes| self.calls_collectives(nodes));
            out.extend(
                variable
                    .closure
                    .map(|nodes| Node::Closure(nodes, Some(place))),
            );
            return taint.filter(|_| !collective).or(variable.taint);
        }
        let own = self.functions(path);
        if !own.is_empty() {
            return self.own_call(own, &call.args, place, out);
        }
        let taint = self.arguments(&call.args, ELSEWHERE.contains(&&*name), out);
        let collective = match &owner {
            Some(owner) => collectives::is_associated(owner, &name),
            None => collectives::is_function(&name) && self.of_the_library(path),
        };
        if collective {
            return self.collective(&name, owner.as_deref(), &call.args, place, taint, out);
        }
        if name == "drop"
            && let Some(argument) = call.args.first()
            && self.is_outer_guard(argument)
        {
            self.push_collective("the end of a phase", place, out);
        }
        if NEVER.contains(&&*name) {
            out.push(Node::Exit(Exit::Never));
        } else if name == "stop" && call.args.len() == 1 && self.of_the_library(path) {
            out.push(Node::Exit(stopped(&call.args[0])));
        }
        taint
    }

    /// The functions of the package that a path may name.
    pub(crate) fn functions(&self, path: &syn::Path) -> Vec<usize> {
        let owner = self.owner(path);
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let (Some(name), before) = (names.last(), names.len().checked_sub(2)) else {
            return Vec::new();
        };
        let module = before
            .filter(|_| owner.is_none())
            .map(|before| &*names[before]);
        self.program
            .by_path(self.function.file, owner.as_deref(), module, name)
    }

    /// A path without a crate or a module, or with one of ours.
    fn of_the_library(&self, path: &syn::Path) -> bool {
        let before = path
            .segments
            .iter()
            .rev()
            .nth(1)
            .map(|segment| segment.ident.to_string());
        before.is_none_or(|module| {
            module.starts_with("coarray")
                || matches!(
                    &*module,
                    "collectives" | "asynchronous" | "grid" | "crate" | "super"
                )
        })
    }

    /// A guard is dropped where its scope ends, too. What matters is that only some images end it before.
    fn is_outer_guard(&self, expression: &Expr) -> bool {
        let Expr::Path(path) = expression else {
            return false;
        };
        let depth = path
            .path
            .get_ident()
            .and_then(|name| self.scopes.depth_of(&name.to_string()));
        self.control.is_some()
            && self.kind(expression) == Some(Kind::Guard)
            && depth.is_some_and(|depth| depth < self.controlled)
    }

    pub(crate) fn method_call(&mut self, call: &syn::ExprMethodCall, out: &mut Vec<Node>) -> Taint {
        let name = call.method.to_string();
        let place = self.place(call.method.span());
        let kind = self.kind(&call.receiver);
        let receiver = self.expression(&call.receiver, out);
        let of = match &kind {
            Some(Kind::Type(name)) => Some(&**name),
            _ => None,
        };
        if collectives::ends_phase(&name) && self.is_outer_guard(&call.receiver) {
            self.push_collective("the end of a phase", place, out);
            return receiver;
        }
        // A team's images are alike in what has decided on the team.
        if matches!(&*name, "change" | "try_change") || of == Some("Launch") && name == "run" {
            for argument in &call.args {
                match argument {
                    Expr::Closure(closure) => self.closure_elsewhere(closure),
                    argument => drop(self.expression(argument, out)),
                }
            }
            return None;
        }
        let own = match of {
            None if COMMON.contains(&&*name) => Vec::new(),
            _ => self
                .program
                .methods(self.function.file, of, &name, call.args.len()),
        };
        if !own.is_empty() {
            let taint = self.own_call(own, &call.args, place, out);
            return receiver.or(taint);
        }
        if IF.contains(&&*name) {
            let (arm, taint) =
                self.arm(receiver, |this, arm| this.arguments(&call.args, false, arm));
            if !arm.is_empty() {
                out.push(Node::Branch {
                    on: self.condition(&*call.receiver, receiver),
                    arms: vec![arm, Vec::new()],
                });
            }
            // What an option has may differ where it is: only the second matters mostly.
            return if name == "then" {
                receiver
            } else {
                receiver.or(taint)
            };
        }
        let taint = self.arguments(&call.args, name == "spawn", out);
        if collectives::is_method(of, &name, call.args.len()) {
            return self.collective(&name, None, &call.args, place, receiver.or(taint), out);
        }
        if ALIKE.contains(&&*name) {
            return None;
        }
        receiver.or(taint)
    }

    /// Of a collective operation of the library.
    fn collective(
        &mut self,
        name: &str,
        owner: Option<&str>,
        arguments: &Arguments,
        place: Place,
        taint: Taint,
        out: &mut Vec<Node>,
    ) -> Taint {
        let said = owner.map_or(name.to_owned(), |owner| format!("{owner}::{name}"));
        self.push_collective(&said, place, out);
        for (number, parameter) in collectives::alike(&said, arguments.len()) {
            let argument = &arguments[number];
            let taint = self.expression(argument, &mut Vec::new());
            self.arguments
                .extend(self.condition(argument, taint).map(|differs| Mismatch {
                    differs,
                    what: What::Argument(parameter),
                    call: Call {
                        name: Rc::from(&*said),
                        place,
                        by: None,
                    },
                    instead: None,
                }));
        }
        if let Some(place) = collectives::replaced(&said, arguments.len())
            .and_then(|number| self.temporary(&arguments[number]))
        {
            self.arguments.push(Mismatch {
                differs: Condition { place, seed: place },
                what: What::Lost,
                call: Call {
                    name: Rc::from(&*said),
                    place,
                    by: None,
                },
                instead: None,
            });
        }
        // Images that fail are told apart from errors alike; no argument decides on them.
        if owner.is_some() && name.starts_with("try_") {
            return None;
        }
        if !collectives::gives_all_the_same(name) {
            return taint;
        }
        arguments.iter().for_each(|argument| self.alike(argument));
        None
    }

    /// Where the value is of which this is a `&mut`, if it is gone when the call is over.
    fn temporary(&self, argument: &Expr) -> Option<Place> {
        let Expr::Reference(reference) = argument else {
            return None;
        };
        let mut value = &*reference.expr;
        while let Expr::Paren(inner) = value {
            value = &inner.expr;
        }
        let is_made_here = matches!(
            value,
            Expr::Array(_)
                | Expr::Binary(_)
                | Expr::Call(_)
                | Expr::Cast(_)
                | Expr::Lit(_)
                | Expr::Macro(_)
                | Expr::MethodCall(_)
                | Expr::Repeat(_)
                | Expr::Struct(_)
                | Expr::Tuple(_)
        );
        (reference.mutability.is_some() && is_made_here).then(|| self.place(value.span()))
    }

    fn push_collective(&mut self, name: &str, place: Place, out: &mut Vec<Node>) {
        out.push(Node::Collective {
            name: Rc::from(name),
            place,
        });
    }

    /// Of functions of this package, one of which it is.
    fn own_call(
        &mut self,
        candidates: Vec<usize>,
        arguments: &Arguments,
        place: Place,
        out: &mut Vec<Node>,
    ) -> Taint {
        let mut taint = None;
        // `Type::method(value, ...)` has the receiver among the arguments.
        let function = &self.program.functions[candidates[0]];
        let shift = arguments.len().saturating_sub(function.parameters.len());
        for (number, argument) in arguments.iter().enumerate() {
            let one = self.argument(argument, false, out);
            taint = taint.or(one);
            if let ([function], Some(seed), Some(number)) =
                (&*candidates, one, number.checked_sub(shift))
            {
                self.facts
                    .parameters
                    .entry((*function, number))
                    .or_insert(seed);
            }
        }
        let result = match &*candidates {
            [function] => self.facts.results.get(function).copied(),
            _ => taint,
        };
        out.push(Node::Call {
            candidates: candidates.into(),
            place,
        });
        result
    }

    fn arguments<'e>(
        &mut self,
        arguments: impl IntoIterator<Item = &'e Expr>,
        elsewhere: bool,
        out: &mut Vec<Node>,
    ) -> Taint {
        arguments.into_iter().fold(None, |taint, argument| {
            let one = self.argument(argument, elsewhere, out);
            taint.or(one)
        })
    }

    /// A closure is taken to be called once, where it is given away.
    fn argument(&mut self, argument: &Expr, elsewhere: bool, out: &mut Vec<Node>) -> Taint {
        match argument {
            Expr::Closure(closure) if elsewhere => {
                self.closure_elsewhere(closure);
                None
            }
            Expr::Closure(closure) => {
                let (nodes, taint) = self.closure(closure);
                if !nodes.is_empty() {
                    out.push(Node::Closure(nodes.into(), None));
                }
                taint
            }
            argument => self.expression(argument, out),
        }
    }
}

/// What becomes of an image that stops with this code. One that is not 0 ends the job, and one that is not known may be so.
fn stopped(code: &Expr) -> Exit {
    match code {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(number),
            ..
        }) if number.base10_digits() == "0" => Exit::Stop,
        _ => Exit::Never,
    }
}
