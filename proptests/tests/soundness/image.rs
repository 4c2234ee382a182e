//! Runs a program as one image.

use std::any::Any;
use std::array::from_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use coarray::prelude::*;
use coarray_proptests::mix;

use crate::collectives::Begun;
use crate::context::{Context, FATAL, Thrown};
use crate::ledger::{Counts, How};
use crate::object::{Kept, Lease, lend_both, move_cells, swap};
use crate::program::{ALL, Action, End, Interrupted, Kind, Program, SLOTS, Step, Twist};
use crate::shared::SharedObjects;
use crate::view::Lent;
use crate::wakers::waker;

/// A phase that this image is in, and what must not change in it.
struct Scope<'a> {
    lent: &'a dyn Lent,
    watched: Vec<u64>,
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    fn new(lent: &'a dyn Lent, outer: Option<&'a Scope<'a>>) -> Self {
        let watched = lent.watched();
        Self {
            lent,
            watched,
            outer,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |scope| scope.outer)
    }
}

/// The phases around, the innermost first.
fn nth<'a>(scope: Option<&'a Scope<'a>>, index: usize) -> Option<&'a dyn Lent> {
    let scope = scope?;
    let depth = scope.all().count();
    scope.all().nth(index % depth).map(|scope| scope.lent)
}

/// One image in the middle of a program.
pub struct Image<'p> {
    program: &'p Program,
    pub context: Rc<Context>,
    slots: [Option<Kept>; SLOTS],
    pub shared: SharedObjects,
    /// Asynchronous collectives.
    pub begun: Vec<Begun>,
}

impl<'p> Image<'p> {
    pub fn new(program: &'p Program, context: Rc<Context>) -> Self {
        Self {
            program,
            context,
            slots: from_fn(|_| None),
            shared: SharedObjects::default(),
            begun: Vec::new(),
        }
    }

    pub fn run_program(&mut self) {
        self.run(&self.program.steps, None);
    }

    fn run(&mut self, steps: &[Step], scope: Option<&Scope<'_>>) {
        let mut order: Vec<&Step> = steps.iter().collect();
        for first in 1..steps.len() {
            if self.twist(&steps[first - 1]) == Some(Twist::Swap) {
                order.swap(first - 1, first);
            }
        }
        for (position, step) in order.iter().enumerate() {
            let next = order[position + 1..]
                .iter()
                .find_map(|step| match step.action {
                    Action::Create {
                        slot, kind, length, ..
                    } => Some((slot, kind, length)),
                    _ => None,
                });
            self.context.next.set(next);
            self.step(step, scope);
        }
    }

    /// What this image does other than the others.
    fn twist(&self, step: &Step) -> Option<Twist> {
        let (who, twist) = step.twist?;
        (who == ALL || who % self.program.images == self.context.me).then_some(twist)
    }

