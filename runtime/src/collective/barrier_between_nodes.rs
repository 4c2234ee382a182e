//! The checked barrier of a team that spans nodes.
//!
//! The images of a node write their arrivals where all of them see these. The first image of each node in the team, its
//! *leader*, waits until all images of the node have entered. The leaders exchange the arrivals of their nodes, by the
//! steps of [`Relay`], and write those of other nodes to the shadows there. Then every image reads all arrivals on its own
//! node, so a mismatch is found as on one node, and no image leaves before all have entered.

use std::mem::offset_of;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::node_map::NodeMap;
use crate::image::relay::Relay;
use crate::image::team::Team;
use crate::job::control::TeamControl;
use crate::lockfree::arrival::Arrival;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, BarrierState, Episode};
use crate::messages::messaging::send_message;

/// Passes the barrier that this image has entered.
pub(crate) fn barrier_between_nodes<P: BarrierScope>(
    team: &Team,
    node_map: &NodeMap,
    episode: &Episode<P>,
    barrier: Barrier,
) -> Result<(), BarrierError<P::Stop>> {
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
    for relay in node_map.relays(barrier) {
        match relay {
            Relay::Send { to, nodes } => {
                send_arrivals(
                    team,
                    node_map,
                    episode.number,
                    node_map.leader_of(*to),
                    nodes,
                );
            }
            Relay::Receive { from, nodes } => {
                for &index in nodes.iter().flat_map(|&node| node_map.images_on(node)) {
                    await_arrival(episode, index, node_map.leader_of(*from))?;
                }
            }
        }
    }
    Ok(())
}

/// Waits for the arrival of the image with this index, which the image `sender` writes or sends.
fn await_arrival<P: BarrierScope>(
    episode: &Episode<P>,
    index: usize,
    sender: usize,
) -> Result<(), BarrierError<P::Stop>> {
    let arrival = episode.arrival(index);
    episode.wait(&arrival.signal, sender)?;
    episode.compare(index, arrival)
}

/// Sends the arrivals of all images on these nodes to a leader.
fn send_arrivals(team: &Team, node_map: &NodeMap, number: u64, leader: usize, nodes: &[usize]) {
    let images = nodes.iter().flat_map(|&node| node_map.images_on(node));
    // As on all images, or their signatures differ.
    let has_payload = team.payload_of.get() == number;
    let mut message = Outgoing::new(MessageKind::Arrivals)
        .words(&[team.identity().0, number])
        .half_word(u32::from(has_payload));
    for &index in images {
        let arrival = &team.control(index).state.arrivals[(number & 1) as usize];
        message = message
            .half_word(team.members()[index])
            .words(&arrival.signature());
        if has_payload {
            message = message.words(&arrival.words());
        }
    }
    send_message(team.image(), team.members()[leader] as usize, &message);
}

/// Handles a message of arrivals: writes them to the shadows on this node.
///
/// # Safety
/// As `handle_message` in `dispatch.rs`: the message names the team by the offset of its structures.
pub(crate) unsafe fn handle_arrivals(image: &Image, mut reader: Reader<'_>) {
    let [control, number] = reader.words();
    let has_payload = reader.half_word() != 0;
    while !reader.is_at_end() {
        let member = reader.half_word() as usize;
        let signature = reader.words();
        // SAFETY: the sender is in a barrier of the team, so no image has dropped it. All members have passed a barrier since the shadows
        // of its structures were made here (`Team::form`).
        let arrival = unsafe { shadow_arrival(image, member, control as usize, number) };
        if has_payload {
            arrival.bring(&reader.words());
        }
        arrival.enter(number, &signature);
    }
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
