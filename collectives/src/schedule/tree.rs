//! Trees over the images, in which every subtree is a range of consecutive positions that begins with its root.
//!
//! So values that go up a tree are combined in the order of the images, and no operator needs to be commutative. Its order
//! says which image is at which position.

use std::ops::Range;

use crate::Algorithm;
use coarray_runtime::Team;

/// The images of an operation, and on which nodes they are.
pub trait Group {
    /// How many they are.
    fn images(&self) -> usize;
    /// The node of an image. The images of a node follow one another.
    fn node(&self, image: usize) -> usize;
}

impl Group for Team {
    fn images(&self) -> usize {
        self.images()
    }

    fn node(&self, image: usize) -> usize {
        self.node(image)
    }
}

/// A tree over the positions `0 .. n`, with root 0, and the images at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    shape: Shape,
    positions: usize,
    order: Order,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Flat,
    Binomial,
    FourAry,
    SquareRoot,
    /// The first position of each node, and the end.
    Nodes(Vec<usize>),
}

/// The neighbourhood of a position in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeNode {
    /// None for the root.
    pub(crate) parent: Option<usize>,
    /// This position and those below it.
    pub(crate) subtree: Range<usize>,
    /// The subtrees of its children, one after the other.
    pub(crate) children: Vec<Range<usize>>,
}

impl Tree {
    /// The tree of `algorithm` in which image `root` is first; flat if the algorithm has none.
    pub(crate) fn from(root: usize, algorithm: Algorithm, group: &impl Group) -> Self {
        Self::new(algorithm, group, Order::from(root, algorithm, group))
    }

    /// The same over the images in their order.
    pub(crate) fn natural(algorithm: Algorithm, group: &impl Group) -> Self {
        Self::new(algorithm, group, Order::From(0, group.images()))
    }

    fn new(algorithm: Algorithm, group: &impl Group, order: Order) -> Self {
        let positions = group.images();
        let shape = match algorithm {
            Algorithm::Binomial => Shape::Binomial,
            Algorithm::FourAry => Shape::FourAry,
            Algorithm::SquareRoot => Shape::SquareRoot,
            Algorithm::Hierarchical => {
                let node = |position: &usize| group.node(order.image(*position));
                let starts =
                    (1..positions).filter(|position| node(position) != node(&(position - 1)));
                Shape::Nodes([0].into_iter().chain(starts).chain([positions]).collect())
            }
            _ => Shape::Flat,
        };
        Self {
            shape,
            positions,
            order,
        }
    }

    /// The number of images.
    pub(crate) fn images(&self) -> usize {
        self.positions
    }

    /// The image at a position.
    pub(crate) fn image(&self, position: usize) -> usize {
        self.order.image(position)
    }

    /// The position of an image.
    pub(crate) fn position(&self, image: usize) -> usize {
        self.order.position(image)
    }

    /// The node of an image.
    pub(crate) fn node_of(&self, image: usize) -> TreeNode {
        self.node(self.position(image))
    }

    /// The node of a position.
    pub(crate) fn node(&self, position: usize) -> TreeNode {
        if self.shape == Shape::Flat && position > 0 {
            // Not by way of all that are below the root.
            return TreeNode {
                parent: Some(0),
                subtree: position..position + 1,
                children: Vec::new(),
            };
        }
        let mut place = TreeNode {
            parent: None,
            subtree: 0..self.positions,
            children: self.children(0..self.positions, 0),
        };
        let mut depth = 0;
        while place.subtree.start != position {
            let above = place.subtree.start;
            let below = place.children.into_iter();
            let subtree = below
                .into_iter()
                .find(|child| child.contains(&position))
                .unwrap_or(position..position + 1);
            depth += 1;
            place = TreeNode {
                parent: Some(above),
                children: self.children(subtree.clone(), depth),
                subtree,
            };
        }
        place
    }

    /// The subtrees of the children of the root of `subtree`, which is `depth` levels below the root of the tree.
    fn children(&self, subtree: Range<usize>, depth: usize) -> Vec<Range<usize>> {
        let rest = subtree.start + 1..subtree.end;
        match &self.shape {
            Shape::Flat => singles(rest),
            Shape::Binomial => binomial(subtree.len())
                .map(|child| subtree.start + child.start..subtree.start + child.end)
                .collect(),
            Shape::FourAry => parts(rest, 4),
            Shape::SquareRoot if depth == 0 => {
                let heads = ceil_sqrt(rest.len());
                parts(rest, heads)
            }
            Shape::SquareRoot => singles(rest),
            Shape::Nodes(starts) => within_nodes(starts, subtree),
        }
    }
}

