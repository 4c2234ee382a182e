//! The scheduler of one run: which image has the turn, and when another one gets it.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::accesses::Accesses;
use super::delays::Delays;
use super::generator::Generator;
use super::history::{History, Line, Site, names};
use super::in_flight::{Arriving, CarryOut, FlightNumber, Issue, Reach};
use super::plan::{Anchored, SchedulePlan};
use super::polling::{LONGEST, read};
use super::standing::{Sleep, Standing};
use super::state::{Next, State, Stuck};
use super::strategy::{Chooser, Strategy};
use super::turn::Turn;
use crate::primitives::{AtomicU64, Ordering};

/// What a run tries.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// How it is chosen who goes on.
    pub strategy: Strategy,
    /// The beginning of all chance.
    pub seed: u64,
    /// About how many steps the run has.
    pub steps: u64,
    /// About how often the strategy can choose.
    pub chances: u64,
    /// Whether puts may be late.
    pub delays_puts: bool,
}

/// Decides which image of a job runs.
#[derive(Debug)]
pub struct Scheduler {
    begun: Instant,
    accesses: Accesses,
    turns: Box<[Turn]>,
    state: Mutex<State>,
}

/// Two are the same if they are one.
impl PartialEq for Scheduler {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Scheduler {}

impl Scheduler {
    /// For one run of so many images.
    #[must_use]
    pub fn new(images: usize, exploration: &Exploration, accesses: &Accesses) -> Self {
        let Exploration {
            strategy,
            seed,
            steps,
            chances,
            delays_puts,
        } = *exploration;
        let delays = match delays_puts {
            true => Delays::Seeded(Generator::new(!seed), steps.max(1)),
            false => Delays::Never,
        };
        let chooser = Chooser::new(strategy, images, chances, seed);
        Self::with(images, chooser, delays, accesses)
    }

    /// For one run as a plan says, which switches where it says, whatever the `accesses` are: they are for what else [could](Self::take_choices) be.
    #[must_use]
    pub fn replay(plan: &SchedulePlan, accesses: &Accesses) -> Self {
        let deviations = &plan.deviations[..];
        let (chooser, delays) = (Chooser::replay(deviations), Delays::replay(deviations));
        Self::with(plan.images, chooser, delays, accesses)
    }

    /// For one run with these deviations, as far as images come to them. For the rest as [`replay`](Self::replay).
    #[must_use]
    pub fn follow(images: usize, deviations: &[Anchored], accesses: &Accesses) -> Self {
        let (chooser, delays) = (Chooser::follow(deviations), Delays::follow(deviations));
        Self::with(images, chooser, delays, accesses)
    }

