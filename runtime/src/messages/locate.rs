//! The image and offset of something in the memory of a job, and whether the fabric or an instruction operates on it.

use std::rc::Rc;

use crate::image::Image;
use coarray_fabric::memory::locality::{Place, is_mapped, refuse_strangers};
use coarray_fabric::transport::pending::has_outstanding;

/// The image of this thread and the place of the coatomic at `address`, if the fabric must carry out operations on it: if the coatomic is
/// in the memory of this image's job, and that spans nodes.
///
/// For a local variable, another job or a job of one machine it is none: the caller uses an instruction. What the image has issued, perhaps
/// to the same place, is completed then. So the address of a coref for which this returns none is mapped.
///
/// # Panics
/// If the address is in the memory of a job on several nodes, and this thread is no image of that job.
#[must_use]
pub fn locate(address: usize) -> Option<(Rc<Image>, Place)> {
    let image = Image::try_current();
    let place = image.as_ref().and_then(|image| image.locate(address));
    let (Some(image), Some(place)) = (image, place) else {
        refuse_strangers(address);
        return None;
    };
    if image.spans_nodes() {
        return Some((image, place));
    }
    if has_outstanding() {
        match image.scheduled() {
            Some(scheduled) => scheduled.complete_at(place),
            None => image.fabric().quiet(),
        }
    }
    None
}

impl Image {
    /// Whether the images of the job are on several nodes: then coatomics are changed by the fabric, never by instructions.
    #[inline]
    #[must_use]
    pub fn spans_nodes(&self) -> bool {
        self.network.is_some()
    }

    /// The place at an address of this image's mapping, if it is in the part of any image.
    #[must_use]
    pub fn locate(&self, address: usize) -> Option<Place> {
        let (image, offset) = self.job.region.locate(address)?;
        Some(Place { image, offset })
    }

    /// The place at an address at which this image maps memory of the part of `owner`; none in another job.
    #[inline]
    #[must_use]
    pub fn place_on(&self, owner: usize, address: usize) -> Option<Place> {
        if owner >= self.images {
            return None;
        }
        let part = self.job.region.part_address(owner, 0).addr();
        let offset = address
            .checked_sub(part)
            .filter(|&offset| offset < self.stride())?;
        Some(Place {
            image: owner,
            offset,
        })
    }

    /// Whether this image and `image` share the memory of their node.
    #[inline]
    #[must_use]
    pub fn shares_memory_with(&self, image: usize) -> bool {
        !self.spans_nodes() || self.job.nodes.share(self.index, image)
    }

    /// Whether an address is in the memory of another job of this process.
    #[must_use]
    pub fn is_in_another_job(&self, address: usize) -> bool {
        self.locate(address).is_none() && is_mapped(address, |_| true)
    }

    /// The place of a control structure with an address in this image's mapping, if it belongs to an image on another node.
    #[inline]
    #[must_use]
    pub(crate) fn remote_place<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        self.network.as_ref()?;
        let place = self.locate(std::ptr::from_ref(thing).cast::<u8>().addr())?;
        (!self.job.nodes.share(self.index, place.image)).then_some(place)
    }
}
