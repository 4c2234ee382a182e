//! Memory for records and their payloads: taken from the image's own heap, and for small ones used again.

use std::collections::VecDeque;

use crate::call::Call;
use crate::heap::RaggedBlock;
use crate::image::Image;
use crate::image::descriptor::{ALIGN, DescriptorBuilder};
use crate::lockfree::log::Reclaimable;

/// Descriptors of at most this size have their payload inside. Without it, every record is as small. Their sizes are
/// rounded up to powers of two, and their blocks are used again.
const SMALL: usize = 4096;

/// The smallest size.
const SMALLEST: usize = 256;

/// Descriptors without their payload are taken from the heap so many at a time. One that lies behind a long payload would
/// keep the room of that from being used for anything larger, as long as the record is needed.
const STOCK: usize = 16;

/// Most bytes that are kept to be used again.
const SPARE_BYTES: usize = 1 << 18;

/// What records are for, in the words of an error about memory.
pub(crate) const SUBJECT: &str = "values of an asynchronous collective";

/// The records that an image has posted to one team, and blocks for more.
#[derive(Debug, Default)]
pub(crate) struct Descriptors {
    /// The number of the first that was not taken back.
    first: u64,
    places: VecDeque<Place>,
    /// The payloads beside their records that were not taken back, the oldest first.
    payloads: VecDeque<Payload>,
    spares: Vec<Place>,
    spare_bytes: usize,
}

#[derive(Debug)]
struct Place {
    block: RaggedBlock,
    size: usize,
}

#[derive(Debug)]
struct Payload {
    /// That of its record.
    number: u64,
    place: Place,
}

/// Where a record is to be written: offsets in the heap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) record: usize,
    /// Of its payload, if that is to be beside the record.
    pub(crate) payload: Option<usize>,
}

impl Descriptors {
    /// Whether everything was taken back.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.payloads.is_empty()
    }

    /// Whether payloads lie beside their records.
    pub(crate) fn has_payloads(&self) -> bool {
        !self.payloads.is_empty()
    }

    /// Places for a record that follows the others and for its payload.
    ///
    /// # Errors
    /// The number of bytes for which there is no room.
    pub(crate) fn take(
        &mut self,
        image: &Image,
        builder: &DescriptorBuilder<'_>,
        call: &Call,
    ) -> Result<Taken, usize> {
        let (bare, size) = (builder.bare_size(), builder.payload_size());
        if size <= SMALL - bare {
            let record = self.take_small(image, bare + size, call)?;
            return Ok(Taken {
                record,
                payload: None,
            });
        }
        self.stock_up(image, bare, call);
        let place = Place::new(image, size, call)?;
        let payload = place.block.offset();
        let record = match self.take_small(image, bare, call) {
            Ok(record) => record,
            Err(bytes) => {
                place.free(image);
                return Err(bytes);
            }
        };
        let number = self.first + self.places.len() as u64 - 1;
        self.payloads.push_back(Payload { number, place });
        image.unreclaimed.set(image.unreclaimed.get() + size);
        Ok(Taken {
            record,
            payload: Some(payload),
        })
    }

    /// Takes places for records of `size` bytes, as far as there is room, if none are left.
    fn stock_up(&mut self, image: &Image, size: usize, call: &Call) {
        let size = rounded(size);
        if self.spares.iter().any(|spare| spare.size == size) {
            return;
        }
        for _ in 0..STOCK {
            let Ok(place) = Place::new(image, size, call) else {
                return;
            };
            self.spare_bytes += size;
            self.spares.push(place);
        }
    }

    fn take_small(&mut self, image: &Image, size: usize, call: &Call) -> Result<usize, usize> {
        let size = rounded(size);
        let spare = self.spares.iter().rposition(|spare| spare.size == size);
        let place = match spare {
            Some(index) => {
                self.spare_bytes -= size;
                self.spares.swap_remove(index)
            }
            None => Place::new(image, size, call)?,
        };
        let offset = place.block.offset();
        self.places.push_back(place);
        Ok(offset)
    }

    /// Takes back what nobody needs.
    pub(crate) fn take_back(&mut self, image: &Image, reclaimable: Reclaimable) {
        // Who needs a record no more has finished with its payload.
        let finished = reclaimable.payloads.max(reclaimable.records);
        let is_over = |payload: &Payload| payload.number < finished;
        while self.payloads.front().is_some_and(is_over)
            && let Some(payload) = self.payloads.pop_front()
        {
            image
                .unreclaimed
                .set(image.unreclaimed.get() - payload.place.size);
            payload.place.free(image);
        }
        while self.first < reclaimable.records
            && let Some(place) = self.places.pop_front()
        {
            self.first += 1;
            if self.spare_bytes + place.size <= SPARE_BYTES {
                self.spare_bytes += place.size;
                self.spares.push(place);
            } else {
                place.free(image);
            }
        }
    }

    /// Frees what is kept to be used again.
    pub(crate) fn give_up_spares(&mut self, image: &Image) {
        self.spare_bytes = 0;
        for place in self.spares.drain(..) {
            place.free(image);
        }
    }
}

/// The size of the place for a record of `size` bytes.
fn rounded(size: usize) -> usize {
    size.next_power_of_two().max(SMALLEST)
}

impl Place {
    /// A place for `size` bytes, or that number if there is no room.
    fn new(image: &Image, size: usize, call: &Call) -> Result<Self, usize> {
        let block = image.allocate_ragged(size, ALIGN, SUBJECT, call.caller());
        block.map(|block| Self { block, size }).map_err(|_| size)
    }

    fn free(self, image: &Image) {
        // SAFETY: this image took the block for a record or a payload, which nobody reads any more.
        unsafe { image.free_ragged(self.block) };
    }
}
