//! The checked barrier of a team: how an image passes it, and what happens if others have failed.

mod disagreement;
mod scope;

use std::ops::Range;
use std::thread;

use crate::call::Call;
use crate::collective::barrier_between_nodes::barrier_between_nodes;
use crate::collective::outstanding::collect_payloads_if_many;
use crate::image::descriptor::ALIGN;
use crate::image::recording::object_number;
use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;
use crate::lockfree::arrival::{Arrival, BESIDE, Signature, WORDS};
use crate::lockfree::barrier::Barrier;
use crate::lockfree::barrier::flat;
use crate::lockfree::checked_barrier::{self, BarrierError, Episode};
use crate::lockfree::eventcount::SpinPolicy;
use crate::messages::quiet::quiet;
use crate::waiting::Stop;
use coarray_fabric::system::primitives::{prefetch_to_read, prefetch_to_write};
use coarray_fabric::transport::deferral::Deferral;
pub(super) use disagreement::{describe_call, disagree, disagree_by_signatures};
pub(super) use scope::{AT_END, TeamScope};

/// How many bytes of each image are fetched while it is waited for, and of how many at most that it writes: fetching from more is slower.
const FETCHED: usize = 1024;
const MOST_WRITTEN: usize = 4096;

/// What an operation does if images have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// End the job.
    EndJob,
    /// Return an error.
    Error,
    /// Continue without the failed images.
    Continue,
}

impl Team {
    /// Collective. Waits until every image of the team is in the same call. Everything an image wrote before, and all
    /// operations it issued, are then visible to all.
    ///
    /// If an image is in another call, or has failed, the job ends with a report. If the job has ended, the image
    /// unwinds.
    ///
    /// # Safety
    /// Other layers rely on what an image has done before this call, such as giving up its references or writing its
    /// part. The caller has done that.
    #[inline]
    pub unsafe fn barrier(&self, call: &Call) {
        // SAFETY: the caller has done what other layers rely on.
        if let Err(failed) = unsafe { self.try_barrier(call) } {
            self.fail_because(&failed, &call.describe(self));
        }
    }

    /// Collective. As [`barrier`](Self::barrier), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that failed before they entered the barrier, the same on all other images, which have passed it.
    ///
    /// # Safety
    /// As [`barrier`](Self::barrier).
    #[inline]
    pub unsafe fn try_barrier(&self, call: &Call) -> Result<(), ImageFailed> {
        pass_barrier(self, call, self.barrier_algorithm(), |_, _| (), |_| ())
    }

    /// Collective. As [`try_barrier`](Self::try_barrier), before this image reads from other images. While it waits for one with memory
    /// here, it fetches what that one writes at the address that `first` returns, and up to `length` bytes from there, to the caches.
    ///
    /// # Errors
    /// As [`try_barrier`](Self::try_barrier).
    ///
    /// # Safety
    /// As [`barrier`](Self::barrier).
    #[inline]
    pub unsafe fn try_barrier_before_read(
        &self,
        call: &Call,
        length: usize,
        first: impl Fn(usize) -> *const u8,
    ) -> Result<(), ImageFailed> {
        let fetch = |index| {
            if length <= MOST_WRITTEN {
                let (first, length) = (first(index), length.min(FETCHED));
                let lines = (0..length).step_by(ALIGN);
                lines.for_each(|line| prefetch_to_read(first.wrapping_add(line)));
            }
        };
        pass_barrier(self, call, self.barrier_algorithm(), |_, _| (), fetch)
    }

    /// Collective. As [`try_barrier`](Self::try_barrier), by the barrier algorithm `barrier`, which must be the same on
    /// all images.
    ///
    /// # Errors
    /// As [`try_barrier`](Self::try_barrier).
    ///
    /// # Safety
    /// As [`barrier`](Self::barrier).
    pub unsafe fn try_barrier_by(&self, call: &Call, barrier: Barrier) -> Result<(), ImageFailed> {
        pass_barrier(self, call, barrier, |_, _| (), |_| ())
    }

    /// Collective. As [`try_barrier`](Self::try_barrier), and brings the first `used` of `words`, which all images can read with
    /// [`payload`](Self::payload) until the deferral ends: after that, wakers of the program may enter another barrier.
    ///
    /// # Errors
    /// As [`try_barrier`](Self::try_barrier).
    ///
    /// # Panics
    /// If the call is of a special image, such as a root, and brings more than [`PAYLOAD_BYTES_WITH_ROOT`](crate::PAYLOAD_BYTES_WITH_ROOT).
    ///
    /// # Safety
    /// As [`barrier`](Self::barrier). Images whose calls are alike all bring words, as many, or none does.
    #[inline]
    pub unsafe fn try_barrier_with(
        &self,
        _deferral: &Deferral,
        call: &Call,
        words: [u64; WORDS],
        used: usize,
    ) -> Result<(), ImageFailed> {
        self.payload.set(words);
        self.payload_of.set((self.barriers.get() + 1, used));
        assert!(used < WORDS || !call.has_last_word());
        pass_barrier(
            self,
            call,
            self.barrier_algorithm(),
            |arrival, signature| {
                arrival.bring_first(&words, used, signature);
            },
            |_| (),
        )
    }

