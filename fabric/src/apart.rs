//! Whether what has an address here may be a name for something on another node.
//!
//! The parts of images on other nodes have addresses on this one, too, but not their memory. A reference to something
//! shared, such as a coatomic, may thus be one to a *mirror*: each operation finds out by the address where the thing
//! itself is.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::image::Image;
use crate::issued::has_issued;

/// How many images of this process are apart from others, or issue operations on others although they share memory. Where
/// it is 0, as in all jobs of one machine but for tests, that is all that an operation asks.
static IMAGES_APART: AtomicUsize = AtomicUsize::new(0);

/// The addresses that each of these images has for the memory of its job.
static REGIONS: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

thread_local! {
    static IS_APART: Cell<bool> = const { Cell::new(false) };
}

/// Something in the part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The image.
    pub image: usize,
    /// Where it is in the part of that image.
    pub offset: usize,
}

/// The image of this thread has others that share no memory with it. It has these addresses for the memory of the job.
pub(crate) fn enter(region: Range<usize>) {
    let mut regions = REGIONS.lock().unwrap_or_else(PoisonError::into_inner);
    regions.push(region);
    IMAGES_APART.fetch_add(1, Ordering::Relaxed);
    IS_APART.set(true);
}

/// The image of this thread is over.
pub(crate) fn leave(region: &Range<usize>) {
    let mut regions = REGIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = regions.iter().position(|other| other == region) {
        regions.swap_remove(index);
    }
    IMAGES_APART.fetch_sub(1, Ordering::Relaxed);
    IS_APART.set(false);
}

/// The image of this thread shares memory with all others, but has operations on them under way.
pub(crate) fn enter_indirect() {
    IMAGES_APART.fetch_add(1, Ordering::Relaxed);
}

/// That image is over.
pub(crate) fn leave_indirect() {
    IMAGES_APART.fetch_sub(1, Ordering::Relaxed);
}

/// Whether some images of this job share no memory with each other.
///
/// Then the coatomics of all images are changed by the engine's atomic operations, and never by instructions: those of
/// the two kinds may not know of each other.
#[inline]
#[must_use]
pub fn is_apart() -> bool {
    IMAGES_APART.load(Ordering::Relaxed) > 0 && IS_APART.get()
}

/// Whether an operation on something shared has to ask [`with_home`] where that is: never in jobs of one machine.
#[inline]
#[must_use]
pub fn may_be_apart() -> bool {
    IMAGES_APART.load(Ordering::Relaxed) > 0
}

/// Calls `operate` with the image of this thread and the place of `thing`, if that is in the memory of a job whose images
/// do not all share theirs. A local variable is not. In other jobs the caller uses an instruction; what the image has issued,
/// perhaps to the same place, comes before it.
///
/// # Panics
/// If it is, and this thread is no image.
#[cold]
#[inline(never)]
pub fn with_home<T: ?Sized, R>(thing: &T, operate: impl FnOnce(&Image, Place) -> R) -> Option<R> {
    match Image::try_current() {
        Some(image) if image.network.is_some() => {
            image.home(thing).map(|place| operate(&image, place))
        }
        Some(image) => {
            if has_issued() {
                image.fabric().quiet();
            }
            None
        }
        None => {
            refuse_thread(std::ptr::from_ref(thing).cast::<u8>().addr());
            None
        }
    }
}

/// The engine belongs to the thread of the image, and no instruction may take its place.
fn refuse_thread(address: usize) {
    let regions = REGIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_shared = regions.iter().any(|region| region.contains(&address));
    drop(regions);
    assert!(
        !is_shared,
        "this thread is not an image, and the job's images are on several nodes: there only the images themselves can use \
         what they share, such as coatomics. Let the thread change an atomic of std, and the image pass the result on, or \
         run the job on one machine"
    );
}

impl Image {
    /// Where something is that has an address here, if that is in the part of any image.
    #[must_use]
    pub fn home<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        let address = std::ptr::from_ref(thing).cast::<u8>().addr();
        let (image, offset) = self.job.region.locate(address)?;
        Some(Place { image, offset })
    }

    /// Where something is that has an address here, if that is on another node.
    #[inline]
    #[must_use]
    pub fn elsewhere<T: ?Sized>(&self, thing: &T) -> Option<Place> {
        self.network.as_ref()?;
        let place = self.home(thing)?;
        (!self.job.nodes.share(self.index, place.image)).then_some(place)
    }
}