/// The subtrees of the children of the root of a binomial tree with `positions` positions.
fn binomial(positions: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::successors(Some(1_usize), |start| start.checked_mul(2));
    starts
        .take_while(move |&start| start < positions)
        .map(move |start| start..(2 * start).min(positions))
}

fn within_nodes(starts: &[usize], subtree: Range<usize>) -> Vec<Range<usize>> {
    let Ok(first) = starts.binary_search(&subtree.start) else {
        // Not the leader of a node.
        return Vec::new();
    };
    let nodes = starts[first..]
        .iter()
        .take_while(|&&start| start < subtree.end)
        .count();
    let start_of = |node: usize| starts[first + node];
    let own = singles(subtree.start + 1..start_of(1));
    let below = binomial(nodes).map(|child| start_of(child.start)..start_of(child.end));
    own.into_iter().chain(below).collect()
}

fn singles(range: Range<usize>) -> Vec<Range<usize>> {
    range.map(|position| position..position + 1).collect()
}

/// Divides a range into at most `most` parts of about the same length.
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

/// Which image is at which position.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Order {
    /// From a root on upwards, modulo the number of images.
    From(usize, usize),
    /// Any other order.
    Listed(Vec<usize>),
}

impl Order {
    /// An order that begins with `root`. For an algorithm that goes by nodes, the images of a node follow one another.
    fn from(root: usize, algorithm: Algorithm, group: &impl Group) -> Self {
        let images = group.images();
        if algorithm != Algorithm::Hierarchical {
            return Self::From(root, images);
        }
        let mut order: Vec<usize> = (0..images).collect();
        let root_node = group.node(root);
        order.sort_by_key(|&image| {
            let node = group.node(image);
            (image != root, node != root_node, node, image)
        });
        if order.is_sorted() {
            return Self::From(0, images);
        }
        Self::Listed(order)
    }

    /// The image at a position.
    fn image(&self, position: usize) -> usize {
        match self {
            Self::From(root, images) => (root + position) % images,
            Self::Listed(order) => order[position],
        }
    }

    /// The position of an image.
    fn position(&self, image: usize) -> usize {
        match self {
            Self::From(root, images) => (image + images - root) % images,
            Self::Listed(order) => order
                .iter()
                .position(|&listed| listed == image)
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shape: Shape, positions: usize) -> Tree {
        Tree {
            shape,
            positions,
            order: Order::From(0, positions),
        }
    }

    fn trees(positions: usize) -> impl Iterator<Item = Tree> {
        let nodes = |size: usize| {
            let starts = (0..positions).step_by(size).chain([positions]);
            Shape::Nodes(starts.collect())
        };
        [
            Shape::Flat,
            Shape::Binomial,
            Shape::FourAry,
            Shape::SquareRoot,
            nodes(1),
            nodes(3),
            nodes(8),
        ]
        .into_iter()
        .map(move |shape| of(shape, positions))
    }

    #[test]
    fn subtrees_are_ranges_that_follow_their_root_and_each_other() {
        for positions in 1..=70 {
            for tree in trees(positions) {
                for position in 0..positions {
                    let place = tree.node(position);
                    assert_eq!(place.subtree.start, position, "{tree:?}");
                    let mut end = position + 1;
                    for child in &place.children {
                        assert_eq!(child.start, end, "{tree:?} {position}");
                        assert!(!child.is_empty());
                        end = child.end;
                        let below = tree.node(child.start);
                        assert_eq!(below.parent, Some(position), "{tree:?}");
                        assert_eq!(below.subtree, *child, "{tree:?}");
                    }
                    assert_eq!(end, place.subtree.end, "{tree:?} {position}");
                }
            }
        }
    }

    #[test]
    fn nobody_in_a_square_root_tree_has_more_children_than_the_root_of_all() {
        for positions in 1..=300 {
            let tree = of(Shape::SquareRoot, positions);
            for position in 0..positions {
                let children = tree.node(position).children.len();
                assert!(
                    children <= ceil_sqrt(positions),
                    "{position} of {positions}"
                );
            }
        }
    }

    #[test]
    fn a_binomial_tree_has_as_many_levels_as_doublings() {
        for positions in 1..=130_usize {
            let tree = of(Shape::Binomial, positions);
            for position in 0..positions {
                let above = std::iter::successors(Some(position), |&at| tree.node(at).parent);
                let levels = positions.next_power_of_two().trailing_zeros() as usize;
                assert!(above.count() <= levels + 1);
                assert!(tree.node(position).children.len() <= levels);
            }
        }
    }

    #[test]
    fn nobody_in_a_four_ary_tree_has_more_than_four_children() {
        for positions in 1..=100 {
            let tree = of(Shape::FourAry, positions);
            assert!((0..positions).all(|position| tree.node(position).children.len() <= 4));
        }
    }
}
