//! The checked barrier of a team that spans nodes.
//!
//! The images of a node write their arrivals where all of them see these. The first image of each node in the team, its
//! *leader*, waits until all images of the node have entered. The leaders exchange the arrivals of their nodes, by the
//! steps of [`Relay`], and write those of other nodes to the shadows there. Then every image reads all arrivals on its own
//! node, so a mismatch is found as on one node, and no image leaves before all have entered.
//!
//! A leader sends only arrivals that agree with its own. So if they carry no payload, it sends a digest of its signature and the
//! barrier's number, by a signal. Arrivals with a payload, and those for which there is no signal, are sent as a message.
//!
//! An image in another call may wait for other signals, or for messages. So a leader that has slept for a while also sends as messages
//! what it has sent as signals, and is part of a deadlock only afterwards. The receivers find a mismatch where they look for one before they
//! sleep.

use std::cell::Cell;
use std::mem::offset_of;
use std::time::{Duration, Instant};

use crate::collective::barrier::TeamScope;
use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::node_map::NodeMap;
use crate::image::relay::{Direction, Relay};
use crate::image::team::{Team, TeamKey};
use crate::job::control::{SLOTS, TeamControl};
use crate::lockfree::arrival::{Arrival, Signature};
use crate::lockfree::barrier::Barrier;
use crate::lockfree::checked_barrier::{BarrierError, BarrierState, Episode};
use crate::lockfree::eventcount::{Eventcount, SpinPolicy, WaitStrategy};
use crate::messages::messaging::send_message;
use crate::primitives::pause;
use crate::waiting::Stop;
use crate::waiting::signalled::Signalled;
use coarray_fabric::transport::signal::Signal;

type Outcome = Result<(), BarrierError<Stop>>;

/// Passes the barrier that this image has entered.
pub(super) fn barrier_between_nodes(
    team: &Team,
    node_map: &NodeMap,
    episode: &Episode<TeamScope<'_>>,
    barrier: Barrier,
) -> Outcome {
    let me = team.index();
    let local_peers = node_map.local_peers();
    for &peer in local_peers.iter().filter(|&&peer| peer != me) {
        await_arrival(episode, peer, peer)?;
    }
    if !node_map.is_leader(me) {
        // What is still missing here comes to the leader of this node.
        let others = (0..team.images()).filter(|index| !local_peers.contains(index));
        return others
            .into_iter()
            .try_for_each(|index| await_arrival(episode, index, node_map.leader()));
    }
    let leader = Leader {
        team,
        node_map,
        episode,
        // As on all images, or their signatures differ.
        has_payload: team.payload_of.get() == episode.number,
        relays: node_map.relays(barrier),
        step: Cell::new(0),
        announced: Cell::new(0),
    };
    for relay in leader.relays {
        match relay.direction {
            Direction::To(node) => leader.send(node, relay),
            Direction::From(node) => leader.receive(node, relay)?,
        }
        leader.step.set(leader.step.get() + 1);
    }
    Ok(())
}

/// Waits for the arrival of the image with this index, which the image `sender` writes.
fn await_arrival(episode: &Episode<TeamScope<'_>>, index: usize, sender: usize) -> Outcome {
    let arrival = episode.arrival(index);
    episode.wait(&arrival.signal, sender)?;
    episode.compare(index, arrival)
}

/// The leader of a node, in a barrier.
struct Leader<'a> {
    team: &'a Team,
    node_map: &'a NodeMap,
    episode: &'a Episode<TeamScope<'a>>,
    has_payload: bool,
    relays: &'a [Relay],
    /// How many of these it has taken, and how many of them it has announced or need not.
    step: Cell<usize>,
    announced: Cell<usize>,
}

