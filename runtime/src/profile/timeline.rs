//! What one image did, one thing after the other: records in its part of the region, which another process can read when the image is gone.
//!
//! Only a job that is [traced](crate::job::settings::Settings::trace) has room for them. A record is made when something begins, and gets its end
//! later. So records are in the order in which things began, and what an image was in the middle of when it was killed has one, too.

pub(crate) mod writer;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::profile::activity::Activity;
use crate::profile::place::Place;
use crate::profile::table::LINES;
use crate::profile::timebase::Timebase;
use coarray_fabric::system::fixed_str::FixedStr;

/// How many records an image makes; later ones are only counted.
pub(crate) const RECORDS: usize = 1 << 20;

/// So many get their memory at once.
pub(crate) const GROWTH: usize = 1 << 12;

/// The records of one image. It alone writes; others read at any time.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Timeline {
    /// How many records there are. Written with Release after the record, which pairs with the Acquire in `read`.
    count: AtomicU64,
    /// How many there would be if there was more room.
    lost: AtomicU64,
    /// What is known of the image: its number plus 1, its process, the number of its host, and what is to be added to its times.
    origin: [AtomicU64; 4],
    host_name: FixedStr<60>,
    /// The names of regions, and of what collective operations are parts of, by the record of the [table](crate::profile::table) that has their line.
    names: [FixedStr<60>; LINES],
    records: [Record; RECORDS],
}

/// Something that an image did: 32 bytes. Relaxed, but for the count of all.
#[derive(Debug)]
#[repr(C)]
struct Record {
    begin: AtomicU64,
    /// 0 until it ends.
    end: AtomicU64,
    /// The number of the object that others know it by, if there is one.
    object: AtomicU64,
    /// Bits 15..0: the record of the table that says what it is. Above: the image that it was for, plus 1.
    what: AtomicU64,
}

impl Timeline {
    /// Where in it these records are.
    pub(crate) fn place(records: &Range<usize>) -> Range<usize> {
        let offset =
            |index: usize| std::mem::offset_of!(Self, records) + index * size_of::<Record>();
        // What is before the records belongs to the first.
        let start = if records.start == 0 {
            0
        } else {
            offset(records.start)
        };
        start..offset(records.end)
    }

    /// Notes what is known of the image.
    pub(crate) fn note_origin(&self, origin: &Origin) {
        let Origin {
            number,
            process,
            host,
            shift,
            host_name,
        } = origin;
        self.host_name.set(host_name);
        let words = [
            *number as u64 + 1,
            u64::from(*process),
            *host as u64,
            *shift as u64,
        ];
        for (place, word) in self.origin.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
    }

    /// What was noted of the image, if anything was.
    pub(crate) fn origin(&self) -> Option<Origin> {
        let [number, process, host, shift] =
            [0, 1, 2, 3].map(|word: usize| self.origin[word].load(Ordering::Relaxed));
        Some(Origin {
            number: number.checked_sub(1)? as usize,
            process: process as u32,
            host: host as usize,
            shift: shift as i64,
            host_name: self.host_name.get(),
        })
    }

    /// Gives a name to a region, or to what a collective operation is a part of; the record of the table with this index has its line.
    pub(crate) fn name(&self, line: usize, name: &str) {
        self.names[line].set(name);
    }

    /// A copy, with times in nanoseconds.
    pub(crate) fn read(&self, timebase: Timebase) -> (Vec<Step>, Vec<String>, u64) {
        let number = |word: &AtomicU64| word.load(Ordering::Relaxed);
        // Pairs with the Release in `Log::begin`.
        let count = (self.count.load(Ordering::Acquire) as usize).min(RECORDS);
        let step = |record: &Record| {
            let (end, what) = (number(&record.end), number(&record.what));
            Step {
                begin: timebase.nanoseconds(number(&record.begin)),
                end: (end != 0).then(|| timebase.nanoseconds(end)),
                object: number(&record.object),
                line: (what & 0xffff) as usize,
                partner: (what >> 16).checked_sub(1).map(|image| image as usize),
            }
        };
        let steps = self.records[..count].iter().map(step).collect();
        let names = self.names.iter().map(FixedStr::get).collect();
        (steps, names, number(&self.lost))
    }
}

/// Whose timeline one is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The image.
    pub number: usize,
    /// Its process.
    pub process: u32,
    /// The number of its host, which is that of an image there.
    pub host: usize,
    /// What is added to its times, in nanoseconds, so that they are those of the host of image 0.
    pub shift: i64,
    /// The name of its host.
    pub host_name: String,
}

/// Something that an image did. Times are in nanoseconds, of a clock that all images of the machine share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When it began.
    pub begin: u64,
    /// When it ended, if it did.
    pub end: Option<u64>,
    /// The barrier, event or lock that it was about, as a number that is the same on all images; 0 for none.
    pub object: u64,
    /// What it was, as an index of the image's lines.
    pub line: usize,
    /// The image that was waited for, if it was one.
    pub partner: Option<usize>,
}

/// What one image of a job that is traced did.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// One thing after the other, in the order in which they began.
    pub steps: Vec<Step>,
    /// What they were, and at which lines; and what else than a collective operation, if they were none.
    pub lines: Vec<Option<(Place, Option<Activity>)>>,
    /// How many more there would be if there was more room.
    pub lost: u64,
    /// When the image last ended a wait, in nanoseconds.
    pub latest: u64,
}
