//! Where something shared is, by its address.

use crate::image::Image;
use coarray_fabric::memory::locality::{Place, is_mapped, refuse_strangers};
use coarray_fabric::transport::pending::has_outstanding;

/// Calls `operate` with the image of this thread and the place of `thing`, if that is in the memory of its job and the
/// images of the job do not all share theirs. A local variable is not. For other jobs the caller uses an instruction; what
/// the image has issued, perhaps to the same place, comes before it.
///
/// # Panics
/// If `thing` is in the memory of a job on several nodes, of which this thread is no image.
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
    /// Where something is that has an address here, if that is in the part of any image.
    #[must_use]
    pub fn locate<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        let address = std::ptr::from_ref(thing).cast::<u8>().addr();
        let (image, offset) = self.job.region.locate(address)?;
        Some(Place { image, offset })
    }

    /// Whether something is in the memory of another job of this process.
    #[must_use]
    pub fn is_in_another_job<T: ?Sized>(&self, thing: &T) -> bool {
        self.locate(thing).is_none() && is_mapped(thing, |_| true)
    }

    /// Where something is that has an address here, if that is on another node.
    #[inline]
    #[must_use]
    pub fn remote_place<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        self.network.as_ref()?;
        let place = self.locate(thing)?;
        (!self.job.nodes.share(self.index, place.image)).then_some(place)
    }
}
