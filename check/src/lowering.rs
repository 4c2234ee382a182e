//! From the syntax of a function to what matters for matching, and which values differ among images.
//!
//! A value differs if it is made of a result of `this_image`, directly, by variables, parameters and results of functions, or if it is
//! assigned under a condition that does. What a collective operation gives to all images is the same on all.

use std::collections::{HashMap, HashSet};

use syn::Expr;

use crate::mismatch::Mismatch;
use crate::node::{Condition, Exit, Node};
use crate::place::Place;
use crate::program::{Function, Program};
use crate::scope::{Kind, Scopes, Taint, Variable};

/// What is known of values that cross functions.
#[derive(Default, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) parameters: HashMap<(usize, usize), Place>,
    pub(crate) results: HashMap<usize, Place>,
    /// Functions that call collective ones, or functions that do.
    pub(crate) collective: HashSet<usize>,
    /// Members of structs that hold the number of the image.
    pub(crate) members: HashMap<String, Place>,
}

/// A function after lowering.
pub(crate) struct Lowered {
    pub(crate) body: Vec<Node>,
    /// Bodies of closures that run elsewhere: in another program, in a team, on another thread.
    pub(crate) detached: Vec<Vec<Node>>,
    /// Arguments that must be the same on all images, and are not.
    pub(crate) arguments: Vec<Mismatch>,
}

/// Lowers all functions, again and again until the facts stay.
pub(crate) fn lower(program: &Program) -> Vec<Lowered> {
    let mut facts = Facts::default();
    loop {
        let before = facts.clone();
        let lowered = (0..program.functions.len())
            .map(|index| lower_function(program, index, &mut facts))
            .collect();
        if facts == before {
            return lowered;
        }
        if facts.collective != before.collective {
            // What is known of values was found by less.
            facts = Facts {
                collective: facts.collective,
                ..Facts::default()
            };
        }
    }
}

fn lower_function(program: &Program, index: usize, facts: &mut Facts) -> Lowered {
    let function = &program.functions[index];
    let mut lowering = Lowering {
        program,
        function,
        index: Some(index),
        facts,
        scopes: Scopes::default(),
        control: None,
        controlled: 0,
        loops: Vec::new(),
        next_loop: 0,
        detached: Vec::new(),
        arguments: Vec::new(),
    };
    lowering.scopes.begin();
    for (number, parameter) in function.parameters.iter().enumerate() {
        let variable = Variable {
            taint: lowering.facts.parameters.get(&(index, number)).copied(),
            kind: program.type_name(&parameter.ty).map(Kind::Type),
            closure: None,
        };
        lowering.bind(&parameter.pat, &variable);
    }
    let mut body = Vec::new();
    let result = lowering.block(&function.body, &mut body);
    lowering.gives(result);
    if lowering.calls_collectives(&body) {
        lowering.facts.collective.insert(index);
    }
    Lowered {
        body,
        detached: lowering.detached,
        arguments: lowering.arguments,
    }
}

pub(crate) struct Lowering<'a> {
    pub(crate) program: &'a Program,
    pub(crate) function: &'a Function,
    /// Of the function, unless this is in a closure, whose `return` is not the function's.
    pub(crate) index: Option<usize>,
    pub(crate) facts: &'a mut Facts,
    pub(crate) scopes: Scopes,
    /// What decides whether this is reached, if that differs.
    pub(crate) control: Taint,
    /// How deep the scopes were where that began.
    pub(crate) controlled: usize,
    loops: Vec<LoopAround>,
    next_loop: usize,
    pub(crate) detached: Vec<Vec<Node>>,
    pub(crate) arguments: Vec<Mismatch>,
}

struct LoopAround {
    id: usize,
    label: Option<String>,
    /// Whether images may leave it, or its rounds, differently.
    differs: Taint,
}

