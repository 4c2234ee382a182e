//! The sending half of an exchange: cells go to a neighbour once it has posted that its halo is free.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_fabric::{attribute_to, attribute_to_library, reach};
use coarray_sync::{CoatomicPlace, CoeventPlace};

use super::cell_set::CellSet;
use super::exchange::{filled, free};
use super::halo_array::HaloArray;
use super::missing::Unfinished;
use super::plan::{Arrival, Plan, Send, Transfer};

/// How often an image polls for a "free" after the doorbell. Between images that share no memory the doorbell may overtake its
/// "free". Or it comes from an image that is two exchanges ahead, after one in which it was no neighbour: then the image waits
/// for any other "free", whose own doorbell makes up for this one.
const SPINS: usize = 10_000;

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Posts "my halo is free", and the doorbell, to all images that have cells for this image; announces the kind of exchange
    /// if it has changed.
    pub(super) fn announce(&self, plan: &Plan, bell: usize) {
        let _own = self.is_seen().then(attribute_to_library);
        let has_changed = self.last.replace(plan.code) != plan.code;
        for Arrival { image, lane, .. } in &plan.arrivals {
            if has_changed {
                self.announced.at(*image)[*lane].store(plan.code);
            }
            let events = self.events.at(*image);
            events[free(*lane)].post();
            events[bell].post();
        }
    }

    /// After the doorbell: serves one of the waiting sends, one whose receiver's halo is free.
    #[track_caller]
    pub(super) fn serve_one(
        &self,
        plan: &Plan,
        waiting: &mut Vec<usize>,
        caller: &'static Location<'static>,
    ) -> Result<(), Unfinished> {
        let is_free = |&position: &usize| {
            let lane = plan.sends[waiting[position]].lane;
            self.takes_post(free(lane))
        };
        let mut positions = (0..waiting.len()).cycle().take(SPINS);
        let position = match positions.find(is_free) {
            Some(position) => position,
            None => {
                let Send { lane, image, .. } = plan.sends[waiting[0]];
                self.await_neighbour(free(lane), image, caller)?;
                0
            }
        };
        let send = &plan.sends[waiting.swap_remove(position)];
        self.send(plan.code, send, caller);
        Ok(())
    }

    /// Whether something sees what the image moves: the cells at the exchange, and the rest for nobody.
    pub(super) fn is_seen(&self) -> bool {
        self.storage.image().is_observed()
    }

    /// Sends cells to an image whose halo is free, and posts "your halo is filled".
    ///
    /// # Panics
    /// If that image is in another kind of exchange.
    #[track_caller]
    fn send(&self, code: u64, send: &Send, caller: &'static Location<'static>) {
        let own = self.is_seen().then(attribute_to_library);
        let announced = self.announced[send.lane].load();
        drop(own);
        if announced != code {
            kinds_differ::<D>(send.image, announced, code);
        }
        let number = self.storage.team().members()[send.image] as usize;
        let image = self.storage.image();
        let target = image.heap(number).wrapping_add(self.storage.offset());
        let at_exchange = self.is_seen().then(|| attribute_to(caller));
        for transfer in &send.transfers {
            match transfer {
                Transfer::Straight(copy) if image.is_direct(number) => {
                    // SAFETY: both parts have the layouts of the plan: all images agreed on blocks and halo at the creation, and
                    // the receiver's part lies at the same offset of its heap, which is mapped. The source cells are in this
                    // image's interior, which is valid and which nobody changes during an exchange. The target cells are in the
                    // receiver's halo, which is free: it makes no reference to it before it has seen "filled". Every sender
                    // has target cells of its own.
                    unsafe { copy.copy(self.first(), target.cast::<T>()) };
                }
                Transfer::Packed(copy, window) if image.is_direct(number) => {
                    // SAFETY: the source as for a straight transfer: valid cells that nobody changes. The window lies behind
                    // the cells of every part and has room for these; there are no references to it, and only this image
                    // writes to it, between the receiver's "free" and "filled".
                    unsafe { copy.copy(self.first(), target.cast::<T>().add(*window)) };
                }
                Transfer::Straight(copy) => copy.each_run(|source, to, run| {
                    // SAFETY: the runs lie in the boxes of the plan. The source run is valid cells of the interior, which nobody
                    // changes; the target run is in the receiver's halo, which is free, and to which nobody has a reference.
                    unsafe { put(number, target, to, self.first().add(source), run) }
                }),
                Transfer::Packed(copy, window) => {
                    let mut packed = self.packed.borrow_mut();
                    packed.clear();
                    packed.reserve(copy.cells());
                    // SAFETY: the source cells are valid and nobody changes them; the buffer has room for them, and then they lie
                    // in it side by side. The window has room for them, too, and nobody has a reference to it.
                    unsafe {
                        copy.copy(self.first(), packed.as_mut_ptr());
                        put(number, target, *window, packed.as_ptr(), copy.cells());
                    }
                }
            }
        }
        drop(at_exchange);
        let _own = self.is_seen().then(attribute_to_library);
        self.events.at(send.image)[filled(send.lane)].post();
    }
}

/// Puts `count` cells to a part on image `number`, from its cell `to` on, through the fabric.
///
/// # Safety
/// `source` is valid for reads of `count` cells. The part at `target` has `count` cells from `to` on, and nobody holds a
/// reference to them.
unsafe fn put<T: Remote>(
    number: usize,
    target: *mut u8,
    to: usize,
    source: *const T,
    count: usize,
) {
    let address = target.addr() + to * size_of::<T>();
    reach(number, address, |fabric, offset| {
        // SAFETY: the caller vouches that `source` is valid for reads of the cells, and that the part has them and nobody holds a
        // reference to them.
        unsafe { fabric.put(number, offset, source.cast(), count * size_of::<T>()) };
    });
}

#[cold]
#[track_caller]
fn kinds_differ<const D: usize>(image: usize, theirs: u64, ours: u64) -> ! {
    panic!(
        "image {image} exchanges {}, but this image {}; all images must exchange the same parts of a halo array in the same order",
        CellSet::<D>::describe(theirs),
        CellSet::<D>::describe(ours)
    )
}
