//! The checked barrier of a team that spans nodes.
//!
//! The images of a node write their arrivals where all of them see these. The first image of each node in the team, its
//! *leader*, waits until all images of the node have entered. The leaders exchange the arrivals of their nodes, by the
//! steps of [`Relay`], and write those of other nodes to the shadows there. Then every image reads all arrivals on its own
//! node, so a mismatch is found as on one node, and no image leaves before all have entered.

use std::mem::offset_of;

use crate::collective::barrier::TeamScope;
use crate::collective::leader::{ANNOUNCED, Leader, Outcome};
use crate::image::Image;
use crate::image::message::Reader;
use crate::image::node_map::NodeMap;
use crate::image::team::{Team, TeamKey};
use crate::job::control::TeamControl;
use crate::lockfree::arrival::Arrival;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::checked_barrier::{BarrierState, Episode};

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
    // As on all images, or their signatures differ.
    let has_payload = team.payload_of.get().0 == episode.number;
    Leader::new(team, node_map, episode, has_payload, barrier).relay()
}

/// Waits for the arrival of the image with this index, which the image `sender` writes.
fn await_arrival(episode: &Episode<TeamScope<'_>>, index: usize, sender: usize) -> Outcome {
    let arrival = episode.arrival(index);
    episode.wait(&arrival.signal, sender)?;
    episode.compare(index, arrival)
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
    use crate::image::message::{MessageKind, Outgoing};
    use crate::job::control::SLOTS;
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
                let words = |index| [index as u64, number, 7, !number];
                let call = Call::plain(Operation::SyncAll, Location::caller());
                // SAFETY: no layer relies on anything here.
                unsafe { team.try_barrier_with(&deferral, &call, words(team.index()), 4) }.unwrap();
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
        const BARRIERS: usize = 16;
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
