//! What images and their supervisor share besides the heaps: fixed structures of atomics, at the start of the region
//! and at the start of each image's part.
//!
//! All-zero bytes, as in a fresh region, are a valid initial state of every structure here.

mod failure;
mod process_memory;
pub(crate) mod steps;
mod table;
mod traffic;
mod wait;

use std::mem::offset_of;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::call::record::CallRecords;
use crate::job::contention::Contention;
use crate::lockfree::barrier::dissemination::Line;
use crate::lockfree::checked_barrier::BarrierState;
use crate::lockfree::eventcount::Eventcount;
use crate::lockfree::lending::Lending;
use crate::lockfree::log::Log;
use crate::lockfree::parking::Table;
use crate::lockfree::post_ring::PostRing;
use crate::lockfree::queue_lock::{Nodes, QueueLock};
use crate::profile::arrival_times::ArrivalTimes;
use crate::profile::table::ImageTable;
use crate::profile::timeline::Timeline;
use coarray_fabric::system::fixed_str::FixedStr;
use coarray_fabric::system::limits::MAX_IMAGES;
use coarray_fabric::transport::signal::Signal;

pub use failure::Failure;

pub(crate) use failure::{FailureRecord, OWN_WORDS};
pub(crate) use process_memory::ProcessMemory;
pub(crate) use steps::Steps;
pub(crate) use table::TableRecord;
pub(crate) use traffic::Traffic;
pub(crate) use wait::WaitRecord;

const MAX_ROUNDS: usize = MAX_IMAGES.trailing_zeros() as usize;

/// As many leaders may tell of arrivals by a signal in one barrier.
pub(crate) const SLOTS: usize = MAX_ROUNDS;

/// Changes with the version of this crate and with the layout, so a launcher and a program built from different sources
/// notice that.
pub(crate) const LAYOUT: u64 = fingerprint(env!("CARGO_PKG_VERSION").as_bytes(), &SIZES);

/// The sizes of the structures that images and supervisor share, and the offsets of their parts.
const SIZES: [usize; 43] = [
    size_of::<JobControl>(),
    offset_of!(JobControl, keeps_going),
    offset_of!(JobControl, failure_epoch),
    offset_of!(JobControl, has_parking),
    offset_of!(JobControl, contention),
    offset_of!(JobControl, parking),
    offset_of!(JobControl, failure),
    offset_of!(JobControl, table),
    offset_of!(FailureRecord, image),
    offset_of!(FailureRecord, code),
    offset_of!(FailureRecord, text),
    size_of::<ImageControl>(),
    offset_of!(ImageControl, stage),
    offset_of!(ImageControl, process),
    offset_of!(ImageControl, unwinds),
    offset_of!(ImageControl, last_words),
    offset_of!(ImageControl, memory),
    offset_of!(ImageControl, calls),
    offset_of!(ImageControl, waiting),
    offset_of!(ImageControl, stopped),
    offset_of!(ImageControl, traffic),
    offset_of!(ImageControl, nodes),
    offset_of!(ImageControl, team),
    size_of::<TeamControl>(),
    offset_of!(TeamControl, state),
    offset_of!(TeamControl, steps),
    offset_of!(TeamControl, lines),
    offset_of!(TeamControl, critical),
    offset_of!(TeamControl, log),
    offset_of!(TeamControl, posts),
    size_of::<PostRing>(),
    size_of::<BarrierState>(),
    size_of::<Steps>(),
    offset_of!(TeamControl, relayed),
    size_of::<Line>(),
    size_of::<QueueLock>(),
    size_of::<Nodes>(),
    size_of::<Log>(),
    size_of::<CallRecords>(),
    size_of::<WaitRecord>(),
    offset_of!(TeamControl, times),
    size_of::<ImageTable>(),
    size_of::<Timeline>(),
];

