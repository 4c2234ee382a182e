//! A team: images that meet, and share what they create, by numbers of their own.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::call::tuning::Plan;
use crate::heap::{Block, TeamIdentity};
use crate::image::Image;
use crate::image::node_map::NodeMap;
use crate::image::outstanding::Outstanding;
use crate::image::remote_log::TeamLogs;
use crate::job::control::{ENDED, TeamControl};
use crate::lockfree::arrival::WORDS;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::queue_lock::QueueLock;
use crate::lockfree::split::Split;

/// One image's view of a team that it belongs to.
///
/// The first team is that of all images; others are [formed](Team::form) by the images of a team. An
/// image's number in a team is its *index*; its *number* without more said is its index in the first team.
pub struct Team {
    image: Rc<Image>,
    index: usize,
    /// The number of each member.
    members: Rc<[u32]>,
    /// Offset of the team's control structure in each image's part of the region.
    control: usize,
    /// Where this image sees that structure of each member.
    controls: Box<[NonNull<TeamControl>]>,
    /// Offset of the team's scratch space in each image's part of the region.
    scratch: usize,
    pub(crate) origin: Option<Origin>,
    /// How many barriers this image has entered.
    pub(crate) barriers: Cell<u64>,
    /// What this image brought to the last one.
    pub(crate) payload: Cell<[u64; WORDS]>,
    /// None until the images first meet.
    pub(crate) barrier: Cell<Option<Barrier>>,
    epochs: Cell<usize>,
    in_epoch: Cell<bool>,
    /// How many objects the team has created, which numbers them.
    pub(crate) objects: Cell<u64>,
    /// The alarm of the job when this team was last searched for failed images.
    pub(crate) failure_epoch: Cell<u32>,
    pub(crate) has_failed: Cell<bool>,
    /// What `places` returned.
    progression: OnceCell<Option<(usize, usize)>>,
    /// None if all members share memory.
    node_map: Option<NodeMap>,
    pub(crate) plan: OnceCell<Plan>,
    /// Of the asynchronous collectives.
    pub(crate) outstanding: RefCell<Outstanding>,
    /// With members on other nodes; none before the first of these calls, or if there are no such members.
    pub(crate) team_logs: OnceCell<Rc<TeamLogs>>,
}

/// Where a team that was formed comes from.
pub(crate) struct Origin {
    pub(crate) parent: Rc<Team>,
    pub(crate) formation: Rc<Split>,
    pub(crate) number: u64,
    /// What the team's structures are in: a block of the parent.
    pub(crate) block: Block,
}

impl Team {
    /// The team of all images of a job.
    pub(crate) fn first(image: Rc<Image>) -> Self {
        let region = &image.job.region;
        let (control, scratch) = (region.first_team(), region.scratch_offset());
        let members = (0..image.images as u32).collect();
        Self::new(
            Rc::clone(&image),
            image.index,
            members,
            control,
            scratch,
            None,
        )
    }

    pub(crate) fn new(
        image: Rc<Image>,
        index: usize,
        members: Rc<[u32]>,
        control: usize,
        scratch: usize,
        origin: Option<Origin>,
    ) -> Self {
        let region = &image.job.region;
        let of_member = |&member: &u32| {
            let address = region.part_address(member as usize, control);
            NonNull::new(address.cast()).expect("parts lie inside the mapping")
        };
        let controls = members.iter().map(of_member).collect();
        let node_map = NodeMap::of(&image.job.nodes, index, &members);
        Self {
            index,
            members,
            control,
            controls,
            image,
            scratch,
            origin,
            barriers: Cell::new(0),
            payload: Cell::new([0; WORDS]),
            barrier: Cell::new(None),
            epochs: Cell::new(0),
            in_epoch: Cell::new(false),
            objects: Cell::new(0),
            failure_epoch: Cell::new(0),
            has_failed: Cell::new(false),
            progression: OnceCell::new(),
            node_map,
            plan: OnceCell::new(),
            outstanding: RefCell::default(),
            team_logs: OnceCell::new(),
        }
    }

    /// The image whose view this is.
    #[inline]
    #[must_use]
    pub fn image(&self) -> &Rc<Image> {
        &self.image
    }

    /// This image's index in the team.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many images the team has, failed ones included.
    #[inline]
    #[must_use]
    pub fn images(&self) -> usize {
        self.members.len()
    }

    /// The number of each image of the team, by index.
    #[inline]
    #[must_use]
    pub fn members(&self) -> &Rc<[u32]> {
        &self.members
    }

    /// The team whose images formed this one; none for the first team.
    #[must_use]
    pub fn parent(&self) -> Option<&Rc<Team>> {
        self.origin.as_ref().map(|origin| &origin.parent)
    }

