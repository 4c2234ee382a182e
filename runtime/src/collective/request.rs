//! Requests of asynchronous collectives: each image posts its contribution, and reads those of the others when they
//! have arrived.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::panic::Location;
use std::rc::Rc;

use crate::call::Call;
use crate::collective::outstanding::find_descriptor;
use crate::collective::outstanding::finish_collective;
use crate::collective::outstanding::payload_of;
use crate::collective::outstanding::posted_count;
use crate::collective::request_between_nodes::remote_log;
use crate::image::contribution::Contribution;
use crate::image::remote_log::RemoteLog;
use crate::image::team::Team;
use crate::job::image_failed::ImageFailed;
use crate::profile::activity::Activity;
use crate::waiting::Cause;

/// An asynchronous collective that this image has begun; see [`Team::post`].
///
/// Dropping it discards the contributions of the other images.
pub struct CollectiveRequest {
    team: Rc<Team>,
    call: Call,
    number: u64,
    /// The number of polls by tasks that were in vain.
    polls: Cell<u32>,
}

impl CollectiveRequest {
    /// The request of collective `number`, for which this image has posted its descriptor.
    pub(crate) fn new(team: Rc<Team>, call: Call, number: u64) -> Self {
        Self {
            team,
            call,
            number,
            polls: Cell::new(0),
        }
    }

    /// The team whose images take part.
    #[must_use]
    pub fn team(&self) -> &Rc<Team> {
        &self.team
    }

    /// This image's call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Whether the contribution of the image with index `image` has arrived.
    ///
    /// If that image has come to the end of the program before, the job ends with a report. If the job has ended, the image
    /// unwinds.
    ///
    /// # Errors
    /// If that image has failed before.
    pub fn is_here(&self, index: usize) -> Result<bool, Incomplete> {
        let team = &*self.team;
        let posted = posted_count(team, index);
        if posted.has_reached(self.number + 1) {
            return Ok(true);
        }
        team.image().check_abort();
        team.image().poll();
        // The image posts nothing after that stage.
        let posts_no_more = team.is_failed(index) || team.has_stopped(index);
        let is_here = posted.has_reached(self.number + 1);
        match posts_no_more && !is_here {
            true => Err(self.miss(index)),
            false => Ok(is_here),
        }
    }

