//! The window through which images reach each other's parts of the region.
//!
//! Where all images are on one machine but count as nodes of their own, MPI is many times faster on memory that it has
//! allocated itself. If that memory can be mapped a second time it takes the place of the images' parts. Otherwise
//! the window is over the parts as they are.

use mpi_rma::mpi::topology::SimpleCommunicator;
use mpi_rma::{Initialized, Window};

use super::cluster::Group;
use super::environment::is_open_mpi;
use crate::memory::nodes::Nodes;
use crate::memory::region::Region;
use crate::transport::cluster::Cluster;

/// Where MPI libraries keep the memory of windows that processes share.
const SHARED_FILES: &str = "/dev/shm";

/// What images reach each other by.
pub(crate) struct Attachment {
    pub(crate) window: Window<'static>,
    /// Where in the window of each image its part begins.
    pub(crate) start: usize,
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
    Ok(Attachment { window, start: 0 })
}

/// Has MPI allocate the parts, and puts its memory in their place; none if that cannot be done on all images.
fn allocate(
    group: &Group,
    initialized: Initialized<'static>,
    communicator: &SimpleCommunicator,
    region: &mut Region,
) -> Option<Attachment> {
    let page = rustix::param::page_size();
    let stride = region.dimensions().stride;
    // SAFETY: what is read of a part is the control structures at its start, which are cleared below, and blocks of the
    // heap, which are initialised when they are allocated.
    let window =
        unsafe { Window::allocate_untouched(initialized, communicator, stride + page) }.ok()?;
    let start = window.start();
    let skipped = start.align_offset(page);
    // SAFETY: the window has a page more than is needed, so that the first bytes of the part are in it. Nobody else
    // knows of them yet.
    let part = unsafe {
        let part = start.add(skipped);
        part.write_bytes(0, region.heap_offset());
        part
    };
    // Otherwise each operation would have to look up where its target begins.
    if have_same(group, skipped as u64) {
        // SAFETY: the part begins at a page and is long enough; what is mapped in its place stays as long as the region, whether
        // or not the window lives; nobody has used the part so far.
        let overlaid = unsafe { region.overlay(group.image(), part) };
        if agree(group, overlaid.is_ok()) {
            return Some(Attachment {
                window,
                start: skipped,
            });
        }
    }
    // An error would have no consequence: this window is not used.
    let _ = window.free();
    None
}

/// Whether MPI can allocate the parts. Open MPI says loudly that it cannot, MPICH tries for long.
fn has_room(region: &Region, images: usize) -> bool {
    let needed = region.dimensions().stride.saturating_mul(images) as u64;
    rustix::fs::statvfs(SHARED_FILES)
        .is_ok_and(|files| files.f_bavail.saturating_mul(files.f_frsize) > needed)
}

/// Collective. Whether all images say yes.
fn agree(group: &Group, mine: bool) -> bool {
    let all = group.gather(&[u8::from(mine)]);
    all.iter().all(|&byte| byte == 1)
}

/// Collective. Whether all images say the same number.
fn have_same(group: &Group, mine: u64) -> bool {
    let mine = mine.to_ne_bytes();
    let all = group.gather(&mine);
    all.chunks(mine.len()).all(|other| other == mine)
}
