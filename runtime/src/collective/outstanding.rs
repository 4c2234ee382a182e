//! The asynchronous collectives of a team that an image has begun: its log of descriptors, and its cursors in the logs
//! of the others.
//!
//! The asynchronous collectives of a team are numbered from 0 in the order of the calls, which is the same on all
//! images. Every call posts a descriptor, also if the image contributes nothing, so that all images can check that all
//! make the same calls. The other images need nothing more from it: the image may compute, or wait for something else,
//! as long as it likes.

use std::rc::Rc;

use crate::call::Call;
use crate::collective::barrier::disagree;
use crate::collective::deferred_free::collect_deferred_frees;
use crate::collective::deferred_free::enqueue_deferred_free;
use crate::collective::request::CollectiveRequest;
use crate::collective::request_between_nodes::leave_team_logs;
use crate::collective::request_between_nodes::open_team_logs;
use crate::collective::request_between_nodes::remote_log;
use crate::image::Image;
use crate::image::deferred_free::DeferredFree;
use crate::image::descriptor::{ALIGN, Descriptor, DescriptorBuilder};
use crate::image::descriptors::{Offsets, SUBJECT};
use crate::image::eager::Posted;
use crate::image::outstanding::{Outstanding, RECLAIM_AFTER};
use crate::image::remote_log::RemoteLog;
use crate::image::team::Team;
use crate::job::unwinding::panic_at;
use crate::lockfree::eventcount::Eventcount;
use crate::lockfree::log::{Cursor, Log, Reclaimable};
use crate::messages::quiet::quiet;

/// If payloads of more than this many bytes await reclaiming, every barrier tries to reclaim them.
const MANY: usize = 1 << 20;

/// Image `.0` posted a different collective under this number.
struct Mismatch {
    index: usize,
    number: u64,
}

impl Team {
    /// Collective. Begins an asynchronous collective to which this image contributes these bytes, the pieces one after
    /// the other. Never waits for another image.
    ///
    /// If an image is found to make another call, the job ends with a report. If the job has ended, the image unwinds.
    ///
    /// # Panics
    /// If the heap has no room for the bytes.
    ///
    /// # Safety
    /// Other layers rely on the contribution of an image to this call: it is what the operation requires.
    #[must_use = "who drops it does not want what the others contribute"]
    pub unsafe fn post(self: &Rc<Self>, call: &Call, pieces: &[&[u8]]) -> CollectiveRequest {
        let image = self.image();
        image.check_abort();
        quiet();
        let builder = DescriptorBuilder::new(call, pieces);
        let mut outstanding = self.outstanding.borrow_mut();
        let outstanding = &mut *outstanding;
        if outstanding.cursors.is_empty() {
            outstanding
                .cursors
                .resize_with(self.images(), Cursor::default);
            open_team_logs(self);
        }
        if outstanding.note_use(builder.bare_size() + builder.payload_size())
            && let Err(mismatch) = reclaim(self, outstanding)
        {
            report_mismatch(self, outstanding, &mismatch);
        }
        let taken = match outstanding.descriptors.take(image, &builder, call) {
            Ok(taken) => taken,
            Err(_) => make_room(self, outstanding, &builder, call),
        };
        // SAFETY: the offsets are those of blocks in this image's heap, which is mapped.
        let place = |offset| unsafe { image.heap(image.index).add(offset) };
        // SAFETY: `place` is aligned for a descriptor and valid for writes of the size that the builder asked for: the
        // block was allocated for it, and no other image knows it yet.
        unsafe { builder.write(place(taken.descriptor), taken.payload.map(place)) };
        if taken.payload.is_some() && !outstanding.awaits_reclaim {
            outstanding.awaits_reclaim = true;
            image
                .teams_to_reclaim
                .borrow_mut()
                .push(Rc::downgrade(self));
        }
        let number = outstanding.begun;
        let cursor = &mut outstanding.cursors[self.index()];
        let last = cursor
            .last()
            .map(|last| descriptor_at(self, self.index(), last));
        let log = log_of(self, self.index());
        log.post(last.map(Descriptor::link), taken.descriptor as u64, number);
        cursor.push(taken.descriptor as u64);
        if let Some(team_logs) = self.team_logs.get() {
            let in_part = |offset| image.job.region.heap_offset() + offset;
            let inside = taken.descriptor + Descriptor::INSIDE;
            let posted = Posted {
                number,
                signature: call.signature(),
                descriptor: in_part(taken.descriptor),
                payload: in_part(taken.payload.unwrap_or(inside)),
                pieces,
                length: builder.payload_size(),
            };
            team_logs.send_posted(image, &posted);
        }
        outstanding.begun += 1;
        outstanding.is_over.push_back(false);
        if let Some(recording) = image.recording() {
            recording.enter_asynchronous();
        }
        CollectiveRequest::new(Rc::clone(self), *call, number)
    }
}

