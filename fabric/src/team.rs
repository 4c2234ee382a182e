//! A team: images that meet, and share what they create, by numbers of their own.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::rc::Rc;

use crate::call::{Call, Operation};
use crate::control::{Stage, TeamControl};
use crate::failure;
use crate::formation::Formation;
use crate::heap::Block;
use crate::image::Image;
use crate::published::PUBLISHED;
use crate::queue_lock::QueueLock;
use crate::rendezvous::{self, Passage, Refusal};
use crate::status::{self, ImageFailed};
use crate::waiting::{Cause, Stop, Waiting};

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
    /// Offset of the team's scratch space in each image's part of the region.
    scratch: usize,
    pub(crate) origin: Option<Origin>,
    barriers: Cell<u64>,
    turns: Cell<usize>,
    in_turn: Cell<bool>,
    /// How many objects the team has created, which numbers them.
    pub(crate) objects: Cell<u64>,
    /// The alarm of the job when this team was last searched for failed images.
    alarm: Cell<u32>,
    has_failed: Cell<bool>,
    /// What `places` returned.
    regular: OnceCell<Option<(usize, usize)>>,
}

/// What becomes of an operation when images have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The job ends.
    EndsJob,
    /// It returns an error.
    IsAnError,
    /// The others go on without them.
    IsAccepted,
}

/// Where a team that was formed comes from.
pub(crate) struct Origin {
    pub(crate) parent: Rc<Team>,
    pub(crate) formation: Rc<Formation>,
    pub(crate) number: u64,
    /// What the team's structures are in: a block of the parent.
    pub(crate) block: Block,
}

