//! How the images of a team are divided among nodes.

use std::cell::{Cell, OnceCell};

use coarray_fabric::memory::nodes::Nodes;

use crate::image::relay::{Relay, relays};
use crate::job::control::SLOTS;
use crate::lockfree::barrier::Barrier;

/// How the images of a team are divided among nodes.
#[derive(Debug)]
pub(crate) struct NodeMap {
    /// The indices of the images on each node, in increasing order.
    nodes: Box<[Box<[usize]>]>,
    /// The node of this image.
    mine: usize,
    /// What this node's leader does in each barrier among leaders.
    relays: [OnceCell<Box<[Relay]>>; Barrier::ALL.len()],
    /// The sums of the signals of [`relayed`](crate::job::control::TeamControl::relayed) that this node's leader has seen.
    pub(crate) seen: [[Cell<u64>; SLOTS]; 2],
}

impl NodeMap {
    /// The node map of a team with these members, if they do not all share memory.
    pub(crate) fn of(nodes: &Nodes, index: usize, members: &[u32]) -> Option<Self> {
        let me = members[index] as usize;
        let is_here = |&member: &u32| nodes.share(me, member as usize);
        if members.iter().all(is_here) {
            return None;
        }
        let mut numbers: Vec<usize> = members.iter().map(|&m| nodes.of(m as usize)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let on = |&node: &usize| {
            (0..members.len())
                .filter(|&index| nodes.of(members[index] as usize) == node)
                .collect()
        };
        let mine = nodes.of(me);
        Some(Self {
            mine: numbers.iter().position(|&node| node == mine)?,
            nodes: numbers.iter().map(on).collect(),
            relays: Default::default(),
            seen: Default::default(),
        })
    }

    /// How many nodes have images of the team.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The images of a node.
    pub(crate) fn images_on(&self, node: usize) -> &[usize] {
        &self.nodes[node]
    }

    /// The images of this image's node.
    pub(crate) fn local_peers(&self) -> &[usize] {
        &self.nodes[self.mine]
    }

    /// The image that sends and receives for a node.
    pub(crate) fn leader_of(&self, node: usize) -> usize {
        self.nodes[node][0]
    }

    /// The leader of this image's node.
    pub(crate) fn leader(&self) -> usize {
        self.leader_of(self.mine)
    }

    /// Whether the image with this index is the leader of this image's node.
    pub(crate) fn is_leader(&self, index: usize) -> bool {
        self.leader() == index
    }

    /// What this node's leader does in this barrier.
    pub(crate) fn relays(&self, barrier: Barrier) -> &[Relay] {
        let list = &self.relays[barrier as usize];
        list.get_or_init(|| relays(barrier, self.mine, self.count()))
    }
}
