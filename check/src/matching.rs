//! Which collective calls follow each other on each way through a function, and whether images that take different ways make the same.
//!
//! After S. Pophale, O. Hernandez, S. Poole and B. Chapman, *Static analyses for unaligned collective synchronization matching for
//! OpenSHMEM*, PGAS 2013: an expression of collective operations for each procedure, and concurrent alternatives where a condition is
//! multi-valued. Here the alternatives are compared as they are, with what follows them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::collectives::matching_name;
use crate::mismatch::{Call, Mismatch, What};
use crate::node::{Condition, Exit, Node, leaves};

/// What comes in a row from a place in the program on. Two with the same `shape` are the same, wherever the calls are.
type Row = Rc<Step>;

#[derive(Debug)]
struct Step {
    shape: u32,
    is: Is,
}

#[derive(Debug)]
enum Is {
    End,
    /// The job ends: nobody waits for this image.
    Never,
    /// The image has stopped: those that wait for it are told.
    Stopped,
    /// The next round of a loop around it, or what follows that loop.
    Again,
    Left,
    Item(Item, Row),
}

#[derive(Clone, Debug)]
enum Item {
    Collective(Call),
    Loop(Row),
    OneOf(Vec<Row>),
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    End,
    Never,
    Stopped,
    Again(usize),
    Left(usize),
    Collective(Rc<str>, u32),
    Loop(u32, u32),
    OneOf(Vec<u32>, u32),
}

/// A loop around the place that is looked at.
struct Around {
    id: usize,
    again: Row,
    left: Row,
}

/// Rows longer than that are not put into those of their callers: nobody reads a report about them.
const LONGEST: usize = 4000;

pub(crate) struct Matching<'a> {
    bodies: &'a [&'a [Node]],
    summaries: Vec<Option<Row>>,
    shapes: HashMap<Key, u32>,
    end: Row,
    never: Row,
    /// Conditions at which images leave a loop that is being looked at in different ways, and that is all; and whether some stop.
    leaving: Vec<(Condition, bool)>,
    pub(crate) found: Vec<Mismatch>,
}