/// A hash of the version and the layout: FNV-1a (Fowler, Noll, Vo, 1991).
const fn fingerprint(version: &[u8], sizes: &[usize]) -> u64 {
    const fn add(hash: u64, byte: u8) -> u64 {
        (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
    }
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < version.len() {
        hash = add(hash, version[at]);
        at += 1;
    }
    at = 0;
    while at < sizes.len() {
        let bytes = (sizes[at] as u64).to_le_bytes();
        let mut byte = 0;
        while byte < bytes.len() {
            hash = add(hash, bytes[byte]);
            byte += 1;
        }
        at += 1;
    }
    hash
}

/// The structure that the whole job shares, at the start of the region.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct JobControl {
    /// Whether images may fail without ending the job.
    keeps_going: AtomicU32,
    /// [`ENDED`] once the job must end, plus [`ONE_FAILED`] for each image that has failed, and in a job that keeps going for each
    /// that has stopped. Every long wait reads it.
    failure_epoch: AtomicU32,
    /// Whether any image has waited for a coatomic.
    has_parking: AtomicU32,
    pub(crate) contention: Contention,
    /// Where processes wake images that wait for coatomics.
    pub(crate) parking: Table,
    /// Why the job ended.
    pub failure: FailureRecord,
    pub(crate) table: TableRecord,
}

/// The bit of the failure epoch that says that the job must end.
pub(crate) const ENDED: u32 = 1;

/// What each failed image adds to the failure epoch.
pub(crate) const ONE_FAILED: u32 = 2;

impl JobControl {
    pub(crate) fn end(&self) {
        self.failure_epoch.fetch_or(ENDED, Ordering::Release);
    }

    #[inline]
    /// Whether the job has ended.
    pub fn has_ended(&self) -> bool {
        self.failure_epoch() & ENDED != 0
    }

    /// Changes whenever an image fails, when the job ends, and in a job that keeps going when an image stops.
    #[inline]
    pub(crate) fn failure_epoch(&self) -> u32 {
        self.failure_epoch.load(Ordering::Acquire)
    }

    /// Whether any image may have failed.
    #[inline]
    pub(crate) fn has_failures(&self) -> bool {
        self.failure_epoch() >= ONE_FAILED
    }

    /// Notes that an image waits for a coatomic, which is before it records that it sleeps.
    #[inline]
    pub(crate) fn note_parking(&self) {
        if !self.has_parking() {
            self.has_parking.store(1, Ordering::Relaxed);
        }
    }

    /// Whether any image has waited for a coatomic.
    #[inline]
    pub(crate) fn has_parking(&self) -> bool {
        self.has_parking.load(Ordering::Relaxed) != 0
    }

    /// Lets images fail without ending the job. Called before any image starts.
    pub fn keep_going(&self) {
        self.keeps_going.store(1, Ordering::Relaxed);
    }

    /// Whether the job goes on when an image fails.
    pub fn keeps_going(&self) -> bool {
        self.keeps_going.load(Ordering::Relaxed) != 0
    }

    /// Declares an image failed: its process has ended, or its thread accesses nothing any more. One that had come to the end of the
    /// program has stopped, for all others alike, and is only gone now.
    pub fn declare_failed(&self, control: &ImageControl) {
        control.set_stage(match control.stage() {
            Stage::Stopped => Stage::Finished,
            _ => Stage::Failed,
        });
        self.failure_epoch.fetch_add(ONE_FAILED, Ordering::Release);
    }

    /// Declares that an image of a job that keeps going has come to the end of the program.
    pub(crate) fn declare_stopped(&self, control: &ImageControl) {
        control.set_stage(Stage::Stopped);
        self.failure_epoch.fetch_add(ONE_FAILED, Ordering::Release);
        control.stopped.advance_to(1);
    }

    /// What the failure epoch is when all images with these stages have been declared failed or stopped, unless the job has ended.
    pub(crate) fn failure_epoch_of(&self, stages: impl Iterator<Item = Stage>) -> usize {
        let keeps_going = usize::from(self.keeps_going());
        let declared = stages.map(|stage| match stage {
            Stage::Failed => 1,
            Stage::Stopped => keeps_going,
            // It stopped, and may have been declared failed after that.
            Stage::Finished => 2 * keeps_going,
            Stage::Absent | Stage::Running => 0,
        });
        declared.sum::<usize>() * ONE_FAILED as usize
    }
}