    /// The words that the image with index `index` brought to the last barrier, and any words behind them. They stay readable until this
    /// image enters the next one.
    #[inline]
    #[must_use]
    pub fn payload(&self, index: usize) -> [u64; WORDS] {
        if index == self.index() {
            // The arrival's cache line is in the caches of the others.
            return self.payload.get();
        }
        let parity = (self.barriers.get() & 1) as usize;
        self.control(index).state.arrivals[parity].words()
    }

    /// Ends the job because images failed that `operation` needs.
    #[cold]
    pub fn fail_because(&self, failed: &ImageFailed, operation: &str) -> ! {
        let number = |&index: &usize| self.members()[index] as usize;
        let numbers = ImageFailed {
            images: failed.images.iter().map(number).collect(),
            stopped: failed.stopped.iter().map(number).collect(),
        };
        self.image()
            .fail(format!("cannot complete {operation}: {numbers}"))
    }
}

/// Enters the next barrier and passes it. [`wait_in_barrier`] has everything that only a long wait needs: the fewer
/// instructions lie between two barriers, the earlier the other images see the second.
#[inline]
fn pass_barrier(
    team: &Team,
    call: &Call,
    barrier: Barrier,
    bring: impl FnOnce(&Arrival, &mut Signature),
    fetch: impl Fn(usize),
) -> Result<(), ImageFailed> {
    let image = &**team.image();
    quiet();
    collect_payloads_if_many(image);
    let failure_epoch = image.job.region.job().failure_epoch();
    let number = team.barriers.get() + 1;
    team.barriers.set(number);
    let mut signature = team.mark(barrier, call);
    let own = &team.control(team.index()).state.arrivals[(number & 1) as usize];
    if !image.last_call.is_like(call) || thread::panicking() {
        record_call(team, call, own);
    }
    bring(own, &mut signature);
    own.enter(number, &signature);
    let is_quiet = failure_epoch == team.failure_epoch.get() && team.is_plain.get();
    let mut patience = image.backoff.patience();
    if barrier == Barrier::Flat && is_quiet {
        if all_arrive(team, number, &signature, patience.spins, fetch) {
            return Ok(());
        }
        // No more spinning.
        patience.spins = 0;
    }
    wait_in_barrier(team, call, number, signature, barrier, patience, is_quiet)
}

/// Whether all images of a team that shares memory enter the barrier while this one spins, and agree. Calls `fetch` with the index of one it
/// waits for.
#[inline]
fn all_arrive(
    team: &Team,
    number: u64,
    signature: &Signature,
    spins: u32,
    fetch: impl Fn(usize),
) -> bool {
    let me = team.index();
    let arrival = |index| &team.control(index).state.arrivals[(number & 1) as usize];
    let arrive = |mut others: Range<usize>| {
        others
            .all(|index| flat::spin_for(arrival(index), number, signature, spins, || fetch(index)))
    };
    arrive(me + 1..team.images()) && arrive(0..me)
}

/// Records the call for reports, and in a profiled job that the image is about to enter the barrier: in its arrival, of which the others
/// read the line anyway, or beside it if a payload fills that.
#[cold]
fn record_call(team: &Team, call: &Call, own: &Arrival) {
    team.image().record_call(call);
    team.image().count_call(call);
    team.check_arrival(call);
    if let Some(recording) = team.image().recording_of_call() {
        let now = recording.come();
        let number = team.barriers.get();
        // Last: others poll the line of the arrival, and may take it away until the rest is written.
        match payload_fills_arrival(team, number) {
            true => team.control(team.index()).times.enter(number, now),
            false => own.note_time(now),
        }
    }
}

/// Whether what the images bring to barrier `number`, the last one, leaves no room for a time.
fn payload_fills_arrival(team: &Team, number: u64) -> bool {
    let (last, used) = team.payload_of.get();
    last == number && used >= BESIDE
}

/// Passes the barrier that the image has entered, however long it takes.
#[inline(never)]
fn wait_in_barrier(
    here: &Team,
    call: &Call,
    number: u64,
    signature: Signature,
    barrier: Barrier,
    patience: SpinPolicy,
    is_quiet: bool,
) -> Result<(), ImageFailed> {
    let outcome = wait_recorded(here, call, number, signature, barrier, patience, is_quiet);
    here.check_departure(call);
    outcome
}

