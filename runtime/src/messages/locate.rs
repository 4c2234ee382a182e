//! The image and offset of a shared object, by its address.

use crate::image::Image;
use coarray_fabric::memory::locality::{Place, is_mapped, refuse_strangers};
use coarray_fabric::transport::pending::has_outstanding;

/// Calls `operate` with the image of this thread and the place of `thing`, if that is in the memory of its job and the
/// images of the job do not all share memory. For a local variable, or another job, the caller uses an instruction.
/// What the image has issued, perhaps to the same place, is completed first.
///
/// # Panics
/// If `thing` is in the memory of a job on several nodes, and this thread is no image of that job.
#[cold]
#[inline(never)]
pub fn locate<T: ?Sized, R>(thing: &T, operate: impl FnOnce(&Image, Place) -> R) -> Option<R> {
    let Some(image) = Image::try_current() else {
        refuse_strangers(thing);
        return None;
    };
    match image.locate(thing) {
        Some(place) if image.network.is_some() => return Some(operate(&image, place)),
        Some(_) if has_outstanding() => image.fabric().quiet(),
        Some(_) => {}
        None => refuse_strangers(thing),
    }
    None
}

impl Image {
    /// The place of an object with an address on this node, if it is in the part of any image.
    #[must_use]
    pub fn locate<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        let address = std::ptr::from_ref(thing).cast::<u8>().addr();
        let (image, offset) = self.job.region.locate(address)?;
        Some(Place { image, offset })
    }

    /// Whether an object is in the memory of another job of this process.
    #[must_use]
    pub fn is_in_another_job<T: ?Sized>(&self, thing: &T) -> bool {
        self.locate(thing).is_none() && is_mapped(thing, |_| true)
    }

    /// The place of an object with an address on this node, if it belongs to an image on another node.
    #[inline]
    #[must_use]
    pub fn remote_place<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        self.network.as_ref()?;
        let place = self.locate(thing)?;
        (!self.job.nodes.share(self.index, place.image)).then_some(place)
    }
}
