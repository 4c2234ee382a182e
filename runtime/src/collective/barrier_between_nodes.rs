//! The checked barrier of a team that spans nodes.
//!
//! The images of a node write their arrivals where all of them see these. The first image of each node in the team, its
//! *leader*, waits until all images of the node have entered, and sends their arrivals in one message to the leader of
//! each other node, which writes them to the shadows there. Then every image reads all arrivals on its own node, so a
//! mismatch is found as on one node, and no image leaves before all have entered.

use std::mem::offset_of;

use crate::image::Image;
use crate::image::message::{MessageKind, Outgoing, Reader};
use crate::image::node_map::NodeMap;
use crate::image::team::Team;
use crate::job::control::TeamControl;
use crate::lockfree::arrival::{Arrival, WORDS};
use crate::lockfree::checked_barrier::{BarrierError, BarrierScope, BarrierState, Episode};
use crate::messages::messaging::send_message;

/// Passes the barrier that this image has entered.
pub(crate) fn barrier_between_nodes<P: BarrierScope>(
    team: &Team,
    node_map: &NodeMap,
    episode: &Episode<P>,
) -> Result<(), BarrierError<P::Stop>> {
    let me = team.index();
    if node_map.is_leader(me) {
        for &neighbour in &node_map.local_peers()[1..] {
            await_arrival(team, episode, neighbour)?;
        }
        send_arrivals(team, node_map, episode.number);
    }
    (me + 1..team.images())
        .chain(0..me)
        .try_for_each(|index| await_arrival(team, episode, index))
}

fn await_arrival<P: BarrierScope>(
    _team: &Team,
    episode: &Episode<P>,
    index: usize,
) -> Result<(), BarrierError<P::Stop>> {
    let arrival = episode.arrival(index);
    episode.wait(&arrival.signal, index)?;
    episode.compare(index, arrival)
}

fn send_arrivals(team: &Team, node_map: &NodeMap, number: u64) {
    let local_peers = node_map.local_peers();
    let mut message = Outgoing::new(MessageKind::Arrivals).words(&[
        team.identity().0,
        number,
        local_peers.len() as u64,
    ]);
    for &index in local_peers {
        let arrival = &team.control(index).state.arrivals[(number & 1) as usize];
        message = message
            .word(u64::from(team.members()[index]))
            .words(&arrival.signature())
            .words(&arrival.words());
    }
    for leader in node_map.other_leaders() {
        send_message(team.image(), team.members()[leader] as usize, &message);
    }
}

/// Handles a message of arrivals: writes them to the shadows on this node.
pub(crate) fn handle_arrivals(image: &Image, mut reader: Reader<'_>) {
    let [control, number, images] = reader.words();
    for _ in 0..images {
        let member = reader.size();
        let (signature, words): (_, [u64; WORDS]) = (reader.words(), reader.words());
        let arrival = shadow_arrival(image, member, control as usize, number);
        arrival.bring(&words);
        arrival.enter(number, &signature);
    }
}

fn shadow_arrival(here: &Image, image: usize, control: usize, number: u64) -> &Arrival {
    let parity = (number & 1) as usize;
    let arrival = offset_of!(TeamControl, state)
        + offset_of!(BarrierState, arrivals)
        + parity * size_of::<Arrival>();
    // SAFETY: the sender is in a barrier of the team whose structures are at offset `control` of each member's part.
    // All members have passed a barrier since the shadows of these structures were made here (`Team::form`), and the
    // shadows stay until this image has left the team.
    unsafe {
        &*here
            .job
            .region
            .part_address(image, control + arrival)
            .cast::<Arrival>()
    }
}
