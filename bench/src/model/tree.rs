//! Trees in which every subtree is a range of images that begins with its root, as those of the library.

use std::ops::Range;

use crate::model::network::{Network, Packet};

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All images below image 0.
    Flat,
    /// The subtrees of an image double in size.
    Binomial,
    /// Up to four subtrees of about the same size.
    FourAry,
    /// Two levels, of about the square root of the number of images each.
    SquareRoot,
    /// Binomial over nodes of this number of images, and in each node all below its first image.
    Hierarchical(usize),
}

/// A part of a tree.
#[derive(Clone, Debug)]
struct Subtree {
    images: Range<usize>,
    /// How many images are above it.
    depth: usize,
    /// The nearest of these.
    parent: Option<usize>,
}

impl Shape {
    /// The subtrees below the root of one.
    fn children(self, subtree: &Subtree) -> Vec<Subtree> {
        let images = &subtree.images;
        let rest = images.start + 1..images.end;
        let ranges = match self {
            Self::Flat => singles(rest),
            Self::Binomial => binomial(images, 1),
            Self::FourAry => parts(rest, 4),
            Self::SquareRoot if subtree.depth == 0 => {
                let heads = ceil_sqrt(rest.len());
                parts(rest, heads)
            }
            Self::SquareRoot => singles(rest),
            Self::Hierarchical(node) if images.start.is_multiple_of(node) => {
                let own = singles(images.start + 1..images.end.min(images.start + node));
                own.into_iter().chain(binomial(images, node)).collect()
            }
            Self::Hierarchical(_) => Vec::new(),
        };
        let subtree = |range| Subtree {
            images: range,
            depth: subtree.depth + 1,
            parent: Some(images.start),
        };
        ranges.into_iter().map(subtree).collect()
    }
}

/// The whole tree, with image 0 as the root.
fn whole(network: &Network) -> Subtree {
    Subtree {
        images: 0..network.images(),
        depth: 0,
        parent: None,
    }
}

/// Subtrees of 1, 2, 4, ... units, of which the first is the root's own.
fn binomial(subtree: &Range<usize>, unit: usize) -> Vec<Range<usize>> {
    let sizes = std::iter::successors(Some(unit), |size| size.checked_mul(2));
    sizes
        .take_while(|&size| size < subtree.len())
        .map(|size| {
            let start = subtree.start + size;
            start..(start + size).min(subtree.end)
        })
        .collect()
}

fn singles(range: Range<usize>) -> Vec<Range<usize>> {
    range.map(|image| image..image + 1).collect()
}

fn parts(range: Range<usize>, most: usize) -> Vec<Range<usize>> {
    let (length, parts) = (range.len(), most.min(range.len()));
    (0..parts)
        .map(|part| range.start + length * part / parts..range.start + length * (part + 1) / parts)
        .collect()
}

fn ceil_sqrt(number: usize) -> usize {
    let root = number.isqrt();
    root + usize::from(root * root < number)
}

/// From image 0 down: every image sends to its largest subtree first. `bytes` gives the length of a message by the
/// number of images in the subtree.
pub fn down(network: &mut Network, shape: Shape, bytes: impl Fn(usize) -> u64) {
    let mut subtrees = vec![whole(network)];
    while let Some(subtree) = subtrees.pop() {
        let mut children = shape.children(&subtree);
        // Subtrees of equal size keep their order.
        children.sort_by_key(|child| std::cmp::Reverse(child.images.len()));
        for child in children {
            let (from, to) = (subtree.images.start, child.images.start);
            let packet = network.send(from, to, bytes(child.images.len()));
            network.receive(to, packet);
            if child.images.len() > 1 {
                subtrees.push(child);
            }
        }
    }
}

/// Up to image 0: every image receives from all children, one after the other, and then sends. `bytes` gives the length
/// of a message by the number of images in the subtree.
pub fn up(network: &mut Network, shape: Shape, bytes: impl Fn(usize) -> u64) {
    let mut packets = vec![Packet::default(); network.images()];
    // Subtrees with more than their root, each before its parts.
    let mut subtrees = vec![whole(network)];
    let mut next = 0;
    while next < subtrees.len() {
        let children = shape.children(&subtrees[next]);
        subtrees.extend(children.into_iter().filter(|child| child.images.len() > 1));
        next += 1;
    }
    while let Some(subtree) = subtrees.pop() {
        let root = subtree.images.start;
        for child in shape.children(&subtree) {
            let from = child.images.start;
            if child.images.len() == 1 {
                packets[from] = network.send(from, root, bytes(1));
            }
            network.receive(root, packets[from]);
        }
        if let Some(parent) = subtree.parent {
            packets[root] = network.send(root, parent, bytes(subtree.images.len()));
        }
    }
}
