//! Which way items go: in one hop, or in two, along the rows and columns of a grid of images.
//!
//! In two hops an item goes along the row of its source to the column of its target, and then along that column:
//!
//! ```text
//!   .   source ──▶ relay   .        an image has links with its row and its column only,
//!   .      .         │     .        about 2 sqrt(N) of N images
//!   .      .         ▼     .
//!   .      .       target  .
//! ```
//!
//! If the last row is short and has no such relay, the item goes along the column of the source first: the target is in a full row then.
//!
//! Links to relays are links of their own. A relay takes items from these only, and sends them on by links to targets, which the targets empty
//! whatever else they wait for. So no circle of full buffers can form. All items from one image to another go the same way, in their order.

/// The most images that reach each other in one hop, unless the program asks for it.
const ONE_HOP: usize = 64;

/// How many hops an item takes to its image.
///
/// # Examples
/// See [`ConveyorOptions`](super::ConveyorOptions).
///
/// # Source
/// Its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hops {
    /// One hop for up to 64 images, two for more.
    #[default]
    Automatic,
    /// Straight to its image. Each image has buffers for all others.
    One,
    /// By way of a third image: buffers grow with the square root of the number of images.
    Two,
}

/// The links of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routes {
    images: usize,
    /// How many images are in a row of the grid; none if all items take one hop.
    columns: Option<usize>,
}

impl Routes {
    pub(super) fn new(images: usize, hops: Hops) -> Self {
        let has_two = match hops {
            Hops::Automatic => images > ONE_HOP,
            Hops::One => false,
            Hops::Two => true,
        };
        let columns = (1..=images).find(|columns| columns * columns >= images);
        Self {
            images,
            columns: columns.filter(|_| has_two),
        }
    }

    pub(super) fn has_two_hops(&self) -> bool {
        self.columns.is_some()
    }

    /// How many links each image has that end at targets; as many end at relays, if there are relays.
    pub(super) fn neighbours(&self) -> usize {
        match self.columns {
            Some(columns) => columns + self.images.div_ceil(columns),
            None => self.images,
        }
    }

    /// How many links each image has, used or not.
    pub(super) fn links(&self) -> usize {
        self.neighbours() * if self.has_two_hops() { 2 } else { 1 }
    }

    /// The other end of a link of image `of`, if the link is in use.
    pub(super) fn peer(&self, of: usize, link: usize) -> Option<usize> {
        let Some(columns) = self.columns else {
            return Some(link);
        };
        let (row, column) = (of / columns, of % columns);
        let neighbour = link % self.neighbours();
        let is_relay = link >= self.neighbours();
        let (peer, is_used) = match neighbour.checked_sub(columns) {
            // In its row: itself, too, but it relays nothing to itself.
            None => (row * columns + neighbour, !is_relay || neighbour != column),
            Some(other) => {
                // Only a short last row makes items go along columns first.
                let is_short = !self.images.is_multiple_of(columns);
                (
                    other * columns + column,
                    other != row && (!is_relay || is_short),
                )
            }
        };
        (is_used && peer < self.images).then_some(peer)
    }

    /// The link of image `of` that ends at `to`, in its row or its column.
    pub(super) fn link_between(&self, of: usize, to: usize, is_relay: bool) -> usize {
        let Some(columns) = self.columns else {
            return to;
        };
        let neighbour = match of / columns == to / columns {
            true => to % columns,
            false => columns + to / columns,
        };
        neighbour + if is_relay { self.neighbours() } else { 0 }
    }

    /// The link by which an item leaves image `from` on its way to `to`.
    pub(super) fn first_link(&self, from: usize, to: usize) -> usize {
        match self.relay(from, to) {
            Some(relay) => self.link_between(from, relay, true),
            None => self.link_between(from, to, false),
        }
    }

    fn relay(&self, from: usize, to: usize) -> Option<usize> {
        let columns = self.columns?;
        if from / columns == to / columns || from % columns == to % columns {
            return None;
        }
        let relay = from / columns * columns + to % columns;
        Some(match relay < self.images {
            true => relay,
            false => to / columns * columns + from % columns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_arrives_in_at_most_two_hops_by_links_that_both_ends_know() {
        for images in 1..70 {
            for hops in [Hops::One, Hops::Two] {
                let routes = Routes::new(images, hops);
                for from in 0..images {
                    for to in 0..images {
                        let link = routes.first_link(from, to);
                        let next = routes.peer(from, link).unwrap();
                        if link < routes.neighbours() {
                            assert_eq!(next, to, "{images} images, from {from}");
                        } else {
                            let second = routes.link_between(next, to, false);
                            assert_eq!(routes.peer(next, second), Some(to));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_link_that_one_end_has_the_other_has_too() {
        for images in 1..70 {
            for hops in [Hops::One, Hops::Two] {
                let routes = Routes::new(images, hops);
                for image in 0..images {
                    for link in 0..routes.links() {
                        let is_relay = link >= routes.neighbours();
                        if let Some(peer) = routes.peer(image, link) {
                            assert_eq!(routes.link_between(image, peer, is_relay), link);
                            let back = routes.link_between(peer, image, is_relay);
                            assert_eq!(routes.peer(peer, back), Some(image));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn links_grow_with_the_square_root_of_the_images() {
        assert_eq!(Routes::new(64, Hops::Automatic).links(), 64);
        assert_eq!(Routes::new(1024, Hops::Automatic).links(), 128);
        assert_eq!(Routes::new(1000, Hops::Two).links(), 128);
    }
}