impl Lowering<'_> {
    pub(crate) fn place(&self, span: proc_macro2::Span) -> Place {
        Place::new(self.function.file, span)
    }

    pub(crate) fn condition(
        &self,
        at: &impl syn::spanned::Spanned,
        taint: Taint,
    ) -> Option<Condition> {
        Some(Condition {
            place: self.place(at.span()),
            seed: taint?,
        })
    }

    /// Whether one of the nodes calls a collective function, as far as is known.
    pub(crate) fn calls_collectives(&self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match node {
            Node::Collective { .. } => true,
            Node::Call { candidates, .. } => candidates
                .iter()
                .any(|candidate| self.facts.collective.contains(candidate)),
            Node::Branch { arms, .. } => arms.iter().any(|arm| self.calls_collectives(arm)),
            Node::Loop { body, .. } => self.calls_collectives(body),
            Node::Closure(nodes, _) => self.calls_collectives(nodes),
            Node::Exit(_) => false,
        })
    }

    /// The function returns a value. Collective ones that may fail are taken to do so on all images.
    fn gives(&mut self, taint: Taint) {
        if let Some(index) = self.index
            && let Some(seed) = taint.or(self.control)
            && !(self.function.may_fail && self.facts.collective.contains(&index))
        {
            self.facts.results.entry(index).or_insert(seed);
        }
    }

    /// Binds all names of a pattern.
    pub(crate) fn bind(&mut self, pattern: &syn::Pat, variable: &Variable) {
        let mut names = Names(Vec::new());
        syn::visit::Visit::visit_pat(&mut names, pattern);
        for name in names.0 {
            self.scopes.bind(name, variable.clone());
        }
    }

    pub(crate) fn block(&mut self, block: &syn::Block, out: &mut Vec<Node>) -> Taint {
        self.scopes.begin();
        let taint = self.statements(&block.stmts, out);
        self.scopes.end();
        taint
    }

    pub(crate) fn statements(&mut self, statements: &[syn::Stmt], out: &mut Vec<Node>) -> Taint {
        let mut last = None;
        for statement in statements {
            last = match statement {
                syn::Stmt::Local(local) => {
                    self.local(local, out);
                    None
                }
                syn::Stmt::Expr(expression, semicolon) => {
                    let taint = self.expression(expression, out);
                    taint.filter(|_| semicolon.is_none())
                }
                syn::Stmt::Macro(statement) => self.macro_call(&statement.mac, out),
                // Functions in functions are looked at by themselves.
                syn::Stmt::Item(_) => None,
            };
        }
        last
    }

    fn local(&mut self, local: &syn::Local, out: &mut Vec<Node>) {
        let Some(init) = &local.init else {
            self.bind(&local.pat, &Variable::default());
            return;
        };
        // Each by itself: `let (me, images) = (this_image(), num_images())`.
        if let (syn::Pat::Tuple(patterns), Expr::Tuple(values)) = (&local.pat, &*init.expr)
            && patterns.elems.len() == values.elems.len()
        {
            for (pattern, value) in patterns.elems.iter().zip(&values.elems) {
                let variable = Variable {
                    kind: self.kind(value),
                    taint: self.expression(value, out),
                    closure: None,
                };
                self.bind(pattern, &variable);
            }
            return;
        }
        let mut variable = Variable {
            kind: self.kind(&init.expr),
            ..Variable::default()
        };
        if let syn::Pat::Type(typed) = &local.pat {
            variable.kind = self
                .program
                .type_name(&typed.ty)
                .map(Kind::Type)
                .or(variable.kind);
        }
        if let Expr::Closure(closure) = &*init.expr {
            let (nodes, taint) = self.closure(closure);
            // Also if nobody calls it by its name.
            self.detached.push(nodes.clone());
            (variable.closure, variable.taint) = (Some(nodes.into()), taint);
        } else {
            variable.taint = self.expression(&init.expr, out);
        }
        if let Some((_, otherwise)) = &init.diverge {
            let on = self.condition(&init.expr, variable.taint);
            let mut arm = Vec::new();
            self.under(variable.taint, |this| this.expression(otherwise, &mut arm));
            out.push(Node::Branch {
                on,
                arms: vec![arm, Vec::new()],
            });
        }
        self.bind(&local.pat, &variable);
    }

    /// What is run only if a condition says so, which differs with `taint`.
    pub(crate) fn under<R>(&mut self, taint: Taint, run: impl FnOnce(&mut Self) -> R) -> R {
        let outer = (self.control, self.controlled);
        if let (Some(_), None) = (taint, self.control) {
            (self.control, self.controlled) = (taint, self.scopes.depth());
        }
        let result = run(self);
        (self.control, self.controlled) = outer;
        result
    }

    /// What a call of the closure does, and whether its result differs.
    pub(crate) fn closure(&mut self, closure: &syn::ExprClosure) -> (Vec<Node>, Taint) {
        let index = self.index.take();
        let loops = std::mem::take(&mut self.loops);
        self.scopes.begin();
        for input in &closure.inputs {
            let mut variable = Variable::default();
            if let syn::Pat::Type(typed) = input {
                variable.kind = self.program.type_name(&typed.ty).map(Kind::Type);
            }
            self.bind(input, &variable);
        }
        let mut nodes = Vec::new();
        let taint = self.expression(&closure.body, &mut nodes);
        self.scopes.end();
        (self.index, self.loops) = (index, loops);
        (nodes, taint)
    }

    /// A closure in another program, or in a team: nothing outside of it differs.
    pub(crate) fn closure_elsewhere(&mut self, closure: &syn::ExprClosure) {
        let control = self.control.take();
        let before = self.scopes.begin_alike();
        let (nodes, _) = self.closure(closure);
        self.scopes.end_alike(before);
        self.control = control;
        self.detached.push(nodes);
    }

    pub(crate) fn arm(
        &mut self,
        taint: Taint,
        run: impl FnOnce(&mut Self, &mut Vec<Node>) -> Taint,
    ) -> (Vec<Node>, Taint) {
        let mut arm = Vec::new();
        let result = self.under(taint, |this| run(this, &mut arm));
        (arm, result)
    }

    pub(crate) fn if_expression(&mut self, expression: &syn::ExprIf, out: &mut Vec<Node>) -> Taint {
        self.scopes.begin();
        let taint = self.expression(&expression.cond, out);
        let (then, one) = self.arm(taint, |this, arm| this.block(&expression.then_branch, arm));
        self.scopes.end();
        let (otherwise, other) = match &expression.else_branch {
            Some((_, branch)) => self.arm(taint, |this, arm| this.expression(branch, arm)),
            None => (Vec::new(), None),
        };
        out.push(Node::Branch {
            on: self.condition(&*expression.cond, taint),
            arms: vec![then, otherwise],
        });
        // Without `else` there is no value.
        expression.else_branch.as_ref()?;
        taint.or(one).or(other)
    }

    pub(crate) fn match_expression(
        &mut self,
        expression: &syn::ExprMatch,
        out: &mut Vec<Node>,
    ) -> Taint {
        let subject = self.expression(&expression.expr, out);
        let mut taint = subject;
        let variable = Variable {
            taint: subject,
            kind: self.kind(&expression.expr),
            closure: None,
        };
        let mut arms = Vec::new();
        let mut on = self.condition(&*expression.expr, subject);
        for arm in &expression.arms {
            self.scopes.begin();
            self.bind(&arm.pat, &variable);
            let mut nodes = Vec::new();
            if let syn::Pat::Guard(pattern) = &arm.pat {
                let guard = self.expression(&pattern.guard, &mut nodes);
                taint = taint.or(guard);
                // Else the subject decides first.
                if matches!(
                    &*pattern.pat,
                    syn::Pat::Wild(_) | syn::Pat::Ident(syn::PatIdent { subpat: None, .. })
                ) {
                    on = on.or_else(|| self.condition(&*pattern.guard, guard));
                }
            }
            let (body, result) = self.arm(taint, |this, nodes| this.expression(&arm.body, nodes));
            nodes.extend(body);
            taint = taint.or(result);
            self.scopes.end();
            arms.push(nodes);
        }
        out.push(Node::Branch { on, arms });
        taint
    }

    /// `while`, `for` and `loop`: `head` is what decides on each round, and binds what it has. Twice, since a round sees what the one
    /// before assigned.
    pub(crate) fn round(
        &mut self,
        label: Option<&syn::Label>,
        at: &impl syn::spanned::Spanned,
        body: &syn::Block,
        out: &mut Vec<Node>,
        mut head: impl FnMut(&mut Self, &mut Vec<Node>) -> Taint,
    ) {
        let mut differs = None;
        for last in [false, true] {
            let id = self.next_loop;
            self.next_loop += 1;
            self.loops.push(LoopAround {
                id,
                label: label.map(|label| label.name.ident.to_string()),
                differs,
            });
            self.scopes.begin();
            let mut nodes = Vec::new();
            let taint = head(self, &mut nodes);
            self.under(taint.or(differs), |this| this.block(body, &mut nodes));
            self.scopes.end();
            differs = self
                .loops
                .pop()
                .and_then(|around| around.differs)
                .or(differs);
            if last {
                let on = self.condition(at, taint);
                out.push(Node::Loop {
                    id,
                    on,
                    body: nodes,
                });
            }
        }
    }

    /// `return`, `break`, `continue`.
    pub(crate) fn exit(&mut self, expression: &Expr, out: &mut Vec<Node>) {
        let (label, leaves) = match expression {
            Expr::Return(returned) => {
                let taint = returned
                    .expr
                    .as_ref()
                    .and_then(|value| self.expression(value, out));
                self.gives(taint);
                let control = self.control;
                self.loops
                    .iter_mut()
                    .for_each(|around| around.differs = around.differs.or(control));
                out.push(Node::Exit(Exit::Return));
                return;
            }
            Expr::Break(broken) => {
                if let Some(value) = &broken.expr {
                    self.expression(value, out);
                }
                (&broken.label, true)
            }
            Expr::Continue(continued) => (&continued.label, false),
            _ => return,
        };
        let label = label.as_ref().map(|label| label.ident.to_string());
        let control = self.control;
        let around = self
            .loops
            .iter_mut()
            .rev()
            .find(|around| label.is_none() || around.label == label);
        if let Some(around) = around {
            around.differs = around.differs.or(control);
            out.push(Node::Exit(match leaves {
                true => Exit::Break(around.id),
                false => Exit::Continue(around.id),
            }));
        }
    }
}

/// The names that a pattern binds.
struct Names(Vec<String>);

impl<'ast> syn::visit::Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}