/// Takes slots for a descriptor after the heap had no room at first.
#[cold]
fn make_room(
    team: &Team,
    outstanding: &mut Outstanding,
    builder: &DescriptorBuilder<'_>,
    call: &Call,
) -> Offsets {
    let image = team.image();
    if let Err(mismatch) = reclaim(team, outstanding) {
        report_mismatch(team, outstanding, &mismatch);
    }
    outstanding.descriptors.free_spares(image);
    let size = match outstanding.descriptors.take(image, builder, call) {
        Ok(taken) => return taken,
        Err(size) => size,
    };
    match image.allocate_ragged(size, ALIGN, SUBJECT, call.caller()) {
        Ok(_) => unreachable!("it was just refused"),
        Err(error) => panic_at(call.caller(), &format!("{}: {error}", call.describe(team))),
    }
}

fn log_of(team: &Team, index: usize) -> &Log {
    &team.control(index).log
}

/// The descriptor at this offset of an image's heap.
#[inline]
fn descriptor_at(team: &Team, index: usize, offset: u64) -> Descriptor<'_> {
    let heap = team.image().heap(team.members()[index] as usize);
    // SAFETY: the caller has the offset from a cursor or a link that it has not released, so the owner keeps the
    // descriptor where it is.
    unsafe { Descriptor::at(heap.add(offset as usize)) }
}

/// Follows the log of an image up to number `end`, as far as it is posted, and compares the signatures.
fn follow_log(
    team: &Team,
    outstanding: &mut Outstanding,
    index: usize,
    end: u64,
) -> Result<(), Mismatch> {
    if let Some(member) = remote_log(team, index) {
        let compared = member.compare(end, |number| {
            *own_descriptor(team, outstanding, number).signature()
        });
        return compared.map_err(|number| Mismatch { index, number });
    }
    let mut bytes = 0;
    while outstanding.cursors[index].found() < end {
        let cursor = &outstanding.cursors[index];
        let link = |offset| descriptor_at(team, index, offset).link();
        let Some(offset) = cursor.next(log_of(team, index), link) else {
            break;
        };
        let number = cursor.found();
        let record = descriptor_at(team, index, offset);
        if record.signature() != own_descriptor(team, outstanding, number).signature() {
            return Err(Mismatch { index, number });
        }
        bytes += record.payload_size();
        outstanding.cursors[index].push(offset);
    }
    outstanding.since_reclaim.1 = outstanding.since_reclaim.1.saturating_add(bytes);
    Ok(())
}

/// The descriptor of this image with number `number`, which is not reclaimed.
fn own_descriptor<'a>(team: &'a Team, outstanding: &Outstanding, number: u64) -> Descriptor<'a> {
    descriptor_at(
        team,
        team.index(),
        outstanding.cursors[team.index()].place(number),
    )
}

/// The number of descriptors of an image that this image has followed.
fn found_count(team: &Team, outstanding: &Outstanding, index: usize) -> u64 {
    remote_log(team, index).map_or_else(|| outstanding.cursors[index].found(), RemoteLog::found)
}

/// The number of descriptors that an image has posted, as far as this image knows.
#[inline]
pub(crate) fn posted_count(team: &Team, index: usize) -> &Eventcount {
    remote_log(team, index).map_or_else(|| &log_of(team, index).posted, RemoteLog::posted)
}

/// Follows the log of an image to number `number`, which is posted, and compares the signature. If the image made
/// another call, the job ends with a report.
pub(crate) fn find_descriptor(team: &Team, index: usize, number: u64) {
    let mut outstanding = team.outstanding.borrow_mut();
    if let Err(mismatch) = follow_log(team, &mut outstanding, index, number + 1) {
        report_mismatch(team, &outstanding, &mismatch);
    }
}

/// Where the contribution to collective `number` is of an image that shares memory with this one, and its length. Its descriptor was found.
/// The owner keeps it there until this image has finished the collective.
pub(crate) fn payload_of(team: &Team, index: usize, number: u64) -> (*const u8, usize) {
    let place = team.outstanding.borrow().cursors[index].place(number);
    let descriptor = descriptor_at(team, index, place);
    (descriptor.payload(), descriptor.payload_size())
}

/// Records that this image has finished collective `number`.
pub(crate) fn finish_collective(team: &Team, number: u64) {
    let mut outstanding = team.outstanding.borrow_mut();
    outstanding.settle(number);
    log_of(team, team.index()).finish(outstanding.settled);
    if let Some(team_logs) = team.team_logs.get() {
        team_logs.finish(team.image(), outstanding.settled);
    }
    if outstanding.note_use(0) && reclaim(team, &mut outstanding).is_err() {
        // The next call finds the mismatch again, and can report it.
        outstanding.since_reclaim = RECLAIM_AFTER;
    }
}