impl Leader<'_> {
    /// Tells the leader of node `to` that the images of these nodes have entered, and agree with this one.
    fn send(&self, to: usize, relay: &Relay) {
        let (team, number) = (self.team, self.episode.number);
        if !self.is_signalled(relay) {
            return self.send_arrivals(to, &relay.nodes, u32::from(self.has_payload));
        }
        let to = team.members()[self.node_map.leader_of(to)] as usize;
        let [parity, slot] = [number as usize & 1, relay.slot];
        let signals = team.identity().0 as usize + offset_of!(TeamControl, relayed);
        let offset = signals + (parity * SLOTS + slot) * size_of::<Signal>();
        let amount = digest(&self.episode.signature, number);
        // SAFETY: the word is a signal of the team's structures on that image, which only leaders change, by this. It stays: that leader
        // passes this barrier when the signal has come, and drops the team later.
        unsafe { team.image().fabric().signal(to, offset, amount) };
    }

    fn is_signalled(&self, relay: &Relay) -> bool {
        !self.has_payload && relay.slot < SLOTS
    }

    /// Sends the arrivals of all images on these nodes to the leader of node `to`.
    fn send_arrivals(&self, to: usize, nodes: &[usize], kind: u32) {
        let (team, number) = (self.team, self.episode.number);
        let to = team.members()[self.node_map.leader_of(to)] as usize;
        let mut message = Outgoing::new(MessageKind::Arrivals)
            .words(&[team.identity().0, number, team.key.0])
            .half_word(kind);
        for &index in nodes.iter().flat_map(|&node| self.node_map.images_on(node)) {
            let arrival = self.episode.arrival(index);
            message = message
                .half_word(team.members()[index])
                .words(&arrival.signature());
            if self.has_payload {
                message = message.words(&arrival.words());
            }
        }
        send_message(team.image(), to, &message);
    }

    /// What this image has sent as signals, and not as messages.
    fn unannounced(&self) -> impl Iterator<Item = (usize, &Relay)> {
        let sent = &self.relays[self.announced.get()..self.step.get()];
        sent.iter().filter_map(|relay| match relay.direction {
            Direction::To(node) if self.is_signalled(relay) => Some((node, relay)),
            _ => None,
        })
    }

    /// Sends it as messages.
    #[cold]
    fn announce(&self) {
        for (node, relay) in self.unannounced() {
            self.send_arrivals(node, &relay.nodes, ANNOUNCED);
        }
        self.announced.set(self.step.get());
    }

    /// Waits until the eventcount has reached the target. If that takes long, the image announces itself.
    fn wait<W: WaitStrategy>(
        &self,
        eventcount: &Eventcount,
        target: u64,
        watch: impl FnOnce() -> W,
    ) -> Result<(), BarrierError<W::Stop>> {
        let strategy = || Announcing {
            leader: self,
            eventcount,
            target,
            watch: watch(),
            since: Cell::new(None),
        };
        self.episode.wait_until(eventcount, target, strategy)
    }

    /// Waits until the images of these nodes have entered, which the leader of node `from` tells.
    fn receive(&self, from: usize, relay: &Relay) -> Outcome {
        let sender = self.node_map.leader_of(from);
        if self.is_signalled(relay) {
            return self.await_signal(sender, relay);
        }
        for &index in self.images_on(&relay.nodes) {
            let arrival = self.episode.arrival(index);
            let watch = || self.episode.scope.waiting(sender, false);
            self.wait(&arrival.signal, self.episode.number, watch)?;
            self.episode.compare(index, arrival)?;
        }
        Ok(())
    }

    fn await_signal(&self, sender: usize, relay: &Relay) -> Outcome {
        let (episode, slot) = (self.episode, relay.slot);
        let parity = episode.number as usize & 1;
        let signal = &self.team.control(episode.me).relayed[parity][slot];
        let seen = &self.node_map.seen[parity][slot];
        let mut amount = 0;
        // Another digest is of an image in another call, which sends its arrival as well.
        while amount != digest(&episode.signature, episode.number) {
            let watch = || {
                let watch = episode.scope.waiting(sender, false);
                Signalled::new(signal, seen.get(), watch)
            };
            let own = &episode.arrival(episode.me).signal;
            let has_come = || signal.sum() != seen.get();
            let is_here = has_come()
                || (0..episode.patience.spins).any(|_| {
                    pause();
                    has_come()
                });
            let outcome = match is_here {
                true => Err(BarrierError::Stopped(None)),
                false => self.wait(own, NEVER, watch),
            };
            match outcome {
                Err(BarrierError::Stopped(None)) => {}
                Err(BarrierError::Stopped(Some(stop))) => return Err(BarrierError::Stopped(stop)),
                Err(BarrierError::Mismatch { image }) => {
                    return Err(BarrierError::Mismatch { image });
                }
                Ok(()) => unreachable!("there are not so many barriers"),
            }
            let sum = signal.sum();
            amount = sum.wrapping_sub(seen.replace(sum));
        }
        for &index in self.images_on(&relay.nodes) {
            let arrival = episode.arrival(index);
            arrival.enter(episode.number, &episode.signature);
        }
        Ok(())
    }

    fn images_on<'a>(&'a self, nodes: &'a [usize]) -> impl Iterator<Item = &'a usize> {
        nodes.iter().flat_map(|&node| self.node_map.images_on(node))
    }
}

