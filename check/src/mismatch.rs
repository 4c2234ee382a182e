//! What is found.

use std::rc::Rc;

use crate::node::Condition;
use crate::place::Place;

/// A collective call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: Rc<str>,
    pub(crate) place: Place,
    /// The call of a function of the package that leads there.
    pub(crate) by: Option<Place>,
}

/// Images do not call the same, or a result is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) differs: Condition,
    pub(crate) what: What,
    pub(crate) call: Call,
    /// What the others call.
    pub(crate) instead: Option<Call>,
}

/// What the value at `differs` is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It decides whether the call is made.
    Way,
    /// It is this argument of the call.
    Argument(&'static str),
    /// It is no variable, so that the result is lost; it need not differ.
    Lost,
}