/// Follows the logs of all images, publishes the watermark of what this image needs no more, and reclaims what no image
/// needs.
#[cold]
fn reclaim(team: &Team, outstanding: &mut Outstanding) -> Result<(), Mismatch> {
    let image = team.image();
    image.poll();
    let (mut result, mut released) = (Ok(()), outstanding.settled);
    for index in (0..team.images()).filter(|&index| index != team.index()) {
        let followed = follow_log(team, outstanding, index, outstanding.begun);
        // A failed image posts no more, so this was all of it. Its memory stays as it is.
        if followed.is_err() || !team.is_failed(index) {
            released = released.min(found_count(team, outstanding, index));
        }
        result = result.and(followed);
    }
    outstanding
        .cursors
        .iter_mut()
        .for_each(|cursor| cursor.forget(released));
    log_of(team, team.index()).release(released);
    if let Some(team_logs) = team.team_logs.get() {
        team_logs.release(image, released);
    }
    free_reclaimable(team, outstanding);
    outstanding.since_reclaim = (0, 0);
    collect_deferred_frees(image);
    result
}

/// Reclaims what no image needs, as far as the others have published that.
fn free_reclaimable(team: &Team, outstanding: &mut Outstanding) {
    let left = (0..team.images())
        .filter(|&index| remote_log(team, index).is_none() && !team.is_failed(index));
    let mut reclaimable = Reclaimable::by(left.map(|index| log_of(team, index)));
    if let Some(team_logs) = team.team_logs.get() {
        reclaimable = team_logs.narrow(reclaimable);
    }
    outstanding.descriptors.reclaim(team.image(), reclaimable);
}

#[cold]
fn report_mismatch(team: &Team, outstanding: &Outstanding, mismatch: &Mismatch) -> ! {
    let &Mismatch { index, number } = mismatch;
    let mine = own_descriptor(team, outstanding, number).describe(team);
    let theirs = if let Some(member) = remote_log(team, index) {
        // SAFETY: the eager descriptor has arrived and was found to be of another call, so this image has not released
        // it.
        unsafe { member.describe(team, number) }
    } else {
        let link = |offset| descriptor_at(team, index, offset).link();
        let found = outstanding.cursors[index].next(log_of(team, index), link);
        let offset = found.expect("a record was found there");
        descriptor_at(team, index, offset).describe(team)
    };
    let numbers = [team.index(), index].map(|index| team.members()[index] as usize);
    disagree(team, [(numbers[0], mine), (numbers[1], theirs)])
}

/// Leaves the asynchronous collectives of a team that this image drops. Returns whether other images still need the
/// log; then the team's block is freed later.
pub(crate) fn leave_log(team: &mut Team) -> bool {
    let mut outstanding = team.outstanding.take();
    let Some(origin) = &team.origin else {
        return false;
    };
    let image = team.image();
    let log = log_of(team, team.index());
    log.finish(u64::MAX);
    log.release(u64::MAX);
    leave_team_logs(team);
    outstanding.descriptors.free_spares(image);
    if outstanding.descriptors.is_empty() {
        return false;
    }
    let deferred_free = DeferredFree {
        descriptors: outstanding.descriptors,
        parent: Rc::clone(&origin.parent),
        block: origin.block,
        members: Rc::clone(team.members()),
        control: team.identity().0 as usize,
        team_logs: team.team_logs.get().map(Rc::clone),
    };
    let is_kept = enqueue_deferred_free(image, deferred_free).is_none();
    collect_deferred_frees(image);
    is_kept
}

/// Reclaims payloads that no image needs, if they are many.
#[inline]
pub(crate) fn collect_payloads_if_many(image: &Image) {
    if image.unreclaimed_bytes.get() >= MANY {
        collect_payloads(image);
    }
}

/// Reclaims payloads that no image needs, of all teams.
#[cold]
pub(crate) fn collect_payloads(image: &Image) {
    if image.unreclaimed_bytes.get() == 0 {
        return;
    }
    image.poll();
    image.teams_to_reclaim.borrow_mut().retain(|team| {
        let Some(team) = team.upgrade() else {
            return false;
        };
        // The team may be about to post, and then reclaims by itself.
        if let Ok(mut outstanding) = team.outstanding.try_borrow_mut() {
            free_reclaimable(&team, &mut outstanding);
            outstanding.awaits_reclaim = outstanding.descriptors.has_payloads();
            outstanding.awaits_reclaim
        } else {
            true
        }
    });
    collect_deferred_frees(image);
}

impl Drop for Team {
    fn drop(&mut self) {
        if let Some(network) = &self.image().network {
            // From now on late announcements for it are ignored.
            network
                .teams
                .borrow_mut()
                .retain(|(key, _)| *key != self.key);
        }
        if leave_log(self) {
            return;
        }
        if let Some(origin) = &self.origin {
            // SAFETY: the parent allocated the block for this team, and this image does not use its structures again.
            unsafe { origin.parent.free(origin.block) };
        }
    }
}
