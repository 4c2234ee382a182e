//! Whether what has an address here may be a name for something on another node.
//!
//! The parts of images on other nodes have addresses on this one, too, but not their memory. A reference to something
//! shared, such as a coatomic, may thus be one to a *shadow*: each operation finds out by the address where the thing
//! itself is (`home.rs`).

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many mappings this process has whose memory is in part on other nodes, and how many of its images issue operations
/// on others although they share memory. Where it is 0, as in all jobs of one machine but for tests, that is all that an
/// operation asks.
static REASONS_TO_ASK: AtomicUsize = AtomicUsize::new(0);

/// What this process has mapped, for as long as that is so.
static MAPPED: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());

/// The memory of a job: where it is mapped, and whether parts of it are on other nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    addresses: Range<usize>,
    pub(crate) has_shadows: bool,
}

/// Lets everybody know what is mapped: for whoever comes by an address that is not of its own job. A job may be over long
/// before: coarrays that were leaked keep the memory, and references to what is in them.
#[derive(Debug)]
pub struct Registration(Mapped);

impl Registration {
    /// Before the first image can refer to these addresses, until no reference to them is left.
    pub fn new(addresses: Range<usize>, has_shadows: bool) -> Self {
        let mapped = Mapped {
            addresses,
            has_shadows,
        };
        let mut all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(mapped.clone());
        REASONS_TO_ASK.fetch_add(usize::from(has_shadows), Ordering::Relaxed);
        Self(mapped)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = all.iter().position(|mapped| *mapped == self.0) {
            all.swap_remove(index);
        }
        REASONS_TO_ASK.fetch_sub(usize::from(self.0.has_shadows), Ordering::Relaxed);
    }
}

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

/// The image of this thread begins. Either some others share no memory with it, or all do.
///
/// # Safety
/// That is so, and the thread [leaves](leave) when the image is over.
pub unsafe fn enter(spans_nodes: bool, is_direct: bool) {
    IS_APART.set(spans_nodes);
    REASONS_TO_ASK.fetch_add(usize::from(!is_direct), Ordering::Relaxed);
}

/// The image of this thread is over.
///
/// # Safety
/// It was [entered](enter) so, and nothing of it refers to what images share from now on.
pub unsafe fn leave(is_direct: bool) {
    IS_APART.set(false);
    REASONS_TO_ASK.fetch_sub(usize::from(!is_direct), Ordering::Relaxed);
}

/// Whether some images of this job share no memory with each other.
///
/// Then the coatomics of all images are changed by the fabric's atomic operations, and never by instructions: those of
/// the two kinds may not know of each other.
#[inline]
#[must_use]
pub fn spans_nodes() -> bool {
    REASONS_TO_ASK.load(Ordering::Relaxed) > 0 && IS_APART.get()
}

/// Whether an operation on something shared has to ask `locate` of the runtime where that is: never in jobs of one machine.
#[inline]
#[must_use]
pub fn may_span_nodes() -> bool {
    REASONS_TO_ASK.load(Ordering::Relaxed) > 0
}

/// To be called for what is not in the memory of this thread's job. The fabric belongs to the threads of the images, and no
/// instruction may take its place.
pub fn refuse_strangers<T: ?Sized>(thing: &T) {
    assert!(
        !is_mapped(thing, |mapped| mapped.has_shadows),
        "this thread is not an image of the job that this is shared in, and the images of that are on several nodes: there \
         only the images themselves can use what they share, such as coatomics. Let the thread change an atomic of std, and \
         the image pass the result on, or run the job on one machine"
    );
}

/// Whether something lies in what is mapped and such.
pub fn is_mapped<T: ?Sized>(thing: &T, is_such: impl Fn(&Mapped) -> bool) -> bool {
    let address = std::ptr::from_ref(thing).cast::<u8>().addr();
    let all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter()
        .any(|mapped| mapped.addresses.contains(&address) && is_such(mapped))
}
