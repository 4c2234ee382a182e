//! Teams: images that synchronise, and create objects together, with indices of their own.

mod gone;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::call::Call;
use crate::call::tuning::Plan;
use crate::heap::{Block, TeamIdentity};
use crate::image::Image;
use crate::image::asked::Asked;
use crate::image::node_map::NodeMap;
use crate::image::outstanding::Outstanding;
use crate::image::remote_log::TeamLogs;
use crate::job::control::TeamControl;
use crate::lockfree::arrival::WORDS;
use crate::lockfree::barrier::Barrier;
use crate::lockfree::split::Split;

/// One image's view of a team that it belongs to.
///
/// The first team has all images; other teams are [formed](Team::form) by the images of a team. The *index* of an image
/// is its number in a team; its *number* is its index in the first team.
pub struct Team {
    image: Rc<Image>,
    index: usize,
    /// The number of each member.
    members: Rc<[u32]>,
    /// Offset of the team's control structure in each image's part of the region.
    control: usize,
    /// The address of that structure of each member on this image.
    controls: Box<[NonNull<TeamControl>]>,
    /// Offset of the team's scratch space in each image's part of the region.
    scratch: usize,
    pub(crate) origin: Option<Origin>,
    /// The same on all members, and on them another than that of any other team, also of one that had this memory before.
    pub(crate) key: TeamKey,
    /// How many barriers this image has entered.
    pub(crate) barriers: Cell<u64>,
    /// This image's last payload; the number of the barrier that it was for, and how many words of it are used.
    pub(crate) payload: Cell<[u64; WORDS]>,
    pub(crate) payload_of: Cell<(u64, usize)>,
    /// None until the first barrier.
    pub(crate) barrier: Cell<Option<Barrier>>,
    epochs: Cell<usize>,
    /// Whether a blocking collective is in progress.
    pub(crate) in_epoch: Cell<bool>,
    /// How many posts this image has made for blocking collectives, and a hash of their calls.
    pub(crate) posts: Cell<u64>,
    pub(crate) chain: Cell<u64>,
    /// How many posts and bytes they were since all had been read.
    pub(crate) since_read: Cell<(usize, usize)>,
    /// How often that was.
    pub(crate) period: Cell<u64>,
    /// How many objects the team has created; numbers them.
    pub(crate) objects: Cell<u64>,
    /// The failure epoch of the job when this team was last searched for failed images.
    pub(crate) failure_epoch: Cell<u32>,
    pub(crate) has_failed: Cell<bool>,
    /// Whether images of the team are gone, as it was found then.
    is_incomplete: Cell<bool>,
    /// Whether barriers may take the fast path: all members share memory, none has failed, and the job is neither profiled nor checked.
    pub(crate) is_plain: Cell<bool>,
    /// The result of `places`.
    progression: OnceCell<Option<(usize, usize)>>,
    /// None if all members share memory.
    node_map: Option<NodeMap>,
    pub(crate) plan: OnceCell<Plan>,
    /// For which collectives images have asked each other where their values are.
    asked: Asked,
    /// The asynchronous collectives.
    pub(crate) outstanding: RefCell<Outstanding>,
    /// The same with members on other nodes; none before the first of these calls, or without such members.
    pub(crate) team_logs: OnceCell<Rc<TeamLogs>>,
}

/// Tells a team of an image from all others that the image has, or had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamKey(pub(crate) u64);

impl TeamKey {
    /// The key of the team that the team of this key has made as its object with this number: a hash of both.
    fn of_team_made_as(self, object: u64) -> Self {
        // The multiplier is that of `SplitMix64` (G. Steele and others, 2014): odd, with bits everywhere.
        let mix = |sum: u64, word: u64| {
            let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            sum ^ sum >> 29
        };
        Self(mix(mix(1, self.0), object))
    }
}

/// The split that a team comes from.
pub(crate) struct Origin {
    pub(crate) parent: Rc<Team>,
    pub(crate) formation: Rc<Split>,
    pub(crate) number: u64,
    /// The block of the parent with the team's structures.
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
        let key = match &origin {
            Some(Origin { parent, block, .. }) => parent.key.of_team_made_as(block.id.0),
            None => TeamKey::default(),
        };
        let is_plain = node_map.is_none() && !image.job.is_profiled && image.checking().is_none();
        if let Some(network) = &image.network {
            network.teams.borrow_mut().push((key, control));
        }
        Self {
            index,
            members,
            control,
            controls,
            image,
            scratch,
            origin,
            key,
            barriers: Cell::new(0),
            payload: Cell::new([0; WORDS]),
            payload_of: Cell::new((0, 0)),
            barrier: Cell::new(None),
            epochs: Cell::new(0),
            in_epoch: Cell::new(false),
            posts: Cell::new(0),
            chain: Cell::new(0),
            since_read: Cell::new((0, 0)),
            period: Cell::new(0),
            objects: Cell::new(0),
            failure_epoch: Cell::new(0),
            has_failed: Cell::new(false),
            is_incomplete: Cell::new(false),
            is_plain: Cell::new(is_plain),
            progression: OnceCell::new(),
            node_map,
            plan: OnceCell::new(),
            asked: Asked::default(),
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

    /// Panics because there is no image with this index, and says that of a team that is not the whole job.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub fn no_such_image(&self, index: usize) -> ! {
        let last = self.images() - 1;
        match self.part_of_the_job() {
            None => panic!("there is no image {index}: the images are numbered 0 to {last}"),
            Some(part) => panic!(
                "there is no image {index} in this team of {part}: in the team they are numbered 0 to {last}"
            ),
        }
    }

