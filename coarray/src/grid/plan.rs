//! The plan of an exchange on this image: its sends, receives and copies, computed once for each kind of exchange of an array.
//!
//! A *lane* is one direction between two neighbours: its number also numbers its events and its receive window.

use super::blocks::Blocks;
use super::cell_set::CellSet;
use super::halo::Halo;
use super::layout::Layout;
use super::receive_window::ReceiveWindows;
use super::strided::StridedCopy;

/// Runs of fewer bytes are packed for images that this image does not reach by load and store: a put of each run would cost
/// more than two copies in memory.
const SHORT: usize = 8192;

/// Runs of fewer bytes are packed for all images. The cells of such a halo share cache lines with cells that their owner sends at
/// the same time: written one by one, they would be false sharing.
const SHORTEST: usize = 128;

/// The part of an exchange that does not change from one to the next.
#[derive(Debug)]
pub(super) struct Plan {
    /// The code of its kind.
    pub(super) code: u64,
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
    pub(super) transfers: Vec<Transfer>,
}

/// Cells from another image.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) image: usize,
    /// The number of the events for it.
    pub(super) lane: usize,
    /// Where they arrive: straight in the halo, or packed in a receive window, and then with the copy from there.
    pub(super) transfers: Vec<Transfer>,
}

/// Cells that move in one direction, as the sender and the receiver see it.
#[derive(Debug)]
pub(super) enum Transfer {
    /// From the block to the other's halo.
    Straight(StridedCopy),
    /// Packed, to the receive window that starts at this cell of the other's part.
    Packed(StridedCopy, usize),
}

/// The input of a plan.
pub(super) struct Setting<'a, const D: usize> {
    pub(super) blocks: &'a Blocks<D>,
    pub(super) halo: Halo<D>,
    pub(super) kind: CellSet<D>,
    pub(super) windows: &'a ReceiveWindows,
    pub(super) cell_bytes: usize,
}

/// The number of lanes: one for each direction, and one for no direction, which has no neighbour.
pub(super) const fn lanes(dimensions: usize) -> usize {
    3usize.pow(dimensions as u32)
}

/// The direction with that number.
pub(super) fn direction<const D: usize>(mut number: usize) -> [isize; D] {
    let mut direction = [0; D];
    for axis in (0..D).rev() {
        direction[axis] = (number % 3) as isize - 1;
        number /= 3;
    }
    direction
}

impl Plan {
    /// The plan of this image. `is_direct` says which images are reached by load and store.
    pub(super) fn new<const D: usize>(
        setting: &Setting<'_, D>,
        is_direct: impl Fn(usize) -> bool,
    ) -> Self {
        let grid = setting.blocks.grid();
        let me = grid.image();
        let mut plan = Self {
            code: setting.kind.code(),
            sends: Vec::new(),
            arrivals: Vec::new(),
            own: Vec::new(),
        };
        for number in 0..lanes(D) {
            let way = direction::<D>(number);
            if !setting.kind.includes(way) {
                continue;
            }
            if let Some(to) = grid.neighbour(way) {
                let copy = setting.copy(me, to, way);
                if to == me {
                    plan.own.push(copy);
                } else {
                    let transfer = match setting.window(number, &copy, is_direct(to)) {
                        Some(window) => Transfer::Packed(setting.pack(me, way), window),
                        None => Transfer::Straight(copy),
                    };
                    plan.send(to, setting.lane(me, to), transfer);
                }
            }
            let from = grid.neighbour(way.map(|step| -step));
            if let Some(from) = from.filter(|&from| from != me) {
                let copy = setting.copy(from, me, way);
                let transfer = match setting.window(number, &copy, is_direct(from)) {
                    Some(window) => Transfer::Packed(setting.unpack(me, way, window), window),
                    None => Transfer::Straight(copy),
                };
                plan.expect(from, setting.lane(from, me), transfer);
            }
        }
        plan
    }

    fn send(&mut self, image: usize, lane: usize, transfer: Transfer) {
        match self.sends.iter_mut().find(|send| send.image == image) {
            Some(send) => send.transfers.push(transfer),
            None => self.sends.push(Send {
                image,
                lane,
                transfers: vec![transfer],
            }),
        }
    }

    fn expect(&mut self, image: usize, lane: usize, transfer: Transfer) {
        let known = self.arrivals.iter_mut().find(|from| from.image == image);
        match known {
            Some(arrival) => arrival.transfers.push(transfer),
            None => self.arrivals.push(Arrival {
                image,
                lane,
                transfers: vec![transfer],
            }),
        }
    }
}

impl<const D: usize> Setting<'_, D> {
    fn layout(&self, image: usize) -> Layout<D> {
        Layout::new(self.blocks.block_shape(image), self.halo)
    }

    /// The copy of the cells that move in direction `way` between two images.
    fn copy(&self, from: usize, to: usize, way: [isize; D]) -> StridedCopy {
        let (from, to) = (self.layout(from), self.layout(to));
        let (source, target) = (
            from.boundary(way, &self.kind.width),
            to.margin(way, &self.kind.width),
        );
        StridedCopy::new(&from, &source, &to, &target)
    }

    /// The copy of the cells that image `from` sends in direction `way` to a buffer, where they lie side by side.
    fn pack(&self, from: usize, way: [isize; D]) -> StridedCopy {
        let from = self.layout(from);
        let source = from.boundary(way, &self.kind.width);
        let packed = Layout::packed(&source);
        StridedCopy::new(&from, &source, &packed, &packed.all())
    }

    /// The copy of cells that lie side by side from `window` on to the halo of image `to`.
    fn unpack(&self, to: usize, way: [isize; D], window: usize) -> StridedCopy {
        let to = self.layout(to);
        let target = to.margin(way, &self.kind.width);
        let packed = Layout::packed(&target);
        StridedCopy::new(&packed, &packed.all(), &to, &target).with_later_source(window)
    }

    /// The receive window for cells that move in direction `number`, if they are packed. Sender and receiver compute the same.
    fn window(&self, number: usize, copy: &StridedCopy, is_direct: bool) -> Option<usize> {
        let short = if is_direct { SHORTEST } else { SHORT };
        let is_packed = copy.is_scattered(short.div_ceil(self.cell_bytes));
        self.windows.of(number).filter(|_| is_packed)
    }

    /// The lane of cells that move between two images: the first direction from one to the other. Two images that are neighbours
    /// in several directions have one lane, in every kind of exchange.
    fn lane(&self, from: usize, to: usize) -> usize {
        let leads = |&number: &usize| {
            let neighbour = self
                .blocks
                .grid()
                .neighbour_of(from, direction::<D>(number));
            neighbour == Some(to)
        };
        let lane = (0..lanes(D)).find(leads);
        lane.expect("cells move between neighbours only")
    }
}