/// What tells a team from others of the same image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TeamIdentity(u64);

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
        Self {
            image,
            index,
            members,
            control,
            scratch,
            origin,
            barriers: Cell::new(0),
            turns: Cell::new(0),
            in_turn: Cell::new(false),
            objects: Cell::new(0),
            alarm: Cell::new(0),
            has_failed: Cell::new(false),
            regular: OnceCell::new(),
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

    /// Where this image sees the scratch space of the image with that index: [`SCRATCH_BYTES`](crate::SCRATCH_BYTES)
    /// that collectives of the team pass data through.
    #[must_use]
    pub fn scratch(&self, index: usize) -> *mut u8 {
        let region = &self.image.job.region;
        region.part_address(self.members[index] as usize, self.scratch)
    }

    /// Begins a turn in which a collective uses the scratch space, and counts it: the same number on all
    /// images. None while another turn is in progress. If the job has ended, the image unwinds.
    ///
    /// # Safety
    /// Only for the module that passes data through the scratch space: its turns alternate.
    #[must_use]
    pub unsafe fn begin_turn(&self) -> Option<usize> {
        if self.image.job.has_ended() {
            // The last turn's meeting may not have taken place, so that others still read its half.
            failure::unwind();
        }
        if self.in_turn.replace(true) {
            return None;
        }
        let turn = self.turns.get();
        self.turns.set(turn.wrapping_add(1));
        Some(turn)
    }

    /// Ends the turn in progress.
    ///
    /// # Safety
    /// Only for who began it, when no reference into the scratch space is left.
    pub unsafe fn end_turn(&self) {
        self.in_turn.set(false);
    }

    /// Collective. Waits until every image of the team is in the same call; everything an image wrote before
    /// is visible to all afterwards.
    ///
    /// If an image is in another call, or has failed, the job ends with a report. If the job has ended, the
    /// image unwinds.
    ///
    /// # Safety
    /// Other layers rely on what an image in this call has done, such as given up its references or
    /// written its part: the caller has done it.
    #[inline]
    pub unsafe fn meet(&self, call: &Call) {
        // SAFETY: passed on.
        if let Err(failed) = unsafe { self.try_meet(call) } {
            self.fail_because(&failed, &call.describe(self));
        }
    }

    /// Collective. As [`meet`](Self::meet), but failed images do not end the job.
    ///
    /// # Errors
    /// The images that failed before they came to this call; on all others alike, which have met.
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    pub unsafe fn try_meet(&self, call: &Call) -> Result<(), ImageFailed> {
        let image = &*self.image;
        let alarm = image.job.region.job().alarm();
        image
            .control(image.index)
            .call
            .write(call, &image.last_call);
        let number = self.barriers.get() + 1;
        self.barriers.set(number);
        let passage = Passage {
            me: self.index,
            images: self.members.len(),
            number,
            tag: call.tag(),
            patience: image.job.patience,
        };
        if alarm == self.alarm.get() && !self.has_failed.get() {
            self.control(self.index).arrival.enter(number, call.tag());
            let met = self.pass(&passage);
            if met.is_ok() {
                return Ok(());
            }
            self.stuck(&passage, met)
        } else {
            self.alarmed(&passage)
        }
    }

    #[cold]
    fn alarmed(&self, passage: &Passage<'_>) -> Result<(), ImageFailed> {
        if self.image.job.has_ended() {
            failure::unwind();
        }
        self.control(self.index)
            .arrival
            .enter(passage.number, passage.tag);
        if self.has_failed_images() {
            return self.meet_survivors(passage);
        }
        let met = self.pass(passage);
        self.stuck(passage, met)
    }

    #[inline]
    fn pass(&self, passage: &Passage<'_>) -> Result<(), Refusal<Stop>> {
        rendezvous::meet(
            passage,
            |index, set, round| &self.control(index).lines[set][round],
            |behind| self.waiting_for(behind, passage.number, false),
        )
    }

    fn waiting_for(&self, index: usize, number: u64, survivors: bool) -> Waiting<'_, Meeting<'_>> {
        let meeting = Meeting {
            team: self,
            number,
            index,
            survivors,
        };
        Waiting::new(&self.image, meeting)
    }

    /// What to do about a barrier that the image did not, or not simply, pass.
    #[cold]
    fn stuck(
        &self,
        passage: &Passage<'_>,
        met: Result<(), Refusal<Stop>>,
    ) -> Result<(), ImageFailed> {
        match met {
            Ok(()) => Ok(()),
            Err(Refusal::Stopped(Stop::Failed)) => self.meet_survivors(passage),
            Err(Refusal::Stopped(_)) => failure::unwind(),
            Err(Refusal::Mismatch { image }) => self.mismatch(image, passage.number),
        }
    }

    fn meet_survivors(&self, passage: &Passage<'_>) -> Result<(), ImageFailed> {
        let met = rendezvous::meet_survivors(
            passage,
            |index| &self.control(index).arrival,
            |index| self.is_failed(index),
            |index| self.waiting_for(index, passage.number, true),
        );
        match met {
            Ok(missing) if missing.is_empty() => Ok(()),
            Ok(images) => Err(ImageFailed { images }),
            Err(refusal) => self.stuck(passage, Err(refusal)),
        }
    }

    #[cold]
    fn mismatch(&self, other: usize, number: u64) -> ! {
        let describe = |index: usize| {
            let tag = self.control(index).arrival.tag(number);
            let image = self.members[index] as usize;
            (image, self.image.control(image).call.describe(tag, self))
        };
        let mut both = [describe(self.index), describe(other)];
        both.sort_unstable();
        let [(low, calls), (high, other_calls)] = both;
        self.image.fail_silently(
            1,
            format!(
                "and image {high} are in different collective operations\n  image {low}: {calls}\n  image {high}: {other_calls}\n\
                 every image must make the same collective calls in the same order",
            ),
            low,
        );
        failure::unwind()
    }

    /// Ends the job because images failed that `operation` needs.
    #[cold]
    pub fn fail_because(&self, failed: &ImageFailed, operation: &str) -> ! {
        let numbers: Vec<usize> = failed
            .images
            .iter()
            .map(|&index| self.members[index] as usize)
            .collect();
        self.image.fail(format!(
            "cannot complete {operation}: {}",
            status::have_failed(&numbers)
        ))
    }

    /// Publishes words for the others to read after the next meeting. The same words stay readable until the
    /// meeting after that one.
    pub(crate) fn publish(&self, words: [u64; PUBLISHED]) {
        let control = self.control(self.index);
        control.published.write(self.barriers.get() + 1, words);
    }

    /// What the image with that index published with the last meeting, in which it took part.
    pub(crate) fn published(&self, index: usize) -> [u64; PUBLISHED] {
        self.control(index).published.read(self.barriers.get())
    }

    /// Collective. Publishes words and meets the others.
    ///
    /// Returns the indices of those who take part.
    ///
    /// # Errors
    /// The images that failed before, if their absence is an error.
    ///
    /// # Safety
    /// As [`meet`](Self::meet).
    pub(crate) unsafe fn exchange(
        &self,
        call: &Call,
        words: [u64; PUBLISHED],
        absence: Absence,
    ) -> Result<Vec<usize>, ImageFailed> {
        self.publish(words);
        // SAFETY: passed on.
        let missing = match (unsafe { self.try_meet(call) }, absence) {
            (Ok(()), _) => Vec::new(),
            (Err(failed), Absence::IsAccepted) => failed.images,
            (Err(failed), Absence::IsAnError) => return Err(failed),
            (Err(failed), Absence::EndsJob) => self.fail_because(&failed, &call.describe(self)),
        };
        Ok((0..self.images())
            .filter(|index| !missing.contains(index))
            .collect())
    }

    /// Collective. Lets the program end: waits for all other images that have not failed.
    pub(crate) fn finish(&self, call: &Call) {
        self.image
            .control(self.image.index)
            .set_stage(Stage::Stopped);
        // SAFETY: the end of the program promises nothing to anyone.
        let _ = unsafe { self.try_meet(call) };
    }

    /// Whether the image with that index has failed.
    #[must_use]
    pub fn is_failed(&self, index: usize) -> bool {
        self.image.has_failed(self.members[index] as usize)
    }

    /// Whether any image of the team has failed.
    #[must_use]
    pub fn has_failed_images(&self) -> bool {
        let alarm = self.image.job.region.job().alarm();
        if alarm != self.alarm.replace(alarm) && !self.has_failed.get() {
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
        *self.regular.get_or_init(|| {
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

    pub(crate) fn control(&self, index: usize) -> &TeamControl {
        let region = &self.image.job.region;
        let address = region.part_address(self.members[index] as usize, self.control);
        // SAFETY: the control structure of the first team is a part of every `ImageControl`; that of another
        // team lies in a block of the heap that `Team::form` took, aligned and filled with zeros on every
        // image before any got the team, and that is used for nothing else until all members dropped it.
        // All fields are atomics.
        unsafe { &*address.cast::<TeamControl>() }
    }
}

/// Why an image waits in a barrier: for the image with that index.
struct Meeting<'a> {
    team: &'a Team,
    number: u64,
    index: usize,
    /// Whether failed images are not missed.
    survivors: bool,
}

impl Cause for Meeting<'_> {
    fn words(&self) -> String {
        let Team { image, index, .. } = self.team;
        let tag = self.team.control(*index).arrival.tag(self.number);
        if Operation::End.is_in(&tag) {
            return "has come to the end of the program".into();
        }
        let call = image.control(image.index).call.describe(tag, self.team);
        format!("is in {call}")
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.team.members[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        if self.survivors {
            self.team.is_failed(self.index)
        } else {
            self.team.has_failed_images()
        }
    }

    fn barrier(&self) -> Option<(u64, u64)> {
        Some((self.team.control as u64, self.number))
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

impl Drop for Team {
    fn drop(&mut self) {
        if let Some(origin) = &self.origin {
            // SAFETY: the block was allocated by the parent for this team, whose structures this image uses
            // no more.
            unsafe { origin.parent.free(origin.block) };
        }
    }
}
