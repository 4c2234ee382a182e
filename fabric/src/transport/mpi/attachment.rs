//! The window over the parts of the region.
//!
//! If all images are on one machine but do not share memory, MPI is many times faster on memory that it has allocated itself. If that memory
//! can be mapped a second time, it is mapped in the place of the parts. Otherwise the window is over the parts themselves.
//!
//! In memory that they share, processors carry out accumulates themselves, and nothing has to be flushed for them to be seen. Whether it is so is tried.

use std::sync::atomic::{AtomicU64, Ordering};

use mpi_rma::mpi::topology::SimpleCommunicator;
use mpi_rma::{Initialized, Operation, Window};

use super::cluster::Group;
use super::environment::is_open_mpi;
use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::transport::cluster::Cluster;

/// Where MPI libraries keep the memory of windows that processes share.
const SHARED_FILES: &str = "/dev/shm";

/// A window, and where the parts are in it.
pub(crate) struct Attachment {
    pub(crate) window: Window<'static>,
    /// Bytes from the start of each image's window to its part.
    pub(crate) start: usize,
    /// Whether accumulates are seen although nothing is flushed.
    pub(crate) sends_at_once: bool,
}

/// Collective. Makes the window.
pub(crate) fn attach(
    group: &Group,
    communicator: &SimpleCommunicator,
    region: &mut Region,
    nodes: &Nodes,
) -> Result<Attachment, String> {
    // SAFETY: the group's environment keeps MPI initialised until `finish`, which comes after `detach`; the job uses MPI on
    // the thread of its image only.
    let initialized = unsafe { Initialized::assume() };
    let is_one_machine = agree(group, group.node() == 0);
    let is_alone = (0..group.images()).all(|image| nodes.of(image) == image);
    if is_one_machine
        && is_alone
        && agree(group, has_room(region, group.images()))
        && let Some(attachment) = allocate(group, initialized, communicator, region)
    {
        return Ok(attachment);
    }

    let part = region.part_address(group.image(), 0);
    let stride = region.dimensions().stride;
    // SAFETY: the part is mapped until the job has ended, and its users give up the window before; they refer only to
    // control structures in it, which are atomics and reached by no operation of the window, and to blocks while no
    // other image may write these.
    let window = unsafe { Window::create(initialized, communicator, part, stride) };
    let window = window.map_err(|error| {
        let advice = if is_open_mpi() {
            "; if this is a network without a component of Open MPI for several threads, set COARRAY_MPI_THREADS=serialized"
        } else {
            ""
        };
        format!("cannot make the memory of images reachable: {error}{advice}")
    })?;
    Ok(Attachment {
        window,
        start: 0,
        sends_at_once: false,
    })
}

/// Collective. Has MPI allocate memory, and maps it in the place of the parts; `None` if that fails on an image.
fn allocate(
    group: &Group,
    initialized: Initialized<'static>,
    communicator: &SimpleCommunicator,
    region: &mut Region,
) -> Option<Attachment> {
    let page = rustix::param::page_size();
    let stride = region.dimensions().stride;
    // SAFETY: memory of the window is read only after it was written: the control structures at the start of the part are cleared below, and
    // blocks of the heap are initialised when they are allocated.
    let window =
        unsafe { Window::allocate_untouched(initialized, communicator, stride + page) }.ok()?;
    let start = window.start();
    let skipped = start.align_offset(page);
    // SAFETY: the window is a page longer than the part, so that the part lies in it from the first page boundary on. No other image accesses it
    // before the exchange below.
    let part = unsafe {
        let part = start.add(skipped);
        part.write_bytes(0, region.heap_offset());
        part
    };
    // One displacement for all images: otherwise each operation would need a look-up.
    if have_same(group, skipped as u64) {
        // SAFETY: `part` is page-aligned and `stride` bytes long; the second mapping stays as long as the region, whether or not the window lives;
        // its control structures are zero, and the part has not been used so far.
        let overlaid = unsafe { region.overlay(group.image(), part) };
        if agree(group, overlaid.is_ok()) {
            let has_word_behind = skipped + size_of::<u64>() <= page;
            return Some(Attachment {
                sends_at_once: has_word_behind && sends_at_once(group, &window, skipped + stride),
                window,
                start: skipped,
            });
        }
    }
    // The window is not used, so an error does not matter.
    let _ = window.free();
    None
}

/// Collective. Whether an accumulate to the word at `offset`, which is in the window behind the part, is seen by its target without a flush: some libraries
/// keep it until then.
fn sends_at_once(group: &Group, window: &Window<'_>, offset: usize) -> bool {
    const SENT: u64 = 0x5e47;
    let next = (group.image() + 1) % group.images();
    // SAFETY: the caller has room for the word there, which is aligned, as the part begins at a page and has whole pages. Only this function uses it, and
    // MPI changes it atomically.
    let word = unsafe { AtomicU64::from_ptr(window.start().add(offset).cast()) };
    word.store(0, Ordering::Relaxed);
    // Each collective is made of messages, which flush nothing, and come after what was done before them.
    agree(group, true);
    let sent = window.accumulate(next as i32, offset, Operation::Replace, SENT);
    agree(group, true);
    let is_seen = sent.is_ok() && word.load(Ordering::Relaxed) == SENT;
    let is_over = window.flush(next as i32).is_ok();
    agree(group, is_seen && is_over)
}

/// Whether there is room for MPI to allocate the parts. Without it Open MPI prints a warning, and MPICH takes long to fail.
fn has_room(region: &Region, images: usize) -> bool {
    let each = region.dimensions().stride + rustix::param::page_size();
    let needed = each.saturating_mul(images) as u64;
    rustix::fs::statvfs(SHARED_FILES)
        .is_ok_and(|files| files.f_bavail.saturating_mul(files.f_frsize) > needed)
}

/// Collective. Whether `mine` is true on all images.
fn agree(group: &Group, mine: bool) -> bool {
    let all = group.gather(&[u8::from(mine)]);
    all.iter().all(|&byte| byte == 1)
}

/// Collective. Whether all images pass the same number.
fn have_same(group: &Group, mine: u64) -> bool {
    let mine = mine.to_ne_bytes();
    let all = group.gather(&mine);
    all.chunks(mine.len()).all(|other| other == mine)
}