    /// The number with which the team was formed; none for the first team.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        self.origin.as_ref().map(|origin| origin.number)
    }

    /// Whether `self` and `other` are the same team.
    #[must_use]
    pub fn is(&self, other: &Team) -> bool {
        std::ptr::eq(self, other)
    }

    /// Where this image sees the scratch space of the image with that index: [`SCRATCH_BYTES`](coarray_fabric::SCRATCH_BYTES)
    /// that collectives of the team pass data through.
    #[inline]
    #[must_use]
    pub fn scratch(&self, index: usize) -> *mut u8 {
        let region = &self.image.job.region;
        region.part_address(self.members[index] as usize, self.scratch)
    }

    /// Where in each part of the region the scratch space is.
    #[inline]
    pub(crate) fn scratch_offset(&self) -> usize {
        self.scratch
    }

    /// The barrier by which the images meet that want this one. Between nodes there is but one way, for which it only
    /// matters that the images agree, and that they do not take the short way of the flat one.
    pub(crate) fn supported(&self, barrier: Barrier) -> Barrier {
        match (&self.node_map, barrier) {
            (Some(_), Barrier::Flat) => Barrier::Dissemination,
            _ => barrier,
        }
    }

    /// How the images are divided among nodes; none if all share memory.
    #[inline]
    pub(crate) fn node_map(&self) -> Option<&NodeMap> {
        self.node_map.as_ref()
    }

    /// Local. Chooses how the images of the team wait for each other from the next barrier on. All images must
    /// choose the same between the same two collective operations, otherwise the next ends the job with a report.
    ///
    /// # Safety
    /// Not while a collective operation is in progress, such as in an operator of the program: its images have told each
    /// other already by which barrier it ends.
    pub unsafe fn set_barrier_algorithm(&self, barrier: Barrier) {
        self.barrier.set(Some(self.supported(barrier)));
    }

    /// Begins a turn in which a collective uses the scratch space, and counts it: the same number on all
    /// images. None while another turn is in progress. If the job has ended, the image unwinds.
    ///
    /// # Safety
    /// Only for the module that passes data through the scratch space: its turns alternate.
    #[must_use]
    #[inline]
    pub unsafe fn begin_epoch(&self) -> Option<usize> {
        if self.image.job.has_ended() {
            // The last turn's barrier may not have taken place, so that others still read its half.
            self.image.unwind();
        }
        if self.in_epoch.replace(true) {
            return None;
        }
        let turn = self.epochs.get();
        self.epochs.set(turn.wrapping_add(1));
        Some(turn)
    }

    /// How many barriers of this team this image has entered.
    #[must_use]
    #[inline]
    pub fn barriers(&self) -> u64 {
        self.barriers.get()
    }

    /// Whether a turn is in progress.
    pub(crate) fn is_in_epoch(&self) -> bool {
        self.in_epoch.get()
    }

    /// Ends the turn in progress.
    ///
    /// # Safety
    /// Only for who began it, when no reference into the scratch space is left.
    #[inline]
    pub unsafe fn end_epoch(&self) {
        self.in_epoch.set(false);
    }

    /// Whether the image with that index has failed.
    #[must_use]
    pub fn is_failed(&self, index: usize) -> bool {
        self.image.has_failed(self.members[index] as usize)
    }

    /// Whether the image with that index has come to the end of the program: what it posted before can be seen.
    pub(crate) fn has_stopped(&self, index: usize) -> bool {
        self.image.has_stopped(self.members[index] as usize)
    }

    /// Whether any image of the team has failed.
    #[must_use]
    pub fn has_failed_images(&self) -> bool {
        // The end of the job stays news, so that barriers notice it.
        let failure_epoch = self.image.job.region.job().failure_epoch() & !ENDED;
        if failure_epoch != self.failure_epoch.replace(failure_epoch) && !self.has_failed.get() {
            let failed = (0..self.images()).any(|index| self.is_failed(index));
            self.has_failed.set(failed);
        }
        self.has_failed.get()
    }

    /// The images of the team that have failed, by index.
    #[must_use]
    pub fn failed_images(&self) -> Vec<usize> {
        (0..self.images())
            .filter(|&index| self.is_failed(index))
            .collect()
    }

    /// The number of the image with index 0 and the distance from each to the next, if it is always the same.
    #[must_use]
    pub fn progression(&self) -> Option<(usize, usize)> {
        *self.progression.get_or_init(|| {
            let first = self.members[0] as usize;
            let step = self
                .members
                .get(1)
                .map_or(Some(1), |&second| (second as usize).checked_sub(first))?;
            let regular = |(index, &member): (usize, &u32)| member as usize == first + index * step;
            self.members
                .iter()
                .enumerate()
                .all(regular)
                .then_some((first, step))
        })
    }

    /// The number of the node of the image with that index: images with the same one share memory.
    #[must_use]
    pub fn node(&self, index: usize) -> usize {
        self.image.node(self.members[index] as usize)
    }

    /// The lock of the team's critical sections.
    #[inline]
    #[must_use]
    pub fn critical(&self) -> &QueueLock {
        &self.control(0).critical
    }

    /// What tells this team from others of this image.
    pub(crate) fn identity(&self) -> TeamIdentity {
        TeamIdentity(self.control as u64)
    }

    #[inline]
    pub(crate) fn control(&self, index: usize) -> &TeamControl {
        // SAFETY: members are images of the job, whose parts lie in the mapping, which lives as long as the image. The
        // control structure of the first team is a part of every `ImageControl`; that of another team lies in a
        // block of the heap that `Team::form` took, aligned and initialised on every image before any got the
        // team, and that is used for nothing else until all members dropped it. All fields are atomics.
        unsafe { self.controls[index].as_ref() }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Team")
            .field("number", &self.number())
            .field("index", &self.index)
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}
