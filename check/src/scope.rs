//! The variables that are in scope, and what is known of them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::node::Node;
use crate::place::Place;

/// The call of `this_image` that a value depends on, if images may have different ones.
pub(crate) type Taint = Option<Place>;

#[derive(Clone, Default)]
pub(crate) struct Variable {
    pub(crate) taint: Taint,
    pub(crate) kind: Option<Kind>,
    /// What a call of it does, if it is a closure.
    pub(crate) closure: Option<Rc<[Node]>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// What ends a phase when it is dropped.
    Guard,
    /// The result of `this_image`, as it is.
    ImageNumber,
    Type(String),
}

#[derive(Default)]
pub(crate) struct Scopes {
    scopes: Vec<HashMap<String, Variable>>,
    /// Outside of these, values are alike: all images of a team that is changed to have the same, or it is another program.
    alike_below: usize,
}

impl Scopes {
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// How deep the scope of a variable is.
    pub(crate) fn depth_of(&self, name: &str) -> Option<usize> {
        self.scopes
            .iter()
            .rposition(|scope| scope.contains_key(name))
    }

    pub(crate) fn begin(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub(crate) fn end(&mut self) {
        self.scopes.pop();
    }

    /// Begins a scope in which all that is outside is alike. Returns what [`end_alike`](Self::end_alike) is told.
    pub(crate) fn begin_alike(&mut self) -> usize {
        self.begin();
        std::mem::replace(&mut self.alike_below, self.scopes.len() - 1)
    }

    pub(crate) fn end_alike(&mut self, before: usize) {
        self.end();
        self.alike_below = before;
    }

    pub(crate) fn bind(&mut self, name: String, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, variable);
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Variable> {
        let (depth, variable) = self
            .scopes
            .iter()
            .enumerate()
            .rev()
            .find_map(|(depth, scope)| Some((depth, scope.get(name)?)))?;
        let mut variable = variable.clone();
        if depth < self.alike_below {
            variable.taint = None;
        }
        Some(variable)
    }

    pub(crate) fn change(&mut self, name: &str, change: impl FnOnce(&mut Variable)) {
        if let Some(variable) = self
            .scopes
            .iter_mut()
            .rev()
            .find_map(|scope| scope.get_mut(name))
        {
            change(variable);
        }
    }
}
