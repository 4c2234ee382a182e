//! How cells get to the neighbours, once these have said that their halo is free.

use std::panic::Location;

use coarray_coref::Remote;
use coarray_fabric::reach;
use coarray_sync::{CoatomicPlace, CoeventPlace};

use super::exchange::{filled, free};
use super::halo_array::HaloArray;
use super::kind::Kind;
use super::plan::{Arrival, Plan, Send, Transfer};

/// How often an image that hears a bell looks for the event that goes with it. That may be overtaken by the bell, between
/// images that share no memory. Or the bell is of an image that is two exchanges ahead, after one in which it was no
/// neighbour; then another one is as good, whose own bell will stand for this.
const PATIENCE: usize = 10_000;

impl<T: Remote, const D: usize> HaloArray<T, D> {
    /// Tells those who have cells for this image that its halo is free.
    pub(super) fn announce(&self, plan: &Plan, bell: usize) {
        let is_news = self.last.replace(plan.code) != plan.code;
        for Arrival { image, lane, .. } in &plan.arrivals {
            if is_news {
                self.told.at(*image)[*lane].store(plan.code);
            }
            let events = self.events.at(*image);
            events[free(*lane)].post();
            events[bell].post();
        }
    }

    /// Sends to one of the waiting, after the bell was rung: to one whose halo is free.
    #[track_caller]
    pub(super) fn serve_one(
        &self,
        plan: &Plan,
        waiting: &mut Vec<usize>,
        caller: &'static Location<'static>,
    ) {
        let is_free = |&turn: &usize| {
            let lane = plan.sends[waiting[turn]].lane;
            self.events[free(lane)].try_wait() == Ok(true)
        };
        let mut turns = (0..waiting.len()).cycle().take(PATIENCE);
        let turn = turns.find(is_free).unwrap_or_else(|| {
            let Send { lane, image, .. } = plan.sends[waiting[0]];
            self.await_neighbour(free(lane), image, caller);
            0
        });
        let send = &plan.sends[waiting.swap_remove(turn)];
        self.send(plan.code, send);
    }

    /// Fills the halo of an image that has said it is free.
    ///
    /// # Panics
    /// If that image is in another kind of exchange.
    #[track_caller]
    fn send(&self, code: u64, send: &Send) {
        let told = self.told[send.lane].load();
        if told != code {
            kinds_differ::<D>(send.image, told, code);
        }
        let number = self.storage.team().members()[send.image] as usize;
        let image = self.storage.image();
        let target = image.heap(number).wrapping_add(self.storage.offset());
        for transfer in &send.transfers {
            match transfer {
                Transfer::Straight(copy) if image.is_direct(number) => {
                    // SAFETY: the receiver's part lies at the same offset of its heap, which is mapped, and has the layout
                    // of the plan, as all images agreed on blocks and halo when they made the array. It has said that its
                    // halo is free: it has no reference to it, and awaits our event before it makes one. Of the senders each
                    // has cells of its own there. The source is in our interior, which nobody changes during an exchange.
                    unsafe { copy.copy(self.first(), target.cast::<T>()) };
                }
                Transfer::Packed(copy, landing) if image.is_direct(number) => {
                    // SAFETY: where the cells land is room for as many behind the cells of every part, where no reference
                    // leads, and to which only we write in this direction, when the receiver awaits it.
                    unsafe { copy.copy(self.first(), target.cast::<T>().add(*landing)) };
                }
                Transfer::Straight(copy) => copy.each_run(|source, to, run| {
                    // SAFETY: as above; the runs lie in the boxes of the plan.
                    unsafe { put(number, target, to, self.first().add(source), run) }
                }),
                Transfer::Packed(copy, landing) => {
                    let mut packed = self.packed.borrow_mut();
                    packed.clear();
                    packed.reserve(copy.cells());
                    // SAFETY: the buffer has room for the cells, which then lie in it side by side. Where they land: as above.
                    unsafe {
                        copy.copy(self.first(), packed.as_mut_ptr());
                        put(number, target, *landing, packed.as_ptr(), copy.cells());
                    }
                }
            }
        }
        self.events.at(send.image)[filled(send.lane)].post();
    }
}

/// Puts `count` cells to the cell `to` of a part of the image with that number, through the fabric.
///
/// # Safety
/// `source` is valid for reads of so many cells, and the part at `target` has them; nobody refers to them there.
unsafe fn put<T: Remote>(
    number: usize,
    target: *mut u8,
    to: usize,
    source: *const T,
    count: usize,
) {
    let address = target.addr() + to * size_of::<T>();
    reach(number, address, |fabric, offset| {
        // SAFETY: passed on.
        unsafe { fabric.put(number, offset, source.cast(), count * size_of::<T>()) };
    });
}

#[cold]
#[track_caller]
fn kinds_differ<const D: usize>(image: usize, theirs: u64, ours: u64) -> ! {
    panic!(
        "image {image} exchanges {}, but this image {}; all images must exchange the same parts of a halo array in the same order",
        Kind::<D>::describe(theirs),
        Kind::<D>::describe(ours)
    )
}
