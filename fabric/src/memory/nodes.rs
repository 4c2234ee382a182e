//! Which images share memory.

/// The node of each image, and whether images of different nodes share memory.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// By image: the number of its node.
    node: Box<[u32]>,
    /// Whether nodes share no memory. If they do, nodes only matter for the choice of algorithms.
    is_separate: bool,
}

impl Nodes {
    /// Nodes of `each` images, which all share memory.
    #[must_use]
    pub fn counted(images: usize, each: usize) -> Self {
        let node = (0..images).map(|image| (image / each) as u32).collect();
        Self {
            node,
            is_separate: false,
        }
    }

    /// Nodes that share no memory: for each image the lowest image of its node, which is the number of the node.
    #[cfg(feature = "cluster")]
    pub fn separate(lowest: impl IntoIterator<Item = usize>) -> Self {
        let node: Box<[u32]> = lowest.into_iter().map(|image| image as u32).collect();
        let is_separate = node.iter().any(|&node| node != 0);
        Self { node, is_separate }
    }

    /// The rank of the node of `image` among the nodes, from 0.
    #[must_use]
    pub fn position(&self, image: usize) -> usize {
        let mut nodes: Vec<u32> = self.node[..].to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.partition_point(|&node| node < self.node[image])
    }

    /// The node of `image`: its lowest image if nodes are separate.
    #[inline]
    #[must_use]
    pub fn of(&self, image: usize) -> usize {
        self.node[image] as usize
    }

    /// Whether two images share memory.
    #[inline]
    #[must_use]
    pub fn share(&self, one: usize, other: usize) -> bool {
        !self.is_separate || self.node[one] == self.node[other]
    }

    /// Whether all images share memory.
    #[inline]
    #[must_use]
    pub fn share_all(&self) -> bool {
        !self.is_separate
    }
}
