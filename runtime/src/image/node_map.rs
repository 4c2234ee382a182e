//! How the images of a team are divided among nodes.

use coarray_fabric::memory::nodes::Nodes;

/// How the images of a team are divided among nodes.
#[derive(Debug)]
pub(crate) struct NodeMap {
    /// The indices of the images on each node, in increasing order.
    nodes: Box<[Box<[usize]>]>,
    /// The node of this image.
    mine: usize,
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
        })
    }

    /// The images of this image's node.
    pub(crate) fn local_peers(&self) -> &[usize] {
        &self.nodes[self.mine]
    }

    /// Whether the image with this index is the leader of this image's node.
    pub(crate) fn is_leader(&self, index: usize) -> bool {
        self.local_peers()[0] == index
    }

    /// The leaders of the other nodes.
    pub(crate) fn other_leaders(&self) -> impl Iterator<Item = usize> {
        let others = self.nodes.iter().enumerate();
        others.filter_map(|(node, images)| (node != self.mine).then_some(images[0]))
    }
}
