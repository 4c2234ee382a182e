//! The exchange of halos: who may write where, and when.
//!
//! Each image has, for each image that sends it cells, a pair of events: one on the sender, "my halo is free", and one on
//! the receiver, "your halo is filled". An exchange has two halves:
//!
//! ```text
//!   start:   post "free" to all who send to me; send to those receivers whose "free" has come
//!   finish:  send to the other receivers, as their "free" comes; await "filled" from all who send to me
//! ```
//!
//! * *Nobody's reference is in the way.* An image posts "free" only in an exchange, which borrows the array exclusively
//!   until `finish` has seen "filled". In between only the interior can be borrowed, and others write only to the halo.
//! * *No data come too late or too early.* "Filled" is posted when the cells are there, and after one "free" it is posted
//!   once. So before the next "free" nobody writes; a fast image is at most one exchange ahead of its neighbours.
//! * *It never hangs by itself.* "Free" is posted before anything is waited for.

use std::panic::Location;
use std::rc::Rc;

use coarray_coref::Remote;
use coarray_fabric::reach;
use coarray_sync::CoeventPlace;

use super::exchanging::Exchanging;
use super::halo::Exchange;
use super::halo_array::HaloArray;
use super::plan::{Plan, Send};

/// An exchange that is under way.
#[derive(Debug)]
pub(super) struct Current {
    plan: Rc<Plan>,
    /// Those of the plan's sends that wait for a halo to be free.
    waiting: Vec<usize>,
    caller: &'static Location<'static>,
}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Fills the halo with the neighbours' cells: faces, edges and corners. All images of the array's team call it.
    ///
    /// Synchronises neighbours only: what they get are the cells as they were when the owner called `exchange`, and no
    /// image is more than one exchange ahead of its neighbours. Where the array ends and is not periodic, the halo stays
    /// as it is.
    ///
    /// If an image of the current team has failed, and cells are missing, the job ends with a report.
    ///
    /// # Examples
    /// See [`HaloArray`].
    ///
    /// # Source
    /// `reflect`, XcalableMP 1.2 section 4.6.1. Neighbours instead of barriers: its implementors' own conclusion, Murai and
    /// Sato, PGAS 2013, section 5.
    #[track_caller]
    pub fn exchange(&mut self) {
        self.exchange_with(&Exchange::all());
    }

    /// As [`exchange`](Self::exchange), of part of the halo; the rest stays as it is. All images ask for the same part.
    ///
    /// # Panics
    /// If it is wider than the array's halo.
    ///
    /// # Examples
    /// See [`Exchange`].
    #[track_caller]
    pub fn exchange_with(&mut self, exchange: &Exchange<D>) {
        self.start(exchange, Location::caller());
        self.settle();
    }

    /// Begins an [`exchange`](Self::exchange), during which the image can compute with its own cells.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let blocks = Blocks::new([32, 32], ImageGrid::balanced()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, 1.0).unwrap();
    ///     let exchanging = u.exchange_start();
    ///     let sum = exchanging.interior().sum(); // meanwhile
    ///     exchanging.finish();
    ///     assert!(u.local().sum() > sum);
    /// });
    /// ```
    #[track_caller]
    pub fn exchange_start(&mut self) -> Exchanging<'_, T, D> {
        self.exchange_start_with(&Exchange::all())
    }

    /// Begins an [`exchange_with`](Self::exchange_with), during which the image can compute with its own cells.
    ///
    /// # Panics
    /// If it is wider than the array's halo.
    #[track_caller]
    pub fn exchange_start_with(&mut self, exchange: &Exchange<D>) -> Exchanging<'_, T, D> {
        self.start(exchange, Location::caller());
        Exchanging::new(self)
    }

    /// The first half of an exchange.
    #[track_caller]
    pub(super) fn start(&mut self, exchange: &Exchange<D>, caller: &'static Location<'static>) {
        self.settle();
        let plan = self.plan(exchange);
        // From here on others may write to the halo; should a panic end this function, for ever.
        self.storage.set_in_phase(true);
        for arrival in &plan.arrivals {
            self.events.at(arrival.image)[free(arrival.lane)].post();
        }
        for copy in &plan.own {
            // SAFETY: own cells go to the own halo. The exclusive borrow of the array excludes references, and other
            // images write to other cells of the halo.
            unsafe { copy.copy(self.first(), self.first()) };
        }
        let mut waiting: Vec<usize> = (0..plan.sends.len()).collect();
        self.serve(&plan, &mut waiting);
        *self.current.get_mut() = Some(Current {
            plan,
            waiting,
            caller,
        });
    }

    /// Finishes the exchange that is under way, if there is one: also one whose token was leaked.
    ///
    /// # Panics
    /// If a panic has broken it off.
    #[inline]
    #[track_caller]
    pub(super) fn settle(&self) {
        if self.storage.is_in_phase() {
            self.finish();
        }
    }

    /// The second half of an exchange.
    #[track_caller]
    fn finish(&self) {
        // Only what is taken here can end the phase: if a panic interferes, it lasts.
        let Some(current) = self.current.take() else {
            broken_off();
        };
        let Current {
            plan,
            mut waiting,
            caller,
        } = current;
        while let Some(&next) = waiting.first() {
            self.serve(&plan, &mut waiting);
            if waiting.first() == Some(&next) {
                let send = &plan.sends[next];
                self.events[free(send.lane)].wait_at(caller);
                self.send(send);
                waiting.remove(0);
            }
        }
        for arrival in &plan.arrivals {
            self.events[filled(arrival.lane)].wait_at(caller);
        }
        self.storage.set_in_phase(false);
    }

    /// Sends to those of the waiting whose halo is free by now.
    fn serve(&self, plan: &Plan, waiting: &mut Vec<usize>) {
        waiting.retain(|&index| {
            let send = &plan.sends[index];
            // Of images that have failed those hear who wait for them.
            let is_free = self.events[free(send.lane)].try_wait() == Ok(true);
            if is_free {
                self.send(send);
            }
            !is_free
        });
    }

    /// Fills the halo of an image that has said it is free.
    fn send(&self, send: &Send) {
        let number = self.storage.team().members()[send.image] as usize;
        let image = self.storage.image();
        let target = image.heap(number).wrapping_add(self.storage.offset());
        for copy in &send.copies {
            if image.is_direct(number) {
                // SAFETY: the receiver's part lies at the same offset of its heap, which is mapped, and has the layout
                // of the plan, as all images agreed on blocks and halo when they made the array. It has said that its
                // halo is free: it has no reference to it, and awaits our event before it makes one. Of the senders each
                // has cells of its own there. The source is in our interior, which nobody changes during an exchange.
                unsafe { copy.copy(self.first(), target.cast::<T>()) };
            } else {
                let bytes = size_of::<T>();
                copy.each_run(|source, to, run| {
                    let address = target.addr() + to * bytes;
                    reach(number, address, |fabric, offset| {
                        // SAFETY: as above; the run lies in the boxes of the plan.
                        unsafe {
                            let source = self.first().add(source);
                            fabric.put(number, offset, source.cast(), run * bytes);
                        }
                    });
                });
            }
        }
        self.events.at(send.image)[filled(send.lane)].post();
    }

    /// The plan for an exchange, made when it is first needed.
    #[track_caller]
    fn plan(&self, exchange: &Exchange<D>) -> Rc<Plan> {
        let width = exchange.width_in(&self.halo);
        let key = (exchange.is_faces_only(), width);
        let mut plans = self.plans.borrow_mut();
        if let Some((_, plan)) = plans.iter().find(|(other, _)| *other == key) {
            return Rc::clone(plan);
        }
        let plan = Rc::new(Plan::new(&self.blocks, self.halo, exchange, &width));
        plans.push((key, Rc::clone(&plan)));
        plan
    }
}

/// The number of the event by which the receiver tells the sender that its halo is free.
fn free(lane: usize) -> usize {
    2 * lane
}

/// The number of the event by which the sender tells the receiver that its halo is filled.
fn filled(lane: usize) -> usize {
    2 * lane + 1
}

#[cold]
#[track_caller]
fn broken_off() -> ! {
    panic!(
        "an exchange of this halo array was broken off by a panic, so other images may still write to its halo; make the array anew"
    )
}
