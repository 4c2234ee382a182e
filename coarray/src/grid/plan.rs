//! What an exchange has to do on this image: computed once for each kind of exchange of an array.

use super::blocks::Blocks;
use super::halo::{Exchange, Halo};
use super::layout::Layout;
use super::strided::StridedCopy;

/// Everything about an exchange that does not change from one to the next.
#[derive(Debug)]
pub(super) struct Plan {
    /// For each image that gets cells from this one.
    pub(super) sends: Vec<Send>,
    /// For each image that this one gets cells from.
    pub(super) arrivals: Vec<Arrival>,
    /// From this image to itself, where it is its own neighbour.
    pub(super) own: Vec<StridedCopy>,
}

/// Cells for another image.
#[derive(Debug)]
pub(super) struct Send {
    pub(super) image: usize,
    /// The number of the events for it.
    pub(super) lane: usize,
    /// One for each direction in which that image is a neighbour.
    pub(super) copies: Vec<StridedCopy>,
}

/// Cells from another image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) image: usize,
    /// The number of the events for it.
    pub(super) lane: usize,
}

/// How many directions there are, the one that leads nowhere included: numbers of lanes are below.
pub(super) const fn lanes(dimensions: usize) -> usize {
    3usize.pow(dimensions as u32)
}

/// The direction with that number.
fn direction<const D: usize>(mut lane: usize) -> [isize; D] {
    let mut direction = [0; D];
    for axis in (0..D).rev() {
        direction[axis] = (lane % 3) as isize - 1;
        lane /= 3;
    }
    direction
}

impl Plan {
    /// The plan of this image for an exchange in arrays with these blocks and this halo.
    ///
    /// Between two images there is one pair of events in each sense, whatever the number of directions in which they
    /// are neighbours. It has the lowest of the directions' numbers, as the data move: so both know it.
    pub(super) fn new<const D: usize>(
        blocks: &Blocks<D>,
        halo: Halo<D>,
        exchange: &Exchange<D>,
        width: &Halo<D>,
    ) -> Self {
        let grid = blocks.grid();
        let me = grid.image();
        let layout_of = |image| Layout::new(blocks.block_shape(image), halo);
        let layout = layout_of(me);
        let mut plan = Self {
            sends: Vec::new(),
            arrivals: Vec::new(),
            own: Vec::new(),
        };
        for lane in 0..lanes(D) {
            let direction = direction::<D>(lane);
            let steps = direction.iter().filter(|&&step| step != 0).count();
            if steps == 0 || exchange.is_faces_only() && steps > 1 || is_empty(direction, width) {
                continue;
            }
            if let Some(image) = grid.neighbour(direction) {
                let to = layout_of(image);
                let copy = StridedCopy::new(
                    &layout,
                    &layout.boundary(direction, width),
                    &to,
                    &to.margin(direction, width),
                );
                plan.send(image, me, lane, copy);
            }
            match grid.neighbour(direction.map(|step| -step)) {
                Some(image) if image != me => plan.expect(image, lane),
                _ => {}
            }
        }
        plan
    }

    fn send(&mut self, image: usize, me: usize, lane: usize, copy: Option<StridedCopy>) {
        let Some(copy) = copy else {
            return;
        };
        if image == me {
            return self.own.push(copy);
        }
        match self.sends.iter_mut().find(|send| send.image == image) {
            Some(send) => send.copies.push(copy),
            None => self.sends.push(Send {
                image,
                lane,
                copies: vec![copy],
            }),
        }
    }

    fn expect(&mut self, image: usize, lane: usize) {
        if self.arrivals.iter().all(|arrival| arrival.image != image) {
            self.arrivals.push(Arrival { image, lane });
        }
    }
}

/// Whether the halo in which data that move in this direction arrive has no width.
fn is_empty<const D: usize>(direction: [isize; D], width: &Halo<D>) -> bool {
    (0..D).any(|axis| match direction[axis] {
        0 => false,
        1 => width.lower[axis] == 0,
        _ => width.upper[axis] == 0,
    })
}
