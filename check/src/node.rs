//! What the body of a function does, as far as matching needs it: collective calls, and what decides whether an image makes them.

use std::rc::Rc;

use crate::place::Place;

/// A condition whose value differs among images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) place: Place,
    /// The call of `this_image` that it depends on.
    pub(crate) seed: Place,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Collective {
        name: Rc<str>,
        place: Place,
    },
    /// A call of one of these functions of the package: of all that it may be.
    Call {
        candidates: Rc<[usize]>,
        place: Place,
    },
    /// One of several ways; `on` if images may take different ones.
    Branch {
        on: Option<Condition>,
        arms: Vec<Vec<Node>>,
    },
    /// `on` if images may go round differently often.
    Loop {
        id: usize,
        on: Option<Condition>,
        body: Vec<Node>,
    },
    /// The body of a closure, which a `return` in it does not leave, and where it is called by its name.
    Closure(Rc<[Node]>, Option<Place>),
    Exit(Exit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Return,
    /// Of the loop with this id.
    Break(usize),
    Continue(usize),
    /// The image stops, as one that returns from `main`: others that wait for it are told, and those that ask have an error.
    Stop,
    /// The job ends, or goes on without this image.
    Never,
}

/// Whether one of the nodes leaves them for elsewhere in the function.
pub(crate) fn leaves(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Exit(exit) => *exit != Exit::Never,
        Node::Branch { arms, .. } => arms.iter().any(|arm| leaves(arm)),
        Node::Loop { body, .. } => leaves(body),
        _ => false,
    })
}