    /// Waits for the contribution of the image with index `image`; it is aligned to a cache line.
    ///
    /// If the image is in another collective, or has failed, the job ends with a report. If the job has ended, the
    /// image unwinds.
    #[must_use]
    pub fn from(&self, index: usize) -> Contribution<'_> {
        self.expect_from(index);
        match remote_log(&self.team, index) {
            Some(member) => self.fetch(member, 0..member.length(self.number)),
            None => Contribution::here(self.read(index, 0..self.payload(index).1)),
        }
    }

    /// Waits for a range of the contribution, otherwise as [`from`](Self::from).
    ///
    /// # Panics
    /// If the contribution is shorter.
    #[must_use]
    pub fn part(&self, index: usize, range: Range<usize>) -> Contribution<'_> {
        self.expect_from(index);
        match remote_log(&self.team, index) {
            Some(member) => self.fetch(member, range),
            None => Contribution::here(self.read(index, range)),
        }
    }

    /// Waits for the contribution, and returns its length in bytes; otherwise as [`from`](Self::from).
    #[must_use]
    pub fn length(&self, index: usize) -> usize {
        self.expect_from(index);
        match remote_log(&self.team, index) {
            Some(member) => member.length(self.number),
            None => self.payload(index).1,
        }
    }

    /// Waits for the contribution of an image that shares memory with this one, and returns the address of these bytes of it, which
    /// stays valid for reads and writes until `self` is dropped. The contribution is aligned to a cache line.
    ///
    /// # Panics
    /// If the contribution is shorter, or on another node.
    #[must_use]
    pub fn address(&self, index: usize, range: Range<usize>) -> *mut u8 {
        self.expect_from(index);
        assert!(
            remote_log(&self.team, index).is_none(),
            "its memory is here"
        );
        self.place(index, range).cast_mut()
    }

    /// Bytes that an image contributed that shares memory with this one. They have arrived.
    fn read(&self, index: usize, range: Range<usize>) -> &[u8] {
        let length = range.len();
        let start = self.place(index, range);
        // SAFETY: the bytes lie in the contribution, as `place` asserts. It stays until this image finishes the collective, when `self` is
        // dropped, which the result borrows. What an operation lets images write in it is not read in this way.
        unsafe { std::slice::from_raw_parts(start, length) }
    }

    fn place(&self, index: usize, range: Range<usize>) -> *const u8 {
        let (start, length) = self.payload(index);
        assert!(range.start <= range.end && range.end <= length);
        start.wrapping_add(range.start)
    }

    fn payload(&self, index: usize) -> (*const u8, usize) {
        payload_of(&self.team, index, self.number)
    }

    /// The same for an image on another node.
    fn fetch(&self, member: &RemoteLog, range: Range<usize>) -> Contribution<'static> {
        // SAFETY: this image finishes the collective when `self` is dropped, which the result borrows.
        unsafe { member.fetch(self.team.image().fabric(), self.number, range) }
    }

    /// Waits until the contribution has arrived, and compares its call with this image's.
    ///
    /// If the image is in another collective, or has come to the end of the program, the job ends with a report. If the job
    /// has ended, the image unwinds.
    ///
    /// # Errors
    /// If that image has failed before it contributed.
    pub fn await_from(&self, index: usize) -> Result<(), Incomplete> {
        let team = &*self.team;
        let posted = posted_count(team, index);
        if !posted.has_reached(self.number + 1) {
            let cause = MissingContribution::new(self, index);
            if team.image().wait(posted, self.number + 1, cause).is_err() {
                return Err(self.miss(index));
            }
        }
        find_descriptor(team, index, self.number);
        Ok(())
    }

    /// As [`await_from`](Self::await_from), but if the image has failed, the job ends.
    fn expect_from(&self, index: usize) {
        self.await_from(index)
            .unwrap_or_else(|incomplete| incomplete.end_job());
    }

    /// The number of descriptors in the log of the image when its contribution to this collective has arrived.
    pub(crate) fn awaited_count(&self) -> u64 {
        self.number + 1
    }

    /// Identifies the collective: the team, and the number in it.
    pub(crate) fn key(&self) -> (u64, u64) {
        (self.team.identity().0, self.number)
    }

    /// The number of polls by tasks that were in vain.
    pub(crate) fn polls(&self) -> &Cell<u32> {
        &self.polls
    }

    /// The error that the image with index `index` makes no contribution any more. If the others do not go on without it, the job ends.
    #[cold]
    fn miss(&self, index: usize) -> Incomplete {
        let team = &self.team;
        if !team.is_gone(index) {
            let (image, operation) = (team.members()[index], self.call.describe(team));
            team.image().fail(format!(
                "cannot complete {operation}: image {image} has come to the end of the program"
            ))
        }
        let operation = self.call.describe(team);
        Incomplete::new(team, operation, team.missed(vec![index]))
    }
}

/// An operation that cannot be completed, because an image failed before it made its contribution.
pub struct Incomplete {
    team: Rc<Team>,
    operation: String,
    failed: ImageFailed,
}

impl Incomplete {
    /// An operation, as text, that these failed images leave incomplete.
    #[must_use]
    pub fn new(team: &Rc<Team>, operation: String, failed: ImageFailed) -> Self {
        Self {
            team: Rc::clone(team),
            operation,
            failed,
        }
    }

    /// The images.
    #[must_use]
    pub fn failed(self) -> ImageFailed {
        self.failed
    }

    /// Ends the job with a report.
    pub fn end_job(&self) -> ! {
        self.team.fail_because(&self.failed, &self.operation)
    }
}

impl Drop for CollectiveRequest {
    fn drop(&mut self) {
        finish_collective(&self.team, self.number);
        // Last, because it drops a waker of the program.
        if self.polls.get() > 0
            && let Some(reactor) = self.team.image().started_reactor()
        {
            reactor.forget(self.key());
        }
    }
}

impl fmt::Debug for CollectiveRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CollectiveRequest")
            .field("call", &self.call)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// Why an image waits for an asynchronous collective: for the contribution of the image with this index.
struct MissingContribution<'a> {
    request: &'a CollectiveRequest,
    index: usize,
}

impl<'a> MissingContribution<'a> {
    fn new(request: &'a CollectiveRequest, index: usize) -> Self {
        Self { request, index }
    }
}

impl Cause for MissingContribution<'_> {
    fn describe(&self) -> String {
        let CollectiveRequest { call, team, .. } = self.request;
        format!("is in {}", call.describe(team))
    }

    fn awaited(&self) -> Option<usize> {
        Some(self.request.team.members()[self.index] as usize)
    }

    fn has_failed(&self) -> bool {
        self.request.team.is_gone(self.index)
    }

    fn activity(&self) -> Option<(Activity, &'static Location<'static>)> {
        Some((Activity::Contribution, self.request.call.caller()))
    }
}
