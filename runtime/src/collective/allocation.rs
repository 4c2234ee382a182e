//! Symmetric allocation: all images of a team take a block at the same offset of their heaps.
//!
//! Each image keeps its own free list. The lists differ, because images drop coarrays at different times and teams
//! create coarrays of their own. So each image proposes the lowest offset at which the block fits in its heap, and
//! brings the proposal to a barrier. If all proposals are equal, the images take the block there. Otherwise each image
//! proposes again, from the highest proposal on. Proposals only rise, so this ends at an offset that suits all.

use std::panic::Location;
use std::sync::atomic::AtomicU64;

use crate::call::{Call, ObjectId};
use crate::collective::barrier::OnFailure;
use crate::collective::barrier::exchange_payloads;
use crate::collective::deferred_free::collect_deferred_frees;
use crate::collective::outstanding::collect_payloads;
use crate::collective::request_between_nodes::forget_team_logs;
use crate::collective::steps_between_nodes::forget_pushed_steps;
use crate::heap::alloc_error::AllocError;
use crate::heap::{Block, Extent, MAX_ALIGN, Purpose, RaggedBlock};
use crate::image::Image;
use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;
use crate::lockfree::release_mask::{ReleaseMask, mask_words};
use crate::messages::messaging::send_or;
use crate::messages::quiet::quiet_and_defer;
use coarray_fabric::transport::deferral::Deferral;

/// The step of an allocation that commits new pages. The steps before it are proposals.
const COMMIT: usize = 1 << 16;

/// The first step of a creation after its allocation.
pub const FILLED: usize = COMMIT + 1;

/// The proposal of an image whose heap has no room.
const NO_ROOM: u64 = u64::MAX;

/// Size and alignment of a block.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Whether other images may access the block until they release it, also after its owner has dropped it.
    pub shared: bool,
}

impl Team {
    /// Collective. Takes a block at the same offset of the heap of every image of the team. Its bytes are
    /// uninitialised.
    ///
    /// # Errors
    /// If the block does not fit, an image gets no memory, or images of the team have failed. The result is the same on
    /// all images, and an error changes nothing.
    ///
    /// # Safety
    /// All images that make this call ask for the same layout.
    pub unsafe fn allocate(&self, call: &Call, layout: Layout) -> Result<Block, AllocError> {
        // SAFETY: the caller vouches that all images ask for the same layout.
        unsafe { allocate_despite(self, &quiet_and_defer(), call, layout, OnFailure::Error) }
            .unwrap_or_else(|failed| Err(failed.into()))
    }

    /// Local. Records that this image will not access `block` again, on any image. A block that is not shared is free
    /// at once on this image; a shared block is free when every image of the team has called this.
    ///
    /// # Safety
    /// This image allocated the block in this team, has not freed it before, and will not access it again. If the block
    /// is not shared, no image will access this image's copy.
    pub unsafe fn free(&self, block: Block) {
        if block.shared {
            for index in 0..self.images() {
                release_block(self, index, &block);
            }
        }
        let mut heap = self.image().heap.borrow_mut();
        heap.drop_block(self.identity(), block, self.members());
    }
}

