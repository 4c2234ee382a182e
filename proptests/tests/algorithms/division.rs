//! How images are divided among nodes.

use coarray::Launch;
use proptest::prelude::*;

use crate::MOST_IMAGES;

/// Most images where nodes share no memory: there every wait takes long.
const MOST_IMAGES_APART: usize = 8;

/// Images, and the nodes that they are on.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// How many images there are.
    pub images: usize,
    /// How many of them count as one node, of a machine.
    per_node: usize,
    /// On how many nodes they are that share no memory.
    nodes: usize,
}

impl Division {
    /// At least so many images on one machine, or on several nodes that share no memory.
    pub fn any(least: usize) -> impl Strategy<Value = Self> {
        let counted = (least..=MOST_IMAGES, 1..=MOST_IMAGES);
        let counted = counted.prop_map(|(images, per_node)| Self::counted(images, per_node));
        let apart = (2..=MOST_IMAGES_APART, 2usize..=4);
        let apart = apart.prop_map(|(images, nodes)| Self::apart(images, nodes));
        prop_oneof![2 => counted, 1 => apart]
    }

    /// On one machine, of which each so many count as one node.
    pub fn counted(images: usize, per_node: usize) -> Self {
        Self {
            images,
            per_node,
            nodes: 1,
        }
    }

    /// On so many nodes that share no memory.
    pub fn apart(images: usize, nodes: usize) -> Self {
        Self {
            images,
            per_node: images,
            nodes,
        }
    }

    /// A job of these images.
    pub fn launch(self) -> Launch {
        Launch::new(self.images)
            .images_per_node(self.per_node)
            .simulated_nodes(self.nodes)
    }
}