    fn step(&mut self, step: &Step, scope: Option<&Scope<'_>>) {
        let twist = self.twist(step);
        if twist == Some(Twist::Skip) {
            return;
        }
        Counts::add(&self.context.job.ledger.counts.steps);
        let blow = match twist {
            Some(Twist::Blow(fuse, blow)) => Some((fuse, blow)),
            _ => None,
        };
        self.context.blow.set(blow);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.act(&step.action, twist, scope);
            self.context.end_of_step();
        }));
        self.context.blow.set(None);
        if let Err(payload) = outcome {
            self.go_on_after(payload);
        }
        // Also looking at places of others may let a waker panic.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.watch(scope))) {
            self.go_on_after(payload);
        }
    }

    /// After a panic that a program may catch, or that it catches although it should not.
    fn go_on_after(&self, payload: Box<dyn Any + Send>) {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied());
        let goes_on = match text {
            Some(text) => text != FATAL,
            None if payload.is::<Thrown>() => true,
            // The image is being ended.
            None => self.program.stubborn && !self.context.failing.get(),
        };
        if !goes_on {
            resume_unwind(payload);
        }
    }

    /// Looks at everything that this image has a reference to, or could have one to.
    fn watch(&mut self, scope: Option<&Scope<'_>>) {
        let early = self.context.early.take();
        for (slot, kept) in early {
            self.slots[slot] = Some(kept);
        }
        self.slots.iter_mut().flatten().for_each(Kept::watch);
        let ledger = &self.context.job.ledger;
        for scope in scope.iter().flat_map(|scope| scope.all()) {
            Counts::add(&ledger.counts.looks);
            if scope.lent.watched() != scope.watched {
                ledger.accuse(format!(
                    "words changed while image {} read them",
                    self.context.me
                ));
            }
        }
        let spans = self.slots.iter().flatten().filter_map(Kept::span);
        let mut spans: Vec<_> = spans.filter(|span| !span.is_empty()).collect();
        spans.sort_by_key(|span| span.start);
        for pair in spans.windows(2) {
            if pair[0].end > pair[1].start {
                ledger.accuse(format!("two objects overlap: {pair:x?}"));
            }
        }
        self.shared.watch(&self.context);
    }

    fn act(&mut self, action: &Action, twist: Option<Twist>, scope: Option<&Scope<'_>>) {
        let context = Rc::clone(&self.context);
        match *action {
            Action::Create {
                slot,
                kind,
                length,
                within,
            } => {
                let kind = match twist {
                    Some(Twist::Kind(other)) => other,
                    _ => kind,
                };
                self.create(slot, kind, length, within);
            }
            Action::Drop(slot) => drop(self.slots[slot].take()),
            Action::Write(slot) => self.change(slot, |kept, context| {
                let serial = kept.id.1;
                kept.write(&mut |index| context.item(serial, index));
            }),
            Action::Replace(slot, other) => self.replace(slot, other),
            Action::Swap(one, other) => {
                if let (Some(mut first), Some(mut second)) = self.two(one, other) {
                    if swap(&mut *first, &mut *second) {
                        first.swapped(&mut second);
                    }
                    (self.slots[one], self.slots[other]) = (Some(first), Some(second));
                }
            }
            Action::Phase {
                slots: (slot, other),
                publish,
                ref body,
                end,
            } => {
                let how = if publish { How::Published } else { How::Open };
                let end = match twist {
                    Some(Twist::End(end)) => end,
                    _ => end,
                };
                let slot = match twist {
                    Some(Twist::Slot(another)) => another,
                    _ => slot,
                };
                match other.filter(|&other| other != slot && !publish) {
                    Some(other) => self.two_phases(slot, other, end, body, scope),
                    None => self.phase(slot, how, end, body, scope),
                }
            }
            Action::Access {
                phase,
                image,
                index,
                access,
            } => {
                if let Some(lent) = nth(scope, phase) {
                    lent.access(image, index, access);
                }
            }
            Action::Burst {
                phase,
                image,
                count,
                waker: given,
            } => {
                let (given, interrupted) = match twist {
                    Some(Twist::Waker(other, interrupted)) => (other, interrupted),
                    _ => (given, Interrupted::None),
                };
                if let Some(lent) = nth(scope, phase) {
                    lent.burst(image, count, waker(given).as_ref());
                }
                self.interrupted(interrupted);
            }
            Action::Settle { phase, fate } => {
                if let Some(lent) = nth(scope, phase) {
                    lent.settle(fate);
                }
                self.settle_collectives(fate);
            }
            Action::Scope {
                phase,
                image,
                ref body,
            } => {
                if let Some(lent) = nth(scope, phase) {
                    lent.scope(image, &mut || self.run(body, scope));
                }
            }
            Action::Collective {
                which,
                length,
                root,
            } => self.collective(which, length, root),
            Action::Broadcast(slot, root) => self.change(slot, |kept, context| {
                let (serial, images) = (kept.id.1, num_images());
                kept.broadcast(root % images);
                // The root's words name its object: a panic here would leave them.
                kept.write(&mut |index| context.word(serial, index));
            }),
            Action::Global { slot, root, which } => self.change(slot, |kept, context| {
                let (serial, images) = (kept.id.1, kept.images);
                let words = kept.global(root % images, which, &mut || context.mark(serial));
                context.check_words("gathered", words);
            }),
            Action::Team { colours, ref body } => {
                let colour = mix(colours, context.me as u64) % 2;
                let team = match Team::try_form(colour) {
                    Ok(team) => team,
                    Err(_) => Team::form_survivors(colour),
                };
                let _ = team.try_change(|| {
                    context.callback();
                    self.run(body, scope);
                });
            }
            Action::Shared { which, image } => self.shared.act(&context, which, image),
            Action::Sync => drop(coarray::failure::try_sync_all()),
        }
    }

    fn create(&mut self, slot: usize, kind: Kind, length: usize, within: Option<(usize, Kind)>) {
        if self
            .context
            .early
            .borrow()
            .iter()
            .any(|(early, _)| *early == slot)
        {
            return;
        }
        let context = Rc::clone(&self.context);
        let inner = std::cell::RefCell::new(None);
        let callback = |index| {
            if let (0, Some((_, kind))) = (index, within) {
                let made = catch_unwind(AssertUnwindSafe(|| {
                    Kept::create(&context, kind, length, &|_| context.callback())
                }));
                match made {
                    Ok(made) => drop(inner.replace(made)),
                    Err(payload) => self.go_on_after(payload),
                }
            }
        };
        let made = Kept::create(&context, kind, length, &callback);
        if let (Some((slot, _)), Some(kept)) = (within, inner.take()) {
            self.slots[slot] = Some(kept);
        }
        if let Some(kept) = made {
            self.slots[slot] = Some(kept);
        }
    }

    /// Something that writes to an object, as its owner.
    fn change(&mut self, slot: usize, change: impl FnOnce(&mut Kept, &Context)) {
        if let Some(kept) = &mut self.slots[slot] {
            kept.lent();
            change(kept, &self.context);
        }
    }

    fn replace(&mut self, slot: usize, other: usize) {
        if let (Some(mut from), Some(mut to)) = self.two(other, slot) {
            to.lent();
            let moved = catch_unwind(AssertUnwindSafe(|| move_cells(&mut *from, &mut *to)));
            (self.slots[other], self.slots[slot]) = (Some(from), Some(to));
            if let Err(payload) = moved {
                resume_unwind(payload);
            }
        }
        self.change(slot, |kept, context| {
            let serial = kept.id.1;
            kept.replace(1 + other, &mut |index| context.item(serial, index));
        });
    }

    /// Two objects, for a while.
    fn two(&mut self, one: usize, other: usize) -> (Option<Kept>, Option<Kept>) {
        if one == other || self.slots[one].is_none() || self.slots[other].is_none() {
            return (None, None);
        }
        (self.slots[one].take(), self.slots[other].take())
    }

    fn phase(&mut self, slot: usize, how: How, end: End, body: &[Step], scope: Option<&Scope<'_>>) {
        let Some(mut kept) = self.slots[slot].take() else {
            return;
        };
        let context = Rc::clone(&self.context);
        let lease = lease(&context, &mut kept, how, end);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            kept.lend(&lease, &mut |lent| {
                context.callback();
                self.run(body, Some(&Scope::new(lent, scope)));
                lent.settle(crate::program::Fate::Wait);
            })
        }));
        kept.is_exchanging = kept.is_halo() && !matches!(outcome, Ok(true));
        self.put_back(slot, kept);
        if let Err(payload) = outcome {
            resume_unwind(payload);
        }
    }

    fn two_phases(
        &mut self,
        slot: usize,
        second_slot: usize,
        end: End,
        body: &[Step],
        scope: Option<&Scope<'_>>,
    ) {
        let (Some(mut one), Some(mut other)) = self.two(slot, second_slot) else {
            return;
        };
        let context = Rc::clone(&self.context);
        let leases = [
            lease(&context, &mut one, How::Open, end),
            lease(&context, &mut other, How::Open, end),
        ];
        let is_reversed = body.len() % 2 == 1;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let pair = ((&mut *one, &leases[0]), (&mut *other, &leases[1]));
            lend_both(pair.0, pair.1, is_reversed, &mut |first, second| {
                context.callback();
                let outer = Scope::new(first, scope);
                self.run(body, Some(&Scope::new(second, Some(&outer))));
            })
        }));
        self.put_back(slot, one);
        self.put_back(second_slot, other);
        if let Err(payload) = outcome {
            resume_unwind(payload);
        }
    }

    /// An object that comes back from a phase, unless the body has made another one in its place.
    fn put_back(&mut self, slot: usize, mut kept: Kept) {
        if !kept.is_exchanging {
            kept.watch();
        }
        let place = &mut self.slots[slot];
        if place.is_none() {
            *place = Some(kept);
        }
    }
}

fn lease<'a>(context: &'a Context, kept: &mut Kept, how: How, end: End) -> Lease<'a> {
    context.job.ledger.lend(kept.id, how);
    kept.lent();
    Lease {
        context,
        id: kept.id,
        how,
        end,
        images: kept.images,
    }
}