/// The kind of arrivals that a signal has told of as well; 0 and 1 are those without and with a payload.
const ANNOUNCED: u32 = 2;

/// A count of barriers that no image comes to.
const NEVER: u64 = u64::MAX >> 1;

/// How long a leader sleeps before it announces itself.
const ANNOUNCE_AFTER: Duration = Duration::from_millis(20);

/// A wait of a leader, in which it announces itself after a while. Until then it does not count as asleep.
struct Announcing<'a, W> {
    leader: &'a Leader<'a>,
    eventcount: &'a Eventcount,
    target: u64,
    watch: W,
    /// When it went to sleep, if it has something to announce.
    since: Cell<Option<Instant>>,
}

impl<W: WaitStrategy> WaitStrategy for Announcing<'_, W> {
    type Stop = W::Stop;

    fn check(&self) -> Result<(), W::Stop> {
        let since = self.since.get();
        if since.is_some_and(|since| since.elapsed() >= ANNOUNCE_AFTER) {
            self.since.set(None);
            self.leader.announce();
            self.watch.prepare_park(self.eventcount, self.target);
        }
        self.watch.check()
    }

    fn yields(&self, patience: SpinPolicy) -> u32 {
        self.watch.yields(patience)
    }

    fn yield_core(&self) -> bool {
        self.watch.yield_core()
    }

    fn park_timeout(&self) -> Duration {
        self.watch.park_timeout().min(ANNOUNCE_AFTER)
    }

    fn prepare_park(&self, eventcount: &Eventcount, target: u64) {
        match self.leader.unannounced().next() {
            Some(_) => self.since.set(Some(Instant::now())),
            None => self.watch.prepare_park(eventcount, target),
        }
    }

    fn on_timeout(&self) -> Result<(), W::Stop> {
        match self.since.get() {
            Some(_) => Ok(()),
            None => self.watch.on_timeout(),
        }
    }

    fn unpark(&self) {
        self.watch.unpark();
    }
}