impl<'a> Matching<'a> {
    /// Of a package, by the bodies of its functions.
    pub(crate) fn new(bodies: &'a [&'a [Node]]) -> Self {
        let row = |shape, is| Rc::new(Step { shape, is });
        Self {
            bodies,
            summaries: vec![None; bodies.len()],
            shapes: HashMap::from([(Key::End, 0), (Key::Never, 1)]),
            end: row(0, Is::End),
            never: row(1, Is::Never),
            leaving: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Looks at a body that nobody calls by name: of a closure that is given away, or of a function.
    pub(crate) fn check(&mut self, nodes: &[Node]) {
        let end = self.end.clone();
        self.row(nodes, end.clone(), &end, &mut Vec::new());
    }

    pub(crate) fn check_function(&mut self, function: usize) {
        self.summary(function);
    }

    fn summary(&mut self, function: usize) -> Row {
        if let Some(known) = &self.summaries[function] {
            return known.clone();
        }
        // What a recursive call adds is not known, and taken for nothing.
        let end = self.end.clone();
        self.summaries[function] = Some(end.clone());
        let row = self.row(self.bodies[function], end.clone(), &end, &mut Vec::new());
        let row = if length(&row) > LONGEST { end } else { row };
        self.summaries[function] = Some(row.clone());
        row
    }

    /// What `nodes` do and then `next`; a `return` in them leads to `end`.
    fn row(&mut self, nodes: &[Node], next: Row, end: &Row, around: &mut Vec<Around>) -> Row {
        // Nothing after a way out is reached.
        let out = nodes.iter().position(|node| matches!(node, Node::Exit(_)));
        let reached = &nodes[..out.map_or(nodes.len(), |out| out + 1)];
        reached.iter().rev().fold(next, |next, node| match node {
            Node::Collective { name, place } => {
                let call = Call {
                    name: name.clone(),
                    place: *place,
                    by: None,
                };
                self.item(Item::Collective(call), next)
            }
            Node::Call { candidates, place } => {
                let rows: Vec<Row> = candidates
                    .iter()
                    .map(|&function| self.summary(function))
                    .collect();
                if matches!(rows[0].is, Is::Never | Is::Stopped)
                    && rows.iter().all(|row| row.shape == rows[0].shape)
                {
                    return rows[0].clone();
                }
                // If it may be one that calls nothing collective, nobody can say.
                match rows.iter().all(calls_collectives) {
                    true => self.followed(&rows[0], next, &|call| Call {
                        by: Some(*place),
                        ..call.clone()
                    }),
                    false => next,
                }
            }
            Node::Closure(nodes, place) => {
                let after = self.end.clone();
                let row = self.row(nodes, after.clone(), &after, &mut Vec::new());
                self.followed(&row, next, &|call| Call {
                    by: place.or(call.by),
                    ..call.clone()
                })
            }
            Node::Exit(exit) => match exit {
                Exit::Return => end.clone(),
                Exit::Never => self.never.clone(),
                Exit::Stop => self.shaped(Key::Stopped, Is::Stopped),
                Exit::Break(id) => left_of(around, *id).map_or(next, |loops| loops.left.clone()),
                Exit::Continue(id) => {
                    left_of(around, *id).map_or(next, |loops| loops.again.clone())
                }
            },
            Node::Branch { on, arms } => {
                if arms.iter().any(|arm| leaves(arm) || self.stops(arm)) {
                    let rows = arms
                        .iter()
                        .map(|arm| self.row(arm, next.clone(), end, around))
                        .collect();
                    let after = self.end.clone();
                    self.one_of(rows, on.as_ref(), after)
                } else {
                    let after = self.end.clone();
                    let rows = arms
                        .iter()
                        .map(|arm| self.row(arm, after.clone(), end, around))
                        .collect();
                    self.one_of(rows, on.as_ref(), next)
                }
            }
            Node::Loop { id, on, body } => self.go_round(*id, on.as_ref(), body, next, end, around),
        })
    }

    fn go_round(
        &mut self,
        id: usize,
        on: Option<&Condition>,
        body: &[Node],
        next: Row,
        end: &Row,
        around: &mut Vec<Around>,
    ) -> Row {
        if !self.any_collective(body) {
            // However often it is gone round, what matters is where it leads.
            around.push(Around {
                id,
                again: next.clone(),
                left: next.clone(),
            });
            let once = self.row(body, next.clone(), end, around);
            around.pop();
            let after = self.end.clone();
            return self.one_of(vec![once, next], on, after);
        }
        let depth = around.len();
        let again = self.shaped(Key::Again(depth), Is::Again);
        let left = self.shaped(Key::Left(depth), Is::Left);
        around.push(Around {
            id,
            again: again.clone(),
            left,
        });
        let outer = std::mem::take(&mut self.leaving);
        let round = self.row(body, again, end, around);
        around.pop();
        let leaving = std::mem::replace(&mut self.leaving, outer);
        if let Some(call) = first_call(&round) {
            let leaving = leaving.iter().filter(|(_, stops)| !(*stops && asks(call)));
            let conditions = leaving.map(|(condition, _)| condition).chain(on);
            self.found.extend(conditions.map(|condition| Mismatch {
                differs: *condition,
                what: What::Way,
                call: call.clone(),
                instead: None,
            }));
        }
        self.item(Item::Loop(round), next)
    }

    fn any_collective(&mut self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match node {
            Node::Collective { .. } => true,
            Node::Call { candidates, .. } => candidates
                .iter()
                .all(|&function| calls_collectives(&self.summary(function))),
            Node::Branch { arms, .. } => arms.iter().any(|arm| self.any_collective(arm)),
            Node::Loop { body, .. } => self.any_collective(body),
            Node::Closure(nodes, _) => self.any_collective(nodes),
            Node::Exit(_) => false,
        })
    }

    /// Whether one of the nodes calls what only stops the image.
    fn stops(&mut self, nodes: &[Node]) -> bool {
        nodes.iter().any(|node| match node {
            Node::Call { candidates, .. } => candidates
                .iter()
                .all(|&function| matches!(self.summary(function).is, Is::Stopped)),
            Node::Branch { arms, .. } => arms.iter().any(|arm| self.stops(arm)),
            _ => false,
        })
    }

    /// One of several rows, and then `next`. If images may take different ones, they must be the same.
    fn one_of(&mut self, rows: Vec<Row>, on: Option<&Condition>, next: Row) -> Row {
        let mut different: Vec<Row> = Vec::new();
        let all = rows.len();
        for row in rows {
            if !matches!(row.is, Is::Never)
                && different.iter().all(|other| other.shape != row.shape)
            {
                different.push(row);
            }
        }
        let stops = different.iter().any(|row| matches!(row.is, Is::Stopped));
        if different.iter().find_map(first_call).is_some_and(asks) {
            different.retain(|row| !matches!(row.is, Is::Stopped));
        }
        match different.len() {
            0 if all == 0 => next,
            0 => self.never.clone(),
            1 => self.followed(&different[0], next, &|call| call.clone()),
            _ => {
                if let Some(condition) = on {
                    let mut others = different[1..].iter();
                    match others.find_map(|other| first_difference(&different[0], other)) {
                        Some((call, instead)) => self.found.push(Mismatch {
                            differs: *condition,
                            what: What::Way,
                            call,
                            instead,
                        }),
                        None => self.leaving.push((*condition, stops)),
                    }
                }
                self.item(Item::OneOf(different), next)
            }
        }
    }

    /// `row`, with `next` in the place of its end, and each of its calls changed by `change`.
    fn followed(&mut self, row: &Row, next: Row, change: &dyn Fn(&Call) -> Call) -> Row {
        match &row.is {
            Is::End => next,
            Is::Never | Is::Stopped | Is::Again | Is::Left => row.clone(),
            Is::Item(item, tail) => {
                let tail = self.followed(tail, next, change);
                let end = self.end.clone();
                let item = match item {
                    Item::Collective(call) => Item::Collective(change(call)),
                    Item::Loop(round) => Item::Loop(self.followed(round, end, change)),
                    Item::OneOf(rows) => Item::OneOf(
                        rows.iter()
                            .map(|row| self.followed(row, end.clone(), change))
                            .collect(),
                    ),
                };
                self.item(item, tail)
            }
        }
    }

    fn item(&mut self, item: Item, tail: Row) -> Row {
        if matches!(tail.is, Is::Never) {
            return tail;
        }
        let key = match &item {
            Item::Collective(call) => Key::Collective(matching_name(&call.name).into(), tail.shape),
            Item::Loop(round) => Key::Loop(round.shape, tail.shape),
            Item::OneOf(rows) => {
                let mut shapes: Vec<u32> = rows.iter().map(|row| row.shape).collect();
                shapes.sort_unstable();
                Key::OneOf(shapes, tail.shape)
            }
        };
        self.shaped(key, Is::Item(item, tail))
    }

    fn shaped(&mut self, key: Key, is: Is) -> Row {
        let new = self.shapes.len() as u32;
        let shape = *self.shapes.entry(key).or_insert(new);
        Rc::new(Step { shape, is })
    }
}