    fn with(images: usize, chooser: Chooser, delays: Delays, accesses: &Accesses) -> Self {
        Self {
            begun: Instant::now(),
            accesses: accesses.clone(),
            turns: (0..images).map(|_| Turn::default()).collect(),
            state: Mutex::new(State::new(images, chooser, delays)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an image, which returns when it has the turn. To be called once for each.
    pub fn begin(&self, image: usize) {
        let next = {
            let mut state = self.lock();
            state.images[image].standing = Standing::Able;
            state.first()
        };
        if let Some(next) = next {
            self.turns[next].give();
        }
        self.await_turn(image);
    }

    /// An image that has the turn has failed, and does nothing any more. Others go on, which learn of it by `declare`, some time from now on.
    ///
    /// # Errors
    /// As those of [`finish`](Self::finish).
    pub fn fail(&self, image: usize, declare: impl FnOnce() + Send + 'static) -> Result<(), Stuck> {
        let next = {
            let mut state = self.lock();
            state.images[image].standing = Standing::Failed(CarryOut(Box::new(declare)));
            state.decide(image)
        };
        self.pass_on(next)
    }

    /// Ends an image, also one that could not begin. What it does after that is not controlled.
    ///
    /// # Errors
    /// If no other can go on; the image still has the turn.
    pub fn finish(&self, image: usize) -> Result<(), Stuck> {
        let next = {
            let mut state = self.lock();
            state.in_flight.forget(image);
            state.images[image].standing = Standing::Gone;
            match state.running {
                // It had no turn.
                None => match state.first() {
                    Some(next) => Next::Image(next),
                    None => Next::Over,
                },
                Some(_) => state.decide(image),
            }
        };
        self.pass_on(next)
    }

    /// Gives the turn to who is next.
    fn pass_on(&self, next: Next) -> Result<(), Stuck> {
        match next {
            Next::Image(next) => self.turns[next].give(),
            Next::Over => {}
            Next::Stuck(stuck) => return Err(stuck),
        }
        Ok(())
    }

    /// Says that the job has ended: everybody who waits goes on, to see that.
    pub fn end(&self) {
        self.lock().has_ended = true;
    }

    /// An operation of an image at which others may get the turn. If it does not `act`, it is one that images do while they poll.
    ///
    /// # Errors
    /// If the run takes too many steps; the image has the turn.
    pub fn point(
        &self,
        image: usize,
        what: &'static str,
        site: Site,
        acts: bool,
    ) -> Result<(), Stuck> {
        let mut state = self.lock();
        state.note(image, what, site, acts);
        self.pass(state, image, Standing::Able)
    }

    /// As [`point`](Self::point), of a put or a get, at which others may get the turn only if it is one of [`Accesses`].
    ///
    /// # Errors
    /// As those of `point`.
    pub fn access(&self, image: usize, what: &'static str, site: Site) -> Result<(), Stuck> {
        let mut state = self.lock();
        if state.is_over(image) {
            return Ok(());
        }
        let next = state.access(image, what, site, self.accesses.include(site));
        self.hand_over(state, image, next)
    }

    /// Accesses at two lines have raced.
    pub fn race(&self, lines: [Line; 2]) {
        self.lock().raced.extend(lines);
    }

    /// Takes the lines of accesses that have raced.
    pub fn take_raced(&self) -> HashSet<Line> {
        std::mem::take(&mut self.lock().raced)
    }

    /// Notes what an image has done without being interrupted.
    pub fn note(&self, image: usize, what: &'static str, site: Site) {
        self.lock().note(image, what, site, true);
    }

    /// An image has done something, of which it has said what.
    pub fn act(&self, image: usize) {
        self.lock().act(image);
    }

    /// The first bytes at an address, for [`look`](Self::look): to see whether they have changed.
    ///
    /// # Safety
    /// As that of `look`.
    pub unsafe fn read(&self, address: usize, length: usize) -> [u8; LONGEST] {
        // SAFETY: as the caller vouches.
        unsafe { read(address, length.min(LONGEST)) }
    }

    /// An image sleeps until a word has another value than it has seen, or for some virtual time; returns false if that has passed.
    ///
    /// # Errors
    /// If nobody can go on.
    pub fn sleep(
        &self,
        image: usize,
        word: &AtomicU64,
        seen: u64,
        nap: Duration,
    ) -> Result<bool, Stuck> {
        let state = self.lock();
        // SAFETY: the word is borrowed until this returns, and the image sleeps no longer.
        let sleep = unsafe { Sleep::new(word, seen, nap, state.progress) };
        self.pass(state, image, Standing::Sleeps(sleep))?;
        // Relaxed: the turn orders it.
        Ok(word.load(Ordering::Relaxed) as u32 != seen as u32)
    }

    /// An image has looked for what another one does, in vain: that one goes on first.
    ///
    /// # Errors
    /// If nobody can go on.
    pub fn yield_turn(&self, image: usize) -> Result<(), Stuck> {
        let state = self.lock();
        let done = state.progress.done;
        self.pass(state, image, Standing::Yields(done))
    }

    /// An image has read so many bytes at an address, which is noted as `what`, unless it is already. If it does so again and again, others go on
    /// until there are other ones.
    ///
    /// # Safety
    /// They can be read there, where provenance is exposed, while images of the job run, and are written as [`direct`](coarray_fabric::direct)
    /// allows.
    ///
    /// # Errors
    /// If nobody will ever write another one.
    pub unsafe fn look(
        &self,
        image: usize,
        address: usize,
        length: usize,
        what: Option<&'static str>,
        site: Site,
    ) -> Result<(), Stuck> {
        let mut state = self.lock();
        // SAFETY: as the caller vouches.
        let polls = unsafe { state.images[image].reads.look(address, length) };
        if let Some(what) = what.filter(|_| !polls) {
            state.note(image, what, site, false);
        }
        if !polls || state.may_look_again(image) {
            return Ok(());
        }
        let round = state.progress.rounds;
        self.pass(state, image, Standing::Polls(round))
    }

    /// Keeps an operation of an image in flight, if it is to be late; `carry_out` returns what is done when it [arrives](Self::arrive), on whichever
    /// thread that is.
    pub fn delay(
        &self,
        image: usize,
        issue: Issue,
        site: Site,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> Option<FlightNumber> {
        let mut state = self.lock();
        if state.is_over(image) {
            return None;
        }
        let [late, arrival] = names(issue.late);
        let event = state.event(image, arrival, site);
        let (flight, deviation) = state.in_flight.keep(event, issue, carry_out)?;
        state.note(image, late, site, issue.acts);
        state.deviations.push(deviation);
        Some(flight)
    }

    /// Adds to an operation in flight what is done after it; returns false if it has arrived.
    pub fn extend(
        &self,
        flight: FlightNumber,
        reach: Reach,
        carry_out: impl FnOnce() -> CarryOut,
    ) -> bool {
        self.lock().in_flight.extend(flight, reach, carry_out)
    }

    /// An image is about to have such operations arrive that are late, if it has any: others may get the turn before.
    ///
    /// # Errors
    /// As those of `point`.
    pub fn complete(&self, image: usize, which: Arriving) -> Result<(), Stuck> {
        let state = self.lock();
        match state.in_flight.has(image, which) {
            true => self.pass(state, image, Standing::Completes),
            false => Ok(()),
        }
    }

    /// Has operations of an image in flight arrive. Returns whether others of it are still in flight.
    pub fn arrive(&self, image: usize, which: Arriving) -> bool {
        let state = &mut *self.lock();
        state.in_flight.arrive(image, which, &mut state.history)
    }

    /// Whether an operation on some of these bytes is in flight.
    pub fn is_late_at(&self, reach: Reach) -> bool {
        self.lock().in_flight.reaches(reach)
    }

    /// The virtual time.
    pub fn now(&self) -> Instant {
        self.begun + self.lock().progress.time
    }

    /// The schedule of the run so far.
    pub fn plan(&self) -> SchedulePlan {
        let state = self.lock();
        SchedulePlan {
            images: state.images.len(),
            deviations: state.deviations.iter().map(|(it, _)| *it).collect(),
        }
    }

    /// The same, for [`follow`](Self::follow).
    pub fn anchored(&self) -> Vec<Anchored> {
        self.lock().deviations.iter().map(|(_, it)| *it).collect()
    }

    /// Takes the switches that were possible where there was none, as far as they are kept.
    pub fn take_choices(&self) -> Vec<Anchored> {
        std::mem::take(&mut self.lock().choices)
    }

    /// How many steps there were.
    pub fn steps(&self) -> u64 {
        self.lock().step
    }

    /// How often the strategy could choose.
    pub fn chances(&self) -> u64 {
        self.lock().chances
    }

    /// Takes what has happened.
    pub fn take_history(&self) -> History {
        std::mem::take(&mut self.lock().history)
    }

    /// The image stands as it says, and the one that goes on gets the turn. Returns when it has it again.
    fn pass(
        &self,
        mut state: MutexGuard<'_, State>,
        image: usize,
        standing: Standing,
    ) -> Result<(), Stuck> {
        if state.is_over(image) {
            // A destructor of its thread: nobody waits for that.
            return Ok(());
        }
        state.images[image].standing = standing;
        let next = state.decide(image);
        self.hand_over(state, image, next)
    }

    /// Who is next gets the turn. Returns when the image has it again.
    fn hand_over(
        &self,
        state: MutexGuard<'_, State>,
        image: usize,
        next: Next,
    ) -> Result<(), Stuck> {
        drop(state);
        match next {
            Next::Image(next) if next == image => Ok(()),
            Next::Image(next) => {
                self.turns[next].give();
                self.await_turn(image);
                Ok(())
            }
            Next::Over => Ok(()),
            Next::Stuck(stuck) => Err(stuck),
        }
    }

    fn await_turn(&self, image: usize) {
        let mut step_before = None;
        self.turns[image].take(|| {
            let mut state = self.lock();
            let step = state.step;
            // It is so long since the last look.
            let has_stood_still = step_before.replace(step) == Some(step);
            if let Some(running) = state.running
                && has_stood_still
                && state.told_at != Some(step)
            {
                state.told_at = Some(step);
                eprintln!(
                    "coarray: image {running} has run for 10 s without an operation at which another one could go on, so this schedule waits for it"
                );
            }
        });
    }
}

#[cfg(test)]
mod tests;