/// As [`allocate`](Team::allocate), with a choice of how failed images are handled.
///
/// # Safety
/// As [`allocate`](Team::allocate).
pub(crate) unsafe fn allocate_despite(
    team: &Team,
    deferral: &Deferral,
    call: &Call,
    layout: Layout,
    on_failure: OnFailure,
) -> Result<Result<Block, AllocError>, ImageFailed> {
    let Layout {
        size,
        align,
        shared,
    } = layout;
    assert!(
        align <= MAX_ALIGN,
        "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
    );
    let image = team.image();
    let purpose = Purpose {
        subject: call.subject(),
        caller: call.caller(),
    };
    let id = ObjectId(team.objects.get() + 1);
    team.objects.set(id.0);
    let call = &call.creating(id);
    let Some(extent) = Extent::of(size, align, shared.then_some(team.images())) else {
        return Ok(Err(heap_exhausted(image, image.index, size, purpose)));
    };
    collect_dropped(team);

    let mut from = 0;
    let mut round = 0;
    let (start, committed) = loop {
        let heap = image.heap.borrow();
        let mine = heap.propose(extent, from);
        let committed = heap.committed();
        drop(heap);
        if let Some(start) = mine
            && start + extent.bytes() <= committed
        {
            clear_release_mask(team, extent, start);
        }
        let words = [
            mine.map_or(NO_ROOM, |offset| offset as u64),
            committed as u64,
            0,
        ];
        // SAFETY: the barrier vouches for nothing but the proposal, which this image brings.
        let present =
            unsafe { exchange_payloads(team, deferral, &call.at_step(round), words, on_failure) }?;
        let proposals = || present.iter().map(|&index| team.payload(index));
        let highest = proposals().map(|[offset, ..]| offset).max();
        let highest = highest.expect("this image is present");
        if highest == NO_ROOM {
            // Report this image in preference to others: the error describes its heap.
            let without = |&index: &usize| team.payload(index)[0] == NO_ROOM;
            let full = match mine {
                None => image.index,
                Some(_) => present
                    .into_iter()
                    .find(without)
                    .map_or(image.index, |index| team.members()[index] as usize),
            };
            return Ok(Err(heap_exhausted(image, full, size, purpose)));
        }
        if proposals().all(|[offset, ..]| offset == highest) {
            let committed = proposals()
                .map(|[_, committed, ..]| committed as usize)
                .min();
            break (highest as usize, committed.unwrap_or_default());
        }
        from = highest as usize;
        round += 1;
    };

    let block = image.heap.borrow_mut().take(extent, start, id);
    if start + extent.bytes() > committed {
        let committed = commit_on_all(team, deferral, call, extent, start, size, on_failure);
        match committed {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                image.heap.borrow_mut().untake(&block);
                return Ok(Err(error));
            }
            Err(failed) => {
                image.heap.borrow_mut().untake(&block);
                return Err(failed);
            }
        }
    }
    let mut heap = image.heap.borrow_mut();
    heap.hold(team.identity(), &block, size, purpose);
    image.check_object(block.offset, size, purpose.subject, purpose.caller);
    Ok(Ok(block))
}

/// Commits pages on every image for a block of `size` bytes at offset `start`.
fn commit_on_all(
    team: &Team,
    deferral: &Deferral,
    call: &Call,
    extent: Extent,
    start: usize,
    size: usize,
    on_failure: OnFailure,
) -> Result<Result<(), AllocError>, ImageFailed> {
    let image = team.image();
    let uncommitted = image.heap.borrow().uncommitted(start + extent.bytes());
    let result = match uncommitted {
        Some((offset, length)) => {
            let region = &image.job.region;
            let nodes = &image.job.nodes;
            let members = team.members().iter();
            let here = members.filter(|&&member| nodes.share(image.index, member as usize));
            region.commit_heap(image.index, offset, length, here.count())
        }
        None => Ok(()),
    };
    if result.is_ok() {
        clear_release_mask(team, extent, start);
    }
    let words = [u64::from(result.is_ok()), 0, 0];
    // SAFETY: the barrier vouches for nothing but the success, which this image brings.
    let present =
        unsafe { exchange_payloads(team, deferral, &call.at_step(COMMIT), words, on_failure) }?;
    let mut heap = image.heap.borrow_mut();
    if let (Some((offset, length)), Ok(())) = (uncommitted, &result) {
        heap.set_committed(offset, length);
    }
    let without = present
        .into_iter()
        .find(|&index| team.payload(index)[0] == 0);
    Ok(match without {
        None => Ok(()),
        Some(index) => Err(AllocError::NoMemory {
            requested: size,
            subject: call.subject(),
            image: team.members()[index] as usize,
            reason: result
                .err()
                .map_or_else(|| "see its report".into(), |error| error.to_string()),
            users: heap.users(),
        }),
    })
}