fn left_of(around: &[Around], id: usize) -> Option<&Around> {
    around.iter().find(|loops| loops.id == id)
}

fn calls_collectives(row: &Row) -> bool {
    first_call(row).is_some()
}

fn length(row: &Row) -> usize {
    let Is::Item(item, tail) = &row.is else {
        return 0;
    };
    let here = match item {
        Item::Collective(_) => 1,
        Item::Loop(round) => length(round),
        Item::OneOf(rows) => rows.iter().map(length).sum(),
    };
    here + length(tail)
}

fn first_call(row: &Row) -> Option<&Call> {
    let Is::Item(item, tail) = &row.is else {
        return None;
    };
    let here = match item {
        Item::Collective(call) => Some(call),
        Item::Loop(round) => first_call(round),
        Item::OneOf(rows) => rows.iter().find_map(first_call),
    };
    here.or_else(|| first_call(tail))
}

/// Whether who makes this call is told of images that have stopped.
fn asks(call: &Call) -> bool {
    let name = call.name.rsplit("::").next();
    name.is_some_and(|name| name.starts_with("try_"))
}

/// The first call of one that the other has not, and what it has instead. Two that differ without a call leave a loop differently.
fn first_difference(one: &Row, other: &Row) -> Option<(Call, Option<Call>)> {
    let (mut one, mut other) = (one, other);
    while let (Is::Item(a, one_tail), Is::Item(b, other_tail)) = (&one.is, &other.is) {
        match (a, b) {
            (Item::Collective(a), Item::Collective(b))
                if matching_name(&a.name) == matching_name(&b.name) => {}
            (Item::Loop(a), Item::Loop(b)) if a.shape == b.shape => {}
            _ => break,
        }
        (one, other) = (one_tail, other_tail);
    }
    match (first_call(one), first_call(other)) {
        (Some(call), instead) => Some((
            call.clone(),
            instead
                .filter(|instead| instead.place != call.place)
                .cloned(),
        )),
        (None, Some(call)) => Some((call.clone(), None)),
        (None, None) => None,
    }
}
