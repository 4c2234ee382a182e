//! Whether an address of this process stands for memory of another node.
//!
//! The parts of images on other nodes have addresses in this process, too, but as *shadows*: without their data. No reference of a program
//! refers to a shadow: a coref carries image and address, and its direct bit says whether an instruction may use the address. A reference to
//! a coatomic carries no such bit, so each operation on it asks `locate` of the runtime whether the fabric must carry it out. On one
//! machine that costs one load, of [`may_span_nodes`].

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of mappings of this process that have shadows, plus the number of its images that use the fabric although memory is shared.
/// If it is 0, as in all jobs of one machine but for tests, no operation asks where its object is.
static REASONS_TO_ASK: AtomicUsize = AtomicUsize::new(0);

/// The regions that this process has mapped at present.
static MAPPED: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());

/// A mapped region: its addresses, and whether parts of it are shadows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    addresses: Range<usize>,
    pub(crate) has_shadows: bool,
}

/// Keeps a region in the list of mapped ones, for threads that use an address outside of their own job. A region may outlive its job:
/// leaked coarrays keep it mapped.
#[derive(Debug)]
pub struct Registration(Mapped);

impl Registration {
    /// Registers the addresses: before the first image refers to them, until no reference to them is left.
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
    static SPANS_NODES: Cell<bool> = const { Cell::new(false) };
}

/// A location: an image, and an offset in its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The image.
    pub image: usize,
    /// Bytes from the start of the part of that image.
    pub offset: usize,
}

/// Notes that an image begins on this thread, whether images of its job are on several nodes, and whether it may use loads and stores.
///
/// # Safety
/// Both are as said, and the thread calls [`leave`] when the image ends.
pub unsafe fn enter(spans_nodes: bool, is_direct: bool) {
    SPANS_NODES.set(spans_nodes);
    REASONS_TO_ASK.fetch_add(usize::from(!is_direct), Ordering::Relaxed);
}

/// Notes that the image of this thread has ended.
///
/// # Safety
/// The thread has called [`enter`] with the same `is_direct`, and the image accesses no shared memory from now on.
pub unsafe fn leave(is_direct: bool) {
    SPANS_NODES.set(false);
    REASONS_TO_ASK.fetch_sub(usize::from(!is_direct), Ordering::Relaxed);
}

/// Whether the job of this thread's image is on several nodes.
///
/// Then all images change coatomics by atomic operations of the fabric, never by instructions: a network adapter's atomics and the
/// processor's need not be atomic with respect to each other.
#[inline]
#[must_use]
pub fn spans_nodes() -> bool {
    REASONS_TO_ASK.load(Ordering::Relaxed) > 0 && SPANS_NODES.get()
}

/// Whether an operation on a reference to a coatomic must ask `locate` of the runtime who carries it out: never in jobs of one machine.
#[inline]
#[must_use]
pub fn may_span_nodes() -> bool {
    REASONS_TO_ASK.load(Ordering::Relaxed) > 0
}

/// Panics if the address lies in a region with shadows. For objects outside the memory of this thread's job: only images of a job can use its
/// fabric, and instructions must not take its place.
pub fn refuse_strangers(address: usize) {
    assert!(
        !is_mapped(address, |mapped| mapped.has_shadows),
        "this thread is not an image of the job that this is shared in, and the images of that are on several nodes: there \
         only the images themselves can use what they share, such as coatomics. Let the thread change an atomic of std, and \
         the image pass the result on, or run the job on one machine"
    );
}

/// Whether the address lies in a mapped region for which `is_such` holds.
pub fn is_mapped(address: usize, is_such: impl Fn(&Mapped) -> bool) -> bool {
    let all = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter()
        .any(|mapped| mapped.addresses.contains(&address) && is_such(mapped))
}