/// The stage of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stage {
    /// Its process or thread has not reached the launch.
    Absent = 0,
    /// It runs the program.
    Running = 1,
    /// It has come to the end of the program, and waits there for the others.
    Stopped = 2,
    /// It has passed the end of the program together with all others.
    Finished = 3,
    /// It has failed, and the others go on.
    Failed = 4,
}

impl Stage {
    /// The stage with this number.
    pub(crate) fn of(number: u32) -> Self {
        match number {
            0 => Self::Absent,
            1 => Self::Running,
            2 => Self::Stopped,
            3 => Self::Finished,
            _ => Self::Failed,
        }
    }
}

/// The start of one image's part of the region.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ImageControl {
    stage: AtomicU32,
    /// The process that has claimed to be this image; 0 for none.
    process: AtomicU32,
    /// 1 while it takes part in a collective operation although a panic unwinds it; `last_words` is about that panic.
    unwinds: AtomicU32,
    /// Why it failed, in its own words, if it had time for any.
    pub last_words: FixedStr<1024>,
    pub(crate) memory: ProcessMemory,
    pub(crate) calls: CallRecords,
    pub(crate) waiting: WaitRecord,
    /// 1 when it has come to the end of the program, in a job that keeps going.
    pub(crate) stopped: Eventcount,
    pub(crate) traffic: Traffic,
    /// Its nodes in the queues of locks.
    pub(crate) nodes: Nodes,
    /// Its part in the team of all images.
    pub(crate) team: TeamControl,
}

/// One image's part in one team.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct TeamControl {
    pub(crate) state: BarrierState,
    pub(crate) steps: Steps,
    /// Mailboxes of the dissemination barrier, by the parity of the barrier's number and the round.
    pub(crate) lines: [[Line; MAX_ROUNDS]; 2],
    /// Where leaders of other nodes tell that their arrivals agree, by the parity of the barrier's number and the slot.
    pub(crate) relayed: [[Signal; SLOTS]; 2],
    /// The lock of the team's critical sections; only that of its image 0 is used.
    pub(crate) critical: QueueLock,
    /// The log of its asynchronous collectives.
    pub(crate) log: Log,
    /// What it posts in blocking collectives.
    pub(crate) posts: PostRing,
    /// What it lends to the others, and reads from them.
    pub(crate) lending: Lending,
    /// When it entered barriers, in profiled jobs.
    pub(crate) times: ArrivalTimes,
}

impl ImageControl {
    /// Where the stage is.
    pub(crate) const STAGE: usize = offset_of!(Self, stage);

    /// Records that this panic unwinds the image, which is about to take part in a collective operation; or that none
    /// does.
    pub(crate) fn note_panic(&self, text: Option<&str>) {
        self.last_words.set(text.unwrap_or_default());
        self.unwinds
            .store(u32::from(text.is_some()), Ordering::Release);
    }

    /// The panic that unwinds the image.
    pub(crate) fn panic(&self) -> Option<String> {
        (self.unwinds.load(Ordering::Acquire) == 1).then(|| self.last_words.get())
    }

    /// Makes `process` this image, unless another process is: then returns that one.
    pub fn claim(&self, process: u32) -> Result<(), u32> {
        self.process
            .compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire)
            .map(drop)
    }

    /// The process that has claimed to be this image.
    pub fn process(&self) -> Option<u32> {
        Some(self.process.load(Ordering::Acquire)).filter(|&process| process != 0)
    }

    pub(crate) fn set_stage(&self, stage: Stage) {
        self.stage.store(stage as u32, Ordering::Release);
    }

    /// The stage of the image.
    pub fn stage(&self) -> Stage {
        Stage::of(self.stage.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_or_another_layout_is_noticed() {
        let version = env!("CARGO_PKG_VERSION").as_bytes();
        assert_eq!(LAYOUT, fingerprint(version, &SIZES));
        assert_ne!(LAYOUT, fingerprint(b"0.0.1", &SIZES));
        for changed in 0..SIZES.len() {
            let mut sizes = SIZES;
            sizes[changed] += 8;
            assert_ne!(LAYOUT, fingerprint(version, &sizes), "{changed}");
        }
    }
}
