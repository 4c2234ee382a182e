//! What an image notes of its calls and waits, in a job that is profiled, traced, or counts what moves.

use std::ops::Range;
use std::sync::Arc;

use crate::call::Call;
use crate::image::Image;
use crate::job::Job;
use crate::profile::activity::{Activity, code_of_call};
use crate::profile::recorder::{Recorder, Recording};
use crate::profile::timeline::Timeline;
use crate::profile::timeline::writer::{Room, Writer};
use coarray_fabric::memory::locality::Place;

impl Image {
    /// Notes in a profiled job that the image comes to a collective operation, which is recorded.
    pub(crate) fn profile_call(&self, call: &Call) {
        if let Some(recording) = self.recording_of_call() {
            recording.come();
            recording.enter_call(call);
        }
        self.count_call(call);
    }

    /// Notes in a job that counts what moves that the image comes to a collective operation, which is recorded.
    pub(crate) fn count_call(&self, call: &Call) {
        if let Some(counting) = &self.counting {
            counting.enter_call(call.caller(), code_of_call(call.signature()));
            // The next one is to be recorded, too.
            self.last_call.differ();
        }
    }

    /// Where the image notes a collective operation that is recorded, if the job is profiled.
    #[inline]
    pub(crate) fn recording_of_call(&self) -> Option<Recording<'_>> {
        let recording = self.recording()?;
        // The next one is to be recorded, too.
        self.last_call.differ();
        Some(recording)
    }

    /// Where the image notes its waits, if the job is profiled.
    #[inline]
    pub(crate) fn recording(&self) -> Option<Recording<'_>> {
        self.recorder.as_ref().map(|recorder| Recording {
            recorder,
            table: self.job.region.table(self.index),
        })
    }

    /// Whether it notes in a timeline what it does.
    pub(crate) fn is_traced(&self) -> bool {
        let recorder = self.recorder.as_ref();
        recorder.is_some_and(Recorder::is_traced)
    }

    /// Notes in a job that is traced that the image is about to do what may end a wait for the event or the lock at this place.
    #[cold]
    pub(crate) fn note_release(&self, activity: Activity, place: Option<Place>) {
        if let Some(recording) = self.recording() {
            recording.note_release(activity, place.map_or(0, number_of_place));
        }
    }

    /// The number by which all images know what is at this address of a part.
    pub(crate) fn number_of_object(&self, address: usize) -> u64 {
        let place = self.job.region.locate(address);
        place.map_or(0, |(image, offset)| {
            number_of_place(Place { image, offset })
        })
    }
}

/// The recorder of an image of this job.
pub(super) fn recorder(job: &Arc<Job>, index: usize) -> Recorder {
    let room = || TimelineRoom(Arc::clone(job), index);
    let is_traced = job.region.is_traced();
    let writer = is_traced.then(|| Writer::new(Box::new(room())));
    Recorder::new(writer.flatten())
}

/// Where the timeline of an image is.
struct TimelineRoom(Arc<Job>, usize);

impl Room for TimelineRoom {
    fn timeline(&self) -> &Timeline {
        self.0.region.timeline(self.1)
    }

    fn grow(&self, records: Range<usize>) -> bool {
        self.0.region.commit_records(self.1, &records).is_ok()
    }
}

fn number_of_place(place: Place) -> u64 {
    object_number([place.image, place.offset, 0])
}

/// A number for an object that is one by these numbers, and not 0.
pub(crate) fn object_number(numbers: [usize; 3]) -> u64 {
    // By a hash: Fibonacci's multiplication, of each number after the others.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let add =
        |hash: u64, number: usize| (hash ^ number as u64).wrapping_mul(FACTOR).rotate_left(29);
    numbers.into_iter().fold(1, add).max(1)
}