/// What a signal adds to tell of this signature in barrier `number`; not 0.
fn digest(signature: &Signature, number: u64) -> u64 {
    // The multiplier is that of `SplitMix64` (G. Steele and others, 2014): odd, with bits everywhere.
    let mix = |sum: u64, &word: &u64| {
        (sum ^ word)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    signature.iter().fold(number, mix) | 1
}

/// Handles a message of arrivals: writes them to the shadows on this node.
///
/// # Safety
/// As `handle_message` in `dispatch.rs`: the message names the team by the offset of its structures.
pub(crate) unsafe fn handle_arrivals(image: &Image, mut reader: Reader<'_>) {
    let [control, number, key] = reader.words();
    let kind = reader.half_word();
    let has_payload = kind == 1;
    if kind == ANNOUNCED && !has_team(image, TeamKey(key)) {
        // The sender has passed the barrier by signals, and all images have dropped the team; or this image does not have it yet.
        return;
    }
    while !reader.is_at_end() {
        let member = reader.half_word() as usize;
        let signature = reader.words();
        // SAFETY: the sender is in a barrier of the team, or this image has the team as yet, so not all have dropped it. All members have passed a barrier since the shadows
        // of its structures were made here (`Team::form`).
        let arrival = unsafe { shadow_arrival(image, member, control as usize, number) };
        let payload = has_payload.then(|| reader.words());
        // An announcement may be late: a signal has told of this arrival, and perhaps of the next one in its place.
        if arrival.has_entered(number) {
            continue;
        }
        if let Some(words) = payload {
            arrival.bring(&words);
        }
        arrival.enter(number, &signature);
    }
}

/// Whether the image has a team with this key.
fn has_team(image: &Image, key: TeamKey) -> bool {
    let network = image.network.as_ref();
    network.is_some_and(|network| network.teams.borrow().iter().any(|(team, _)| *team == key))
}

/// # Safety
/// The structures of a team, or their shadows, are at offset `control` of the part of `image`, and stay while the result lives.
unsafe fn shadow_arrival(here: &Image, image: usize, control: usize, number: u64) -> &Arrival {
    let parity = (number & 1) as usize;
    let arrival = offset_of!(TeamControl, state)
        + offset_of!(BarrierState, arrivals)
        + parity * size_of::<Arrival>();
    // SAFETY: the caller vouches for the structures, which are atomics.
    unsafe {
        &*here
            .job
            .region
            .part_address(image, control + arrival)
            .cast::<Arrival>()
    }
}

#[cfg(all(test, feature = "simulated"))]
mod tests {
    use std::panic::Location;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::call::Call;
    use crate::call::operation::Operation;
    use crate::lockfree::barrier::Barrier;
    use crate::testing::run;
    use coarray_fabric::transport::deferral::Deferral;
    use coarray_fabric::transport::simulated::{Carried, take_traffic};

    /// Passes barriers by one algorithm, and reads what all images brought. Returns the messages of each, counted.
    fn messages(images: usize, nodes: usize, barrier: Barrier) -> u64 {
        const BARRIERS: u64 = 3;
        let all = AtomicU64::new(0);
        run(images, nodes, || {
            let team = Team::current();
            let image = team.image();
            let sent = || image.control(image.index).traffic.sent();
            // SAFETY: no collective operation is in progress.
            unsafe { team.set_barrier_algorithm(barrier) };
            let before = sent();
            for number in 0..BARRIERS {
                let deferral = Deferral::new();
                let words = |index| [index as u64, number, 7];
                let call = Call::plain(Operation::SyncAll, Location::caller());
                // SAFETY: no layer relies on anything here.
                unsafe { team.try_barrier_with(&deferral, &call, words(team.index())) }.unwrap();
                for index in 0..images {
                    assert_eq!(
                        team.payload(index),
                        words(index),
                        "{barrier:?} of {nodes} nodes"
                    );
                }
            }
            all.fetch_add(sent() - before, Ordering::Relaxed);
        });
        assert_eq!(all.load(Ordering::Relaxed) % BARRIERS, 0);
        all.load(Ordering::Relaxed) / BARRIERS
    }

    #[test]
    fn leaders_send_what_each_algorithm_promises() {
        println!("messages of a barrier among leaders");
        println!("nodes   flat  dissemination   tree  central");
        for nodes in [2, 3, 4, 5, 8, 13, 32, 64, 128_usize] {
            let counted = Barrier::ALL.map(|barrier| messages(nodes, nodes, barrier));
            let [flat, dissemination, tree, central] = counted;
            println!("{nodes:5} {flat:6} {dissemination:14} {tree:6} {central:8}");
            let rounds = u64::from(nodes.next_power_of_two().ilog2());
            let nodes = nodes as u64;
            let edges = 2 * (nodes - 1);
            assert_eq!(counted, [nodes * (nodes - 1), nodes * rounds, edges, edges]);
        }
    }

    /// What leaders send in plain barriers by one algorithm: messages and signals of each, counted. It is counted several times, and the
    /// fewest are returned: on a busy machine a leader that waits for long also sends messages.
    fn plain(nodes: usize, barrier: Barrier) -> [u64; 2] {
        const BARRIERS: usize = 4;
        let counts: Vec<[AtomicU64; 2]> = (0..BARRIERS).map(|_| Default::default()).collect();
        run(nodes, nodes, || {
            let team = Team::current();
            // SAFETY: no collective operation is in progress.
            unsafe { team.set_barrier_algorithm(barrier) };
            for counts in &counts {
                drop(take_traffic());
                let call = Call::plain(Operation::SyncAll, Location::caller());
                // SAFETY: no layer relies on anything here.
                unsafe { team.try_barrier(&call) }.unwrap();
                for ((carried, _), count) in take_traffic() {
                    let kind = [Carried::Message, Carried::Signal]
                        .iter()
                        .position(|kind| *kind == carried);
                    let kind = kind.expect("a barrier gets and puts nothing");
                    counts[kind].fetch_add(count, Ordering::Relaxed);
                }
            }
        });
        [0, 1].map(|kind| {
            let counts = counts
                .iter()
                .map(|count| count[kind].load(Ordering::Relaxed));
            counts.min().unwrap_or_default()
        })
    }

    #[test]
    fn a_plain_barrier_is_a_signal_in_place_of_each_message() {
        for nodes in [2, 3, 4, 7, 16, SLOTS + 1] {
            for barrier in Barrier::ALL {
                let signals = messages(nodes, nodes, barrier);
                assert_eq!(
                    plain(nodes, barrier),
                    [0, signals],
                    "{barrier:?} of {nodes}"
                );
            }
        }
        // The first leader has a slot for each of the others but one; of all to all each leader.
        let nodes = SLOTS + 2;
        let all = messages(nodes, nodes, Barrier::Central);
        assert_eq!(plain(nodes, Barrier::Central), [1, all - 1]);
    }

    /// Image 0 has passed the barriers by signals when what image 1 announced in one of them comes.
    #[test]
    fn an_announcement_that_comes_late_changes_no_later_arrival() {
        run(2, 2, || {
            let team = Team::current();
            let call = Call::plain(Operation::SyncAll, Location::caller());
            // SAFETY: no layer relies on anything here.
            let pass = || unsafe { team.try_barrier(&call) }.unwrap();
            (0..4).for_each(|_| pass());
            if team.index() == 0 {
                let last = team.barriers();
                for late in [last - 2, last] {
                    let arrival = &team.control(1).state.arrivals[(last & 1) as usize];
                    let signature = arrival.signature();
                    let message = Outgoing::new(MessageKind::Arrivals)
                        .words(&[team.identity().0, late, team.key.0])
                        .half_word(ANNOUNCED)
                        .half_word(1)
                        .words(&signature.map(|word| !word));
                    let (_, reader) = Reader::open(message.as_bytes());
                    // SAFETY: the message names the team of all images.
                    unsafe { handle_arrivals(team.image(), reader) };
                    assert!(arrival.has_entered(last), "{late}");
                    assert_eq!(arrival.signature(), signature);
                }
                // Of a team that had this memory before.
                let next = &team.control(1).state.arrivals[((last + 1) & 1) as usize];
                let message = Outgoing::new(MessageKind::Arrivals)
                    .words(&[team.identity().0, last + 1, team.key.0 + 1])
                    .half_word(ANNOUNCED)
                    .half_word(1)
                    .words(&next.signature());
                let (_, reader) = Reader::open(message.as_bytes());
                // SAFETY: as above.
                unsafe { handle_arrivals(team.image(), reader) };
                assert!(!next.has_entered(last + 1));
            }
            (0..4).for_each(|_| pass());
        });
    }

    #[test]
    fn only_leaders_send() {
        for (images, nodes) in [(4_usize, 2), (7, 3), (12, 5), (16, 8)] {
            let nodes_in_use = images.div_ceil(images.div_ceil(nodes)) as u64;
            for barrier in Barrier::ALL {
                let expected = messages(nodes_in_use as usize, nodes_in_use as usize, barrier);
                assert_eq!(messages(images, nodes, barrier), expected, "{barrier:?}");
            }
        }
    }
}
