//! Expressions, and whether their values differ among images.

use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Token};

use crate::lowering::Lowering;
use crate::node::{Exit, Node};
use crate::scope::{Kind, Taint, Variable};

impl Lowering<'_> {
    pub(crate) fn expression(&mut self, expression: &Expr, out: &mut Vec<Node>) -> Taint {
        match expression {
            Expr::Path(path) => self.scopes.get(&path.path.get_ident()?.to_string())?.taint,
            Expr::Call(call) => self.call(call, out),
            Expr::MethodCall(call) => self.method_call(call, out),
            Expr::Macro(called) => self.macro_call(&called.mac, out),
            Expr::Binary(binary) => self.binary(binary, out),
            Expr::Assign(assign) => {
                let taint = self.expression(&assign.right, out);
                self.expression(&assign.left, out);
                self.assign(&assign.left, taint);
                None
            }
            Expr::If(expression) => self.if_expression(expression, out),
            Expr::Match(expression) => self.match_expression(expression, out),
            Expr::Let(expression) => {
                let taint = self.expression(&expression.expr, out);
                let variable = Variable {
                    taint,
                    kind: self.kind(&expression.expr),
                    closure: None,
                };
                self.bind(&expression.pat, &variable);
                taint
            }
            Expr::While(expression) => {
                self.round(
                    expression.label.as_ref(),
                    &*expression.cond,
                    &expression.body,
                    out,
                    |this, nodes| this.expression(&expression.cond, nodes),
                );
                None
            }
            Expr::ForLoop(expression) => {
                let taint = self.expression(&expression.expr, out);
                let count = self.differs_in_length(&expression.expr, taint);
                let variable = Variable {
                    taint,
                    ..Variable::default()
                };
                self.round(
                    expression.label.as_ref(),
                    &*expression.expr,
                    &expression.body,
                    out,
                    |this, _| {
                        this.bind(&expression.pat, &variable);
                        count
                    },
                );
                None
            }
            Expr::Loop(expression) => {
                self.round(
                    expression.label.as_ref(),
                    expression,
                    &expression.body,
                    out,
                    |_, _| None,
                );
                None
            }
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => {
                self.exit(expression, out);
                None
            }
            Expr::Try(tried) => {
                let taint = self.expression(&tried.expr, out);
                out.push(Node::Branch {
                    on: None,
                    arms: vec![vec![Node::Exit(Exit::Return)], Vec::new()],
                });
                taint
            }
            Expr::Block(block) => self.block(&block.block, out),
            Expr::Unsafe(block) => self.block(&block.block, out),
            Expr::Const(block) => self.block(&block.block, out),
            Expr::TryBlock(block) => self.block(&block.block, out),
            Expr::Async(block) => {
                let mut nodes = Vec::new();
                let taint = self.block(&block.block, &mut nodes);
                out.push(Node::Closure(nodes.into(), None));
                taint
            }
            Expr::Closure(closure) => {
                // Nobody knows who calls it.
                let (nodes, taint) = self.closure(closure);
                self.detached.push(nodes);
                taint
            }
            Expr::Field(field) => {
                let taint = self.expression(&field.base, out);
                match &field.member {
                    syn::Member::Named(name) => {
                        taint.or_else(|| self.facts.members.get(&name.to_string()).copied())
                    }
                    syn::Member::Unnamed(_) => taint,
                }
            }
            Expr::Struct(made) => {
                let mut taint = None;
                for field in &made.fields {
                    let value = self.expression(&field.expr, out);
                    if let (syn::Member::Named(name), Some(seed)) =
                        (&field.member, self.number_of_image(&field.expr))
                    {
                        self.facts.members.entry(name.to_string()).or_insert(seed);
                    }
                    taint = taint.or(value);
                }
                let rest = made
                    .rest
                    .as_ref()
                    .and_then(|rest| self.expression(rest, out));
                taint.or(rest)
            }
            Expr::Array(array) => self.all(&array.elems, out),
            Expr::Tuple(tuple) => self.all(&tuple.elems, out),
            Expr::Repeat(repeat) => {
                let taint = self.expression(&repeat.expr, out);
                taint.or(self.expression(&repeat.len, out))
            }
            Expr::Range(range) => {
                let start = range
                    .start
                    .as_ref()
                    .and_then(|start| self.expression(start, out));
                let end = range.end.as_ref().and_then(|end| self.expression(end, out));
                start.or(end)
            }
            Expr::Index(index) => {
                let taint = self.expression(&index.expr, out);
                taint.or(self.expression(&index.index, out))
            }
            Expr::Await(awaited) => self.expression(&awaited.base, out),
            Expr::Cast(cast) => self.expression(&cast.expr, out),
            Expr::Group(group) => self.expression(&group.expr, out),
            Expr::Paren(paren) => self.expression(&paren.expr, out),
            Expr::RawAddr(address) => self.expression(&address.expr, out),
            Expr::Reference(reference) => self.expression(&reference.expr, out),
            Expr::Unary(unary) => self.expression(&unary.expr, out),
            Expr::Yield(given) => given
                .expr
                .as_ref()
                .and_then(|value| self.expression(value, out)),
            _ => None,
        }
    }

    pub(crate) fn all<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        out: &mut Vec<Node>,
    ) -> Taint {
        expressions.into_iter().fold(None, |taint, expression| {
            let one = self.expression(expression, out);
            taint.or(one)
        })
    }

    fn binary(&mut self, binary: &syn::ExprBinary, out: &mut Vec<Node>) -> Taint {
        let left = self.expression(&binary.left, out);
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            let (nodes, right) = self.arm(left, |this, arm| this.expression(&binary.right, arm));
            if !nodes.is_empty() {
                out.push(Node::Branch {
                    on: self.condition(&*binary.left, left),
                    arms: vec![nodes, Vec::new()],
                });
            }
            return left.or(right);
        }
        let right = self.expression(&binary.right, out);
        if matches!(
            binary.op,
            BinOp::AddAssign(_)
                | BinOp::SubAssign(_)
                | BinOp::MulAssign(_)
                | BinOp::DivAssign(_)
                | BinOp::RemAssign(_)
                | BinOp::BitXorAssign(_)
                | BinOp::BitAndAssign(_)
                | BinOp::BitOrAssign(_)
                | BinOp::ShlAssign(_)
                | BinOp::ShrAssign(_)
        ) {
            self.assign(&binary.left, left.or(right));
            return None;
        }
        left.or(right)
    }

    /// `left` has another value from here on.
    fn assign(&mut self, left: &Expr, taint: Taint) {
        let taint = taint.or(self.control);
        match left {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.scopes
                        .change(&name.to_string(), |variable| variable.taint = taint);
                }
            }
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|left| self.assign(left, taint)),
            Expr::Paren(paren) => self.assign(&paren.expr, taint),
            Expr::Unary(unary) => self.taint_root(&unary.expr, taint),
            _ => self.taint_root(left, taint),
        }
    }

    /// A part of a variable has another value.
    fn taint_root(&mut self, part: &Expr, taint: Taint) {
        match part {
            Expr::Path(path) => {
                if let (Some(name), Some(_)) = (path.path.get_ident(), taint) {
                    self.scopes.change(&name.to_string(), |variable| {
                        variable.taint = variable.taint.or(taint)
                    });
                }
            }
            Expr::Field(field) => self.taint_root(&field.base, taint),
            Expr::Index(index) => self.taint_root(&index.expr, taint),
            Expr::Paren(paren) => self.taint_root(&paren.expr, taint),
            Expr::Unary(unary) => self.taint_root(&unary.expr, taint),
            _ => {}
        }
    }

    /// A collective operation gives all images the same in `argument`.
    pub(crate) fn alike(&mut self, argument: &Expr) {
        if let Expr::Reference(reference) = argument
            && let Expr::Path(path) = &*reference.expr
            && let (Some(name), None) = (path.path.get_ident(), self.control)
        {
            self.scopes
                .change(&name.to_string(), |variable| variable.taint = None);
        }
    }

    /// A loop over a range goes round as often as its bounds say; over other things, as often as they are long, which is mostly the same on
    /// all images.
    fn differs_in_length(&mut self, expression: &Expr, taint: Taint) -> Taint {
        match expression {
            Expr::Range(_) => taint,
            Expr::Paren(paren) => self.differs_in_length(&paren.expr, taint),
            // Of the range itself: `(0..n).map(|i| i + me)` is as long everywhere.
            Expr::MethodCall(call) => {
                let taint = self.expression(&call.receiver, &mut Vec::new());
                self.differs_in_length(&call.receiver, taint)
            }
            _ => None,
        }
    }

    /// The call of `this_image`, if the expression is just its result.
    fn number_of_image(&mut self, expression: &Expr) -> Taint {
        match self.kind(expression)? {
            Kind::ImageNumber => self.expression(expression, &mut Vec::new()),
            _ => None,
        }
    }

    /// The type of a value, as far as the expression itself says.
    pub(crate) fn kind(&self, expression: &Expr) -> Option<Kind> {
        match expression {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    return self.function.of.clone().map(Kind::Type);
                }
                self.scopes.get(&name)?.kind
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) if is_this_image(&path.path) => Some(Kind::ImageNumber),
                Expr::Path(path) => {
                    let given = self.program.output(&self.functions(&path.path));
                    given.or_else(|| self.owner(&path.path)).map(Kind::Type)
                }
                _ => None,
            },
            Expr::Struct(made) => made
                .path
                .segments
                .last()
                .map(|segment| Kind::Type(self.type_of(&segment.ident.to_string()))),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if crate::collectives::begins_phase(&name) && call.args.len() <= 1 {
                    return Some(Kind::Guard);
                }
                let kind = self.kind(&call.receiver)?;
                let same = matches!(
                    &*name,
                    "unwrap" | "expect" | "clone" | "as_mut" | "as_ref" | "borrow" | "borrow_mut"
                );
                // Options that are set one after the other.
                let builder = matches!(&kind, Kind::Type(name) if matches!(&**name, "Launch" | "Collective" | "Checkpoint" | "Vti"));
                (same || builder).then_some(kind)
            }
            Expr::Field(field) => match (self.kind(&field.base)?, &field.member) {
                (Kind::Type(of), syn::Member::Named(name)) => {
                    self.program.member(&of, &name.to_string()).map(Kind::Type)
                }
                _ => None,
            },
            Expr::Reference(reference) => self.kind(&reference.expr),
            Expr::Paren(paren) => self.kind(&paren.expr),
            Expr::Try(tried) => self.kind(&tried.expr),
            Expr::Unary(unary) => self.kind(&unary.expr),
            _ => None,
        }
    }

    /// `A` of `path::A::new`.
    pub(crate) fn owner(&self, path: &syn::Path) -> Option<String> {
        let before = path.segments.len().checked_sub(2)?;
        let name = path.segments[before].ident.to_string();
        name.starts_with(char::is_uppercase)
            .then(|| self.type_of(&name))
    }

    fn type_of(&self, name: &str) -> String {
        match (name, &self.function.of) {
            ("Self", Some(of)) => of.clone(),
            _ => self.program.resolved(name),
        }
    }

    /// Macros of the standard library and alike: what is between the commas is looked at, if it is expressions.
    pub(crate) fn macro_call(&mut self, called: &syn::Macro, out: &mut Vec<Node>) -> Taint {
        let name = called
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        if matches!(
            name.as_deref(),
            Some("panic" | "unreachable" | "todo" | "unimplemented" | "compile_error")
        ) {
            out.push(Node::Exit(Exit::Never));
            return None;
        }
        if let Ok(expressions) =
            called.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)
        {
            return self.all(&expressions, out);
        }
        if let Ok(expressions) =
            called.parse_body_with(Punctuated::<Expr, Token![;]>::parse_terminated)
        {
            return self.all(&expressions, out);
        }
        match called.parse_body_with(syn::Block::parse_within) {
            Ok(statements) => self.statements(&statements, out),
            Err(_) => None,
        }
    }
}

pub(crate) fn is_this_image(path: &syn::Path) -> bool {
    path.segments
        .last()
        .is_some_and(|segment| segment.ident == "this_image")
}
