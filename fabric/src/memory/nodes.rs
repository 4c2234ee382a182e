//! Which images share memory.

/// The node of each image, and whether images of different nodes are beyond each other's load and store.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// By image.
    node: Box<[u32]>,
    /// Whether nodes share nothing; otherwise they are counted for the choice of algorithms only.
    is_separate: bool,
}

impl Nodes {
    /// Nodes of so many images each, all of which share memory.
    pub fn counted(images: usize, each: usize) -> Self {
        let node = (0..images).map(|image| (image / each) as u32).collect();
        Self {
            node,
            is_separate: false,
        }
    }

    /// Nodes that share nothing, numbered by their lowest images: the node of each image.
    #[cfg(any(feature = "mpi", feature = "shmem", feature = "simulated"))]
    pub fn separate(lowest: impl IntoIterator<Item = usize>) -> Self {
        let node: Box<[u32]> = lowest.into_iter().map(|image| image as u32).collect();
        let is_separate = node.iter().any(|&node| node != 0);
        Self { node, is_separate }
    }

    /// Which of the nodes, counted from 0 by their lowest images, that of `image` is.
    pub fn position(&self, image: usize) -> usize {
        let mut nodes: Vec<u32> = self.node[..].to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.partition_point(|&node| node < self.node[image])
    }

    /// The node of `image`.
    #[inline]
    pub fn of(&self, image: usize) -> usize {
        self.node[image] as usize
    }

    /// Whether two images share memory.
    #[inline]
    pub fn share(&self, one: usize, other: usize) -> bool {
        !self.is_separate || self.node[one] == self.node[other]
    }

    /// Whether all images share memory.
    #[inline]
    pub fn share_all(&self) -> bool {
        !self.is_separate
    }
}
