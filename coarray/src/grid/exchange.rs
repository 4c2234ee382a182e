//! The protocol of halo exchanges: which image may write where, and when.
//!
//! Each image has, for each image that sends it cells, a pair of events: "my halo is free", on the sender, and "your halo is
//! filled", on the receiver. A sender also has two doorbells, used in alternate exchanges: one is posted with each
//! "free", so that the sender can wait for the first of several. An exchange has two halves:
//!
//! ```text
//!   start:   post "free" to all who send to me; send to those receivers whose "free" has come
//!   finish:  send to the other receivers, as their "free" comes; await "filled" from all who send to me
//! ```
//!
//! * *No reference is written behind.* An image posts "free" only in an exchange, which borrows the array exclusively
//!   until `finish` has seen "filled". In between only the interior can be borrowed, and others write only to the halo.
//! * *No data come too late or too early.* "Filled" is posted when the cells are there, once for each "free". So no image writes
//!   before the next "free", and a fast image is at most one exchange ahead of its neighbours.
//! * *No deadlock.* An image posts "free" before it waits for anything, and a receiver whose halo is free gets its cells
//!   without waiting for any other image.

use coarray_runtime::{ImageFailed, quiet_and_defer};
use std::panic::Location;
use std::rc::Rc;

use coarray_coref::Remote;

use super::cell_set::CellSet;
use super::exchanging::Exchanging;
use super::halo::Exchange;
use super::halo_array::HaloArray;
use super::missing::Unfinished;
use super::plan::{Plan, Setting, Transfer, lanes};