/// Clears the release mask of a shared block in committed pages. Other images may get the block, and release it, after
/// the next barrier, so this comes before.
fn clear_release_mask(team: &Team, extent: Extent, start: usize) {
    if extent.is_shared() {
        let image = team.image();
        release_mask_at(image, image.index, start, team.images()).clear();
    }
}

/// Frees the blocks that this image dropped and that all other images have released.
fn collect_dropped(team: &Team) {
    let image = team.image();
    collect_deferred_frees(image);
    collect_payloads(image);
    image.heap.borrow_mut().collect_dropped(|block, members| {
        let mask = release_mask_at(image, image.index, block.start, members.len());
        let is_free = mask.is_empty(|index| image.is_gone(members[index] as usize));
        if is_free {
            forget_team_logs(image, block.offset);
            forget_pushed_steps(image, block.offset);
        }
        is_free
    });
}

/// Releases another image's copy of a block.
fn release_block(team: &Team, index: usize, block: &Block) {
    let mask = release_mask_of(team, index, block);
    let (word, bit) = mask.bit(team.index());
    match team.image().remote_place(word) {
        Some(place) => send_or(team.image(), place, bit),
        None => mask.release(team.index()),
    }
}

fn release_mask_of<'a>(team: &'a Team, index: usize, block: &Block) -> ReleaseMask<'a> {
    let number = team.members()[index] as usize;
    release_mask_at(team.image(), number, block.start, team.images())
}

impl Image {
    /// Local. Takes a block of `size` bytes in this image's heap only. Its bytes are uninitialised.
    ///
    /// # Errors
    /// If the block does not fit or there is no memory.
    pub fn allocate_ragged(
        &self,
        size: usize,
        align: usize,
        subject: &'static str,
        caller: &'static Location<'static>,
    ) -> Result<RaggedBlock, AllocError> {
        assert!(
            align <= MAX_ALIGN,
            "values in a coarray can be aligned to at most {MAX_ALIGN} bytes"
        );
        let purpose = Purpose { subject, caller };
        collect_payloads(self);
        let mut heap = self.heap.borrow_mut();
        let Some(block) = heap.take_ragged(size, align, purpose) else {
            drop(heap);
            return Err(heap_exhausted(self, self.index, size, purpose));
        };
        if let Some((offset, length)) = heap.uncommitted_ragged(&block) {
            if let Err(error) = self.job.region.commit_heap(self.index, offset, length, 1) {
                heap.free_ragged(block);
                return Err(AllocError::NoMemory {
                    requested: size,
                    subject,
                    image: self.index,
                    reason: error.to_string(),
                    users: heap.users(),
                });
            }
            heap.set_ragged_committed(length);
        }
        self.check_object(block.offset, size, subject, caller);
        Ok(block)
    }

    /// Local. Frees a ragged block at once.
    ///
    /// # Safety
    /// This image allocated the block and has not freed it before, and no image will access it again.
    pub unsafe fn free_ragged(&self, block: RaggedBlock) {
        self.heap.borrow_mut().free_ragged(block);
    }
}

fn heap_exhausted(here: &Image, full: usize, size: usize, purpose: Purpose) -> AllocError {
    let heap = here.heap.borrow();
    AllocError::HeapExhausted {
        requested: size,
        subject: purpose.subject,
        heap: heap.bytes(),
        full,
        image: here.index,
        used: heap.used(),
        waiting: heap.waiting(),
        users: heap.users(),
    }
}

/// The release mask of the block at offset `start` of the heap of `image`, which `images` images share.
fn release_mask_at(here: &Image, image: usize, start: usize, images: usize) -> ReleaseMask<'_> {
    // SAFETY: a shared block starts with the words of its release mask (`Extent::of`), aligned for them, in pages that
    // were committed before any image got the block. All bit patterns are valid for atomics. No reference of another
    // type to this memory exists: before the block is taken only this image uses its copy, which is free, and the copy
    // is used again only when the mask is empty.
    let words = unsafe {
        let start = here.heap(image).add(start).cast::<AtomicU64>();
        std::slice::from_raw_parts(start, mask_words(images))
    };
    ReleaseMask::new(words, images)
}