#[inline]
fn wait_recorded(
    here: &Team,
    call: &Call,
    number: u64,
    signature: Signature,
    barrier: Barrier,
    patience: SpinPolicy,
    is_quiet: bool,
) -> Result<(), ImageFailed> {
    let Some(recording) = here.image().recording() else {
        return await_all(here, number, signature, barrier, patience, is_quiet);
    };
    // The line that it reads first comes while the image notes that it came.
    let arrival = |index, number: u64| &here.control(index).state.arrivals[(number & 1) as usize];
    let next = here.index() + 1;
    prefetch_to_read(arrival(if next < here.images() { next } else { 0 }, number));
    // Only now: the others see the image come earlier.
    recording.enter_call(call);
    recording.enter_barrier();
    // The waits in a barrier are not recorded one by one, so the image spins first, as in other jobs.
    let spins = here.image().backoff.recorded_spins();
    let mut patience = SpinPolicy { spins, ..patience };
    let is_flat = barrier == Barrier::Flat && here.is_known_to_share_all();
    let (mut outcome, mut are_all_here) = (Ok(()), true);
    if !is_flat || !all_arrive(here, number, &signature, spins, |_| ()) {
        if is_flat {
            patience.spins = 0;
        }
        outcome = await_all(here, number, signature, barrier, patience, is_quiet);
        // Those that are gone may not have entered.
        are_all_here = !here.is_incomplete();
    }
    // The line with which it enters the next barrier, which the others have read, comes while it notes how long it waited.
    prefetch_to_write(arrival(here.index(), number + 1));
    if payload_fills_arrival(here, number) {
        prefetch_to_write(here.control(here.index()).times.line(number + 1));
    }
    let others = are_all_here.then(|| arrival_times(here, number));
    let object = || {
        let first = here.members()[0] as usize;
        object_number([here.identity().0 as usize, first, number as usize])
    };
    recording.leave_barrier(object, others.into_iter().flatten());
    outcome
}

/// When the other images of this node entered barrier `number`, which all have entered.
fn arrival_times(team: &Team, number: u64) -> impl Iterator<Item = u64> {
    let are_beside = payload_fills_arrival(team, number);
    (0..team.images())
        .filter(|&index| index != team.index() && team.is_local(index))
        .map(move |index| match (are_beside, team.control(index)) {
            (true, other) => other.times.of(number),
            (false, other) => other.state.arrivals[(number & 1) as usize].time(),
        })
}

#[inline]
fn await_all(
    here: &Team,
    number: u64,
    signature: Signature,
    barrier: Barrier,
    patience: SpinPolicy,
    is_quiet: bool,
) -> Result<(), ImageFailed> {
    // Wakers run after the barrier: one that entered another barrier here would confuse the count.
    let _deferral = Deferral::new();
    let episode = Episode {
        me: here.index(),
        images: here.images(),
        number,
        signature,
        patience,
        scope: TeamScope { team: here, number },
    };
    if !is_quiet && check_failures(here) {
        return barrier_of_survivors(here, &episode);
    }
    let outcome = match here.node_map() {
        Some(node_map) => barrier_between_nodes(here, node_map, &episode, barrier),
        None => checked_barrier::pass(&episode, barrier),
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(error) => resolve_stuck(here, &episode, error),
    }
}

/// Whether images of the team have failed. If the job has ended, the image unwinds.
#[cold]
fn check_failures(team: &Team) -> bool {
    if team.image().job.has_ended() {
        team.image().unwind();
    }
    team.is_incomplete()
}

/// Handles a barrier that was not passed at once: survivors pass among themselves, and a mismatch is reported.
#[cold]
fn resolve_stuck(
    team: &Team,
    episode: &Episode<TeamScope<'_>>,
    error: BarrierError<Stop>,
) -> Result<(), ImageFailed> {
    match error {
        BarrierError::Stopped(Stop::Failed) => barrier_of_survivors(team, episode),
        BarrierError::Stopped(_) => team.image().unwind(),
        BarrierError::Mismatch { image } => report_signatures(team, image, episode),
    }
}

#[cold]
fn barrier_of_survivors(team: &Team, episode: &Episode<TeamScope<'_>>) -> Result<(), ImageFailed> {
    match checked_barrier::barrier_of_survivors(episode) {
        Ok(missing) if missing.is_empty() => Ok(()),
        Ok(missing) => Err(team.missed(missing)),
        Err(error) => resolve_stuck(team, episode, error),
    }
}

#[cold]
fn report_signatures(team: &Team, other: usize, episode: &Episode<TeamScope<'_>>) -> ! {
    let signature = |index| team.unmark(index, episode.arrival(index).signature());
    disagree_by_signatures(team, signature(team.index()), other, signature(other))
}

/// Collective. Passes a barrier that carries `words`. Returns the indices of the images that took part.
///
/// # Errors
/// The images that failed before, if `on_failure` makes that an error.
///
/// # Safety
/// As [`barrier`](Team::barrier).
pub(crate) unsafe fn exchange_payloads(
    team: &Team,
    deferral: &Deferral,
    call: &Call,
    words: [u64; BESIDE],
    on_failure: OnFailure,
) -> Result<Vec<usize>, ImageFailed> {
    let [first, second, third] = words;
    // SAFETY: the caller has done what other layers rely on.
    let missing = match (
        unsafe { team.try_barrier_with(deferral, call, [first, second, third, 0], BESIDE) },
        on_failure,
    ) {
        (Ok(()), _) => Vec::new(),
        (Err(failed), OnFailure::Continue) => [failed.images, failed.stopped].concat(),
        (Err(failed), OnFailure::Error) => return Err(failed),
        (Err(failed), OnFailure::EndJob) => team.fail_because(&failed, &call.describe(team)),
    };
    Ok((0..team.images())
        .filter(|index| !missing.contains(index))
        .collect())
}