/// An exchange in progress.
#[derive(Debug)]
pub(super) struct Current {
    plan: Rc<Plan>,
    /// The sends of the plan that wait for a halo to be free, by their index.
    waiting: Vec<usize>,
    /// The number of this exchange's doorbell event.
    bell: usize,
    caller: &'static Location<'static>,
}

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Collective. Fills the halo with the neighbours' cells: faces, edges and corners.
    ///
    /// Synchronises neighbours only, and is no barrier. Neighbours get the cells as they were when their owner called
    /// `exchange`, and no image is more than one exchange ahead of its neighbours. Where the array ends and is not periodic,
    /// the halo stays as it is.
    ///
    /// If an image of the current team has failed, and cells are missing, the job ends with a report.
    ///
    /// # Panics
    /// If a panic has broken off an earlier exchange of this array.
    ///
    /// # Examples
    /// See [`HaloArray`].
    ///
    /// # Source
    /// `reflect`, Murai and Sato, PGAS 2013, section 2.3.2. Neighbours instead of barriers: their own conclusion, section 6.
    #[track_caller]
    pub fn exchange(&mut self) {
        self.exchange_with(&Exchange::all());
    }

    /// Collective. As [`exchange`](Self::exchange), of part of the halo; the rest stays as it is. All images ask for the same part.
    ///
    /// # Panics
    /// If it is wider than the array's halo.
    ///
    /// # Examples
    /// See [`Exchange`].
    ///
    /// # Source
    /// `width` and `reflect`, Murai and Sato, PGAS 2013, section 2.3.2.
    #[track_caller]
    pub fn exchange_with(&mut self, exchange: &Exchange<D>) {
        self.exchange_by(exchange, Location::caller())
            .unwrap_or_else(|unfinished| self.end_job(&unfinished));
    }

    /// Collective. As [`exchange`](Self::exchange), but failed images do not end the job.
    ///
    /// # Errors
    /// Images of the array's team that have failed, or stopped. Other images may have finished this exchange: they get an error from a
    /// later one. The halo is lost then. The own cells can still be read with [`interior`](Self::interior), to go on with a new array
    /// of the survivors; all else panics.
    ///
    /// # Panics
    /// As [`exchange`](Self::exchange); or if an earlier exchange had an error.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::fail_image;
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let grid = ImageGrid::new([3]).unwrap().with_periodic([true]);
    ///     let blocks = Blocks::new([12], grid).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 1, this_image()).unwrap();
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     let failed = u.try_exchange().unwrap_err();
    ///     (failed.images, u.interior()[3])
    /// });
    /// assert_eq!(survivors.unwrap(), [(vec![1], 0), (vec![1], 2)]);
    /// ```
    ///
    /// # Source
    /// As [`exchange`](Self::exchange); failed images as in Fortran 2018, clause 11.6.11.
    #[track_caller]
    pub fn try_exchange(&mut self) -> Result<(), ImageFailed> {
        self.try_exchange_with(&Exchange::all())
    }

    /// Collective. As [`exchange_with`](Self::exchange_with), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`try_exchange`](Self::try_exchange).
    ///
    /// # Panics
    /// As [`exchange_with`](Self::exchange_with); or if an earlier exchange had an error.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let blocks = Blocks::new([6, 6], ImageGrid::balanced()).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 2, this_image()).unwrap();
    ///     assert_eq!(u.try_exchange_with(&Exchange::faces().width(1)), Ok(()));
    /// });
    /// ```
    ///
    /// # Source
    /// As [`try_exchange`](Self::try_exchange).
    #[track_caller]
    pub fn try_exchange_with(&mut self, exchange: &Exchange<D>) -> Result<(), ImageFailed> {
        self.exchange_by(exchange, Location::caller())
            .map_err(|unfinished| unfinished.failed)
    }

    #[track_caller]
    fn exchange_by(
        &mut self,
        exchange: &Exchange<D>,
        caller: &'static Location<'static>,
    ) -> Result<(), Unfinished> {
        self.try_start(exchange, caller)?;
        self.finish()
    }

    /// Collective. Begins an [`exchange`](Self::exchange), during which the image can compute with its own cells.
    ///
    /// # Panics
    /// As [`exchange`](Self::exchange).
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, HaloArray, ImageGrid};
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
    ///
    /// # Source
    /// `reflect` with `async`, Murai and Sato, PGAS 2013, section 2.3.2; what waits there is [`Exchanging::finish`].
    #[track_caller]
    pub fn exchange_start(&mut self) -> Exchanging<'_, T, D> {
        self.exchange_start_with(&Exchange::all())
    }

    /// Collective. Begins an [`exchange_with`](Self::exchange_with), during which the image can compute with its own cells.
    ///
    /// # Panics
    /// If it is wider than the array's halo.
    ///
    /// # Examples
    /// ```
    /// use coarray::grid::{Blocks, Exchange, HaloArray, ImageGrid};
    /// use coarray::prelude::*;
    ///
    /// coarray::run(2, || {
    ///     let grid = ImageGrid::new([2]).unwrap().with_periodic([true]);
    ///     let blocks = Blocks::new([8], grid).unwrap();
    ///     let mut u = HaloArray::filled(&blocks, 2, this_image()).unwrap();
    ///     u.interior_mut().fill(10 + this_image());
    ///     let exchanging = u.exchange_start_with(&Exchange::all().width(1));
    ///     let _sum: usize = exchanging.interior().iter().sum();
    ///     exchanging.finish();
    ///     // The outer cell of the halo is what it was.
    ///     assert_eq!(u.local().to_vec()[..2], [this_image(), 10 + 1 - this_image()]);
    /// });
    /// ```
    ///
    /// # Source
    /// As [`exchange_start`](Self::exchange_start).
    #[track_caller]
    pub fn exchange_start_with(&mut self, exchange: &Exchange<D>) -> Exchanging<'_, T, D> {
        self.start(exchange, Location::caller());
        Exchanging::new(self)
    }

    /// The first half of an exchange.
    #[track_caller]
    pub(super) fn start(&mut self, exchange: &Exchange<D>, caller: &'static Location<'static>) {
        self.try_start(exchange, caller)
            .unwrap_or_else(|unfinished| self.end_job(&unfinished));
    }

    #[track_caller]
    pub(super) fn try_start(
        &mut self,
        exchange: &Exchange<D>,
        caller: &'static Location<'static>,
    ) -> Result<(), Unfinished> {
        self.settle();
        let plan = self.plan(exchange);
        let _deferral = quiet_and_defer();
        // From here on others may write to the halo; if a panic ends this function, the phase never ends.
        self.storage.set_in_phase(true);
        // Others may be one exchange ahead, but not two: so two doorbells keep the posts of exchanges apart.
        let bell = bell(D, self.is_even.replace(!self.is_even.get()));
        self.announce(&plan, bell);
        for copy in &plan.own {
            // SAFETY: the copy is from this image's interior to its halo, so the boxes are disjoint and all cells are valid. The
            // exclusive borrow of the array excludes references, and other images write to other cells of the halo.
            unsafe { copy.copy(self.first(), self.first()) };
        }
        let mut waiting = self.spare.take();
        waiting.extend(0..plan.sends.len());
        // An error is left to the waits in `finish`, which know the failed image.
        while !waiting.is_empty() && self.takes_post(bell) {
            self.serve_one(&plan, &mut waiting, caller)?;
        }
        *self.current.get_mut() = Some(Current {
            plan,
            waiting,
            bell,
            caller,
        });
        Ok(())
    }

    /// Finishes the exchange in progress, if there is one: also one whose guard was leaked.
    ///
    /// # Panics
    /// If a panic has broken it off.
    #[inline]
    #[track_caller]
    pub(super) fn settle(&self) {
        if self.storage.is_in_phase() {
            self.finish()
                .unwrap_or_else(|unfinished| self.end_job(&unfinished));
        }
    }

    /// The second half of an exchange.
    #[track_caller]
    pub(super) fn finish(&self) -> Result<(), Unfinished> {
        let _deferral = quiet_and_defer();
        // The phase ends only for the exchange that is taken here: after a panic or an error on the way it never ends.
        let Some(current) = self.current.take() else {
            broken_off(self.is_abandoned.get());
        };
        let Current {
            plan,
            mut waiting,
            bell,
            caller,
        } = current;
        while !waiting.is_empty() {
            // All must be served, in the order in which their halos are free.
            self.await_neighbour(bell, plan.sends[waiting[0]].image, caller)?;
            self.serve_one(&plan, &mut waiting, caller)?;
        }
        for arrival in &plan.arrivals {
            self.await_neighbour(filled(arrival.lane), arrival.image, caller)?;
            if self.storage.image().is_checked() {
                self.note_halo(&arrival.transfers, caller);
            }
            for transfer in &arrival.transfers {
                let Transfer::Packed(copy, _) = transfer else {
                    continue;
                };
                // SAFETY: the copy is from a receive window to this image's halo, so the boxes are disjoint. The window has the
                // sender's cells, to which it writes again only after the next "free". Nobody has a reference to the halo until
                // the phase is over.
                unsafe { copy.copy(self.first(), self.first()) };
            }
        }
        self.spare.set(waiting);
        self.storage.set_in_phase(false);
        Ok(())
    }

    /// Notes in a checked job that this image reads what has arrived: from now on, until it says that its halo is free.
    #[cold]
    fn note_halo(&self, transfers: &[Transfer], caller: &'static Location<'static>) {
        let note = |first: usize, cells: usize| {
            let cell = size_of::<T>();
            let offset = self.storage.offset() + first * cell;
            self.storage
                .image()
                .check_own_read(offset, cells * cell, caller);
        };
        for transfer in transfers {
            match transfer {
                Transfer::Straight(copy) => copy.each_run(|_, to, cells| note(to, cells)),
                Transfer::Packed(copy, window) => note(*window, copy.cells()),
            }
        }
    }

    /// The plan for an exchange, made when it is first needed.
    #[track_caller]
    fn plan(&self, exchange: &Exchange<D>) -> Rc<Plan> {
        let kind = CellSet::of(exchange, &self.halo);
        let mut plans = self.plans.borrow_mut();
        if let Some((_, plan)) = plans.iter().find(|(other, _)| *other == kind) {
            return Rc::clone(plan);
        }
        let team = self.storage.team();
        let setting = Setting {
            blocks: &self.blocks,
            halo: self.halo,
            kind,
            windows: &self.windows,
            cell_bytes: size_of::<T>(),
        };
        let is_direct = |image: usize| team.image().is_direct(team.members()[image] as usize);
        let plan = Rc::new(Plan::new(&setting, is_direct));
        plans.push((kind, Rc::clone(&plan)));
        plan
    }
}

