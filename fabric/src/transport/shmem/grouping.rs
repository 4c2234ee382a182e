//! Which images share memory, from what each of them says that it reaches.

/// A set of images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach(Vec<u8>);

impl Reach {
    /// Bytes of a set of images, out of this number.
    pub(super) fn bytes(images: usize) -> usize {
        images.div_ceil(8)
    }

    /// Those images of all that `is_reached` says.
    pub(super) fn new(images: usize, is_reached: impl Fn(usize) -> bool) -> Self {
        let mut bits = vec![0; Self::bytes(images)];
        for image in (0..images).filter(|&image| is_reached(image)) {
            bits[image / 8] |= 1 << (image % 8);
        }
        Self(bits)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn has(&self, image: usize) -> bool {
        self.0[image / 8] >> (image % 8) & 1 == 1
    }
}

/// The lowest image of each one's node. Images of one node all reach each other, both ways: each joins the first node
/// of which that is true, and makes one of its own otherwise. All images that ask get the same answer.
pub(super) fn nodes(reach: &[Reach]) -> Vec<usize> {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut lowest = vec![0; reach.len()];
    for image in 0..reach.len() {
        let reach_each_other = |other: &usize| reach[*other].has(image) && reach[image].has(*other);
        let node = match members
            .iter_mut()
            .find(|node| node.iter().all(reach_each_other))
        {
            Some(node) => node,
            None => {
                members.push(Vec::new());
                members.last_mut().expect("just pushed")
            }
        };
        node.push(image);
        lowest[image] = node[0];
    }
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(images: usize, reaches: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let reach: Vec<_> = (0..images)
            .map(|image| Reach::new(images, |other| reaches(image, other)))
            .map(|reach| Reach::from_bytes(reach.as_bytes()))
            .collect();
        nodes(&reach)
    }

    #[test]
    fn images_that_reach_each_other_are_one_node() {
        assert_eq!(grouped(10, |_, _| true), [0; 10]);
        assert_eq!(
            grouped(5, |one, other| one % 2 == other % 2),
            [0, 1, 0, 1, 0]
        );
    }

    #[test]
    fn images_alone_are_nodes() {
        assert_eq!(grouped(9, |_, _| false), (0..9).collect::<Vec<_>>());
        assert_eq!(grouped(3, |one, other| one == other), [0, 1, 2]);
    }

    #[test]
    fn all_of_a_node_reach_each_other() {
        // 1 reaches everybody, but 0 and 2 not each other; 3 reaches 2, which does not reach it.
        let pairs = [(0, 1), (1, 0), (1, 2), (2, 1), (3, 2)];
        let reaches = |one, other| one == other || pairs.contains(&(one, other));
        assert_eq!(grouped(4, reaches), [0, 0, 2, 3]);
    }
}
