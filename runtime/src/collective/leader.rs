//! What the leader of a node sends to other leaders in a barrier, and waits for.
//!
//! It sends only arrivals that agree with its own. So if they carry no payload, it sends a digest of its signature and the
//! barrier's number, by a signal. Arrivals with a payload, and those for which there is no signal, are sent as a message.
//!
//! An image in another call may wait for other signals, or for messages. So a leader that has slept for a while also sends as messages
//! what it has sent as signals, and is part of a deadlock only afterwards. The receivers find a mismatch where they look for one before they
//! sleep.

use std::cell::Cell;
use std::mem::offset_of;
use std::time::{Duration, Instant};

use crate::collective::barrier::TeamScope;
use crate::image::message::{MessageKind, Outgoing};
use crate::image::node_map::NodeMap;
use crate::image::relay::{Direction, Relay};
use crate::image::team::Team;
use crate::job::control::{SLOTS, TeamControl};
use crate::lockfree::arrival::Signature;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::checked_barrier::{BarrierError, Episode};
use crate::lockfree::eventcount::{Around, Eventcount, WaitStrategy};
use crate::messages::messaging::send_message;
use crate::primitives::pause;
use crate::waiting::Stop;
use crate::waiting::signalled::{NEVER, Signalled};
use coarray_fabric::transport::signal::{Signal, SignalOperation};

/// The kind of arrivals that a signal has told of as well; 0 and 1 are those without and with a payload.
pub(super) const ANNOUNCED: u32 = 2;

pub(super) type Outcome = Result<(), BarrierError<Stop>>;

/// The leader of a node, in a barrier.
pub(super) struct Leader<'a> {
    team: &'a Team,
    node_map: &'a NodeMap,
    episode: &'a Episode<TeamScope<'a>>,
    has_payload: bool,
    relays: &'a [Relay],
    /// How many of these it has taken, and how many of them it has announced or need not.
    step: Cell<usize>,
    announced: Cell<usize>,
}

impl<'a> Leader<'a> {
    pub(super) fn new(
        team: &'a Team,
        node_map: &'a NodeMap,
        episode: &'a Episode<TeamScope<'a>>,
        has_payload: bool,
        barrier: Barrier,
    ) -> Self {
        Self {
            team,
            node_map,
            episode,
            has_payload,
            relays: node_map.relays(barrier),
            step: Cell::new(0),
            announced: Cell::new(0),
        }
    }

    /// Exchanges the arrivals of its node, which has entered, with other leaders.
    pub(super) fn relay(&self) -> Outcome {
        for relay in self.relays {
            match relay.direction {
                Direction::To(node) => self.send(node, relay),
                Direction::From(node) => self.receive(node, relay)?,
            }
            self.step.set(self.step.get() + 1);
        }
        Ok(())
    }

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
        let add = SignalOperation::Add(digest(&self.episode.signature, number));
        // SAFETY: the word is a signal of the team's structures on that image, which only leaders change, by this. It stays: that leader
        // passes this barrier when the signal has come, and drops the team later.
        unsafe { team.image().fabric().signal(to, offset, add) };
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
                message = message.words(&arrival.words_beside());
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
                Ok(()) => unreachable!("no count comes so far"),
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

    fn images_on<'b>(&'b self, nodes: &'b [usize]) -> impl Iterator<Item = &'b usize> {
        nodes.iter().flat_map(|&node| self.node_map.images_on(node))
    }
}

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

impl<W: WaitStrategy> Around for Announcing<'_, W> {
    type Inner = W;
    type Stop = W::Stop;

    fn inner(&self) -> &W {
        &self.watch
    }

    fn stop(stop: W::Stop) -> W::Stop {
        stop
    }

    fn check(&self) -> Result<(), W::Stop> {
        let since = self.since.get();
        if since.is_some_and(|since| since.elapsed() >= ANNOUNCE_AFTER) {
            self.since.set(None);
            self.leader.announce();
            self.watch.prepare_park(self.eventcount, self.target);
        }
        self.watch.check()
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