    /// How many of the images are in this team, in words; none if it is the whole job.
    #[must_use]
    pub fn part_of_the_job(&self) -> Option<String> {
        let words = || format!("{} of the {} images", self.images(), self.image.images());
        self.origin.as_ref().map(|_| words())
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

    /// What tells the team from all others of this image, also when it is gone.
    #[inline]
    #[must_use]
    pub fn key(&self) -> TeamKey {
        self.key
    }

    /// The address on this image of the scratch space of the image with index `index`:
    /// [`SCRATCH_BYTES`](coarray_fabric::SCRATCH_BYTES) through which collectives of the team pass data.
    #[inline]
    #[must_use]
    pub fn scratch(&self, index: usize) -> *mut u8 {
        let region = &self.image.job.region;
        region.part_address(self.members[index] as usize, self.scratch)
    }

    /// The offset of the scratch space in each part of the region.
    #[inline]
    pub(crate) fn scratch_offset(&self) -> usize {
        self.scratch
    }

    /// How the images are divided among nodes; none if all share memory.
    #[inline]
    pub(crate) fn node_map(&self) -> Option<&NodeMap> {
        self.node_map.as_ref()
    }

    /// Local. Chooses the barrier algorithm of the team from the next barrier on. All images must choose the same
    /// between the same two collective operations; otherwise the next one ends the job with a report.
    ///
    /// # Safety
    /// Not while a collective operation is in progress, for example in an operator of the program: its images have
    /// already published by which barrier it ends.
    pub unsafe fn set_barrier_algorithm(&self, barrier: Barrier) {
        self.barrier.set(Some(barrier));
    }

    /// Begins an epoch in which a collective uses the scratch space, and counts it: the same number on all images. None
    /// while another epoch is in progress. If the job has ended, the image unwinds.
    ///
    /// # Safety
    /// Only for the module that passes data through the scratch space: its epochs alternate.
    #[must_use]
    #[inline]
    pub unsafe fn begin_epoch(&self) -> Option<usize> {
        if self.image.job.has_ended() {
            // The last epoch's barrier may not have been passed, so others may still read its half.
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

    /// How many epochs this image has begun.
    pub(crate) fn epochs(&self) -> usize {
        self.epochs.get()
    }

    /// Whether an epoch is in progress.
    pub(crate) fn is_in_epoch(&self) -> bool {
        self.in_epoch.get()
    }

    /// Ends the epoch in progress.
    ///
    /// # Safety
    /// The caller began it, and no reference into the scratch space is left.
    #[inline]
    pub unsafe fn end_epoch(&self) {
        self.in_epoch.set(false);
    }

    /// The number of the image with index 0 and the distance from each image to the next, if that is constant.
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

    /// The number of the node of the image with this index: images of one node share memory.
    #[must_use]
    pub fn node(&self, index: usize) -> usize {
        self.image.node(self.members[index] as usize)
    }

    /// Whether all images of the team share memory.
    #[inline]
    #[must_use]
    pub fn is_on_one_node(&self) -> bool {
        self.node_map.is_none()
    }

    /// Whether each of several images is on a node of its own.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        let nodes = self.node_map.as_ref().map(NodeMap::count);
        nodes == Some(self.images())
    }

    /// Whether the job goes on when an image fails.
    #[inline]
    #[must_use]
    pub fn keeps_going(&self) -> bool {
        self.image.job.region.job().keeps_going()
    }

    /// Whether images ask each other in this call where their values are: the same on all.
    #[must_use]
    pub fn asks_for_places(&self, call: &Call) -> bool {
        self.asked.asks(call.signature())
    }

    /// Notes whether all images could reach the values of this call, for which they have asked.
    pub fn note_places(&self, call: &Call, are_reached: bool) {
        self.asked.note(call.signature(), are_reached);
    }

    /// Identifies this team among the teams of this image.
    pub(crate) fn identity(&self) -> TeamIdentity {
        TeamIdentity(self.control as u64)
    }

    #[inline]
    pub(crate) fn control(&self, index: usize) -> &TeamControl {
        // SAFETY: members are images of the job, whose parts lie in the mapping, which lives as long as the image. The
        // control structure of the first team is a part of every `ImageControl`; that of another team lies in a block
        // of the heap that `Team::form` took, aligned and initialised on every image before any got the team, and used
        // for nothing else until all members have dropped it. All fields are atomics.
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