/// The number of the event "my halo is free", which the receiver posts on the sender.
pub(super) fn free(lane: usize) -> usize {
    2 * lane
}

/// The number of the doorbell event, which every receiver posts with its "free", in exchanges of this parity: one of the two
/// events of the lane of no direction.
fn bell(dimensions: usize, is_even: bool) -> usize {
    free(lanes(dimensions) / 2) + usize::from(is_even)
}

/// The number of the event "your halo is filled", which the sender posts on the receiver.
pub(super) fn filled(lane: usize) -> usize {
    2 * lane + 1
}

#[cold]
#[track_caller]
fn broken_off(is_abandoned: bool) -> ! {
    assert!(
        !is_abandoned,
        "an exchange of this halo array was broken off, as an image had failed or stopped, so other images may still write to its \
         halo; read its `interior`, and make the array anew"
    );
    panic!(
        "an operation of this halo array was broken off by a panic, so other images may still read its cells or write to them; \
         make the array anew"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Blocks, ImageGrid};
    use super::*;
    use coarray_launch::run;
    use coarray_runtime::Team;

    #[test]
    fn a_plan_is_made_once_and_no_exchange_is_a_barrier() {
        run(4, || {
            let grid = ImageGrid::<2>::balanced().with_periodic([true; 2]);
            let blocks = Blocks::new([8, 8], grid).unwrap();
            let mut array = HaloArray::filled(&blocks, 2, 0).unwrap();
            let barriers = Team::current().barriers();
            for _ in 0..5 {
                array.exchange();
                array.exchange_with(&Exchange::all().width(2));
                array.exchange_with(&Exchange::faces());
                array.exchange_with(&Exchange::faces().width([1, 2]));
            }
            assert_eq!(array.plans.borrow().len(), 3);
            assert_eq!(Team::current().barriers(), barriers);
        });
    }

    #[test]
    fn two_images_that_are_neighbours_in_many_directions_have_one_lane() {
        run(2, || {
            let grid = ImageGrid::<3>::balanced().with_periodic([true; 3]);
            let blocks = Blocks::new([4, 2, 2], grid).unwrap();
            let mut array = HaloArray::filled(&blocks, 1, 0).unwrap();
            array.exchange();
            let plans = array.plans.borrow();
            let plan = &plans[0].1;
            assert_eq!((plan.sends.len(), plan.arrivals.len()), (1, 1));
            assert_eq!((plan.sends[0].transfers.len(), plan.own.len()), (18, 8));
        });
    }
}
