//! Where the time of a job went, and what its images moved: what is said of it at the end.

mod advice;
mod data;
mod data_report;
mod export;
mod files;
mod findings;
mod json;
mod measured;
mod page;
mod record;
mod report;
#[cfg(test)]
mod samples;
mod summary;
#[cfg(test)]
mod tests;
mod units;
mod wire;
mod wire_moves;

use std::fs;

use crate::profile::data::Data;
use crate::profile::findings::Findings;
use crate::profile::measured::Measured;
use crate::profile::record::Record;
use crate::profile::summary::Summary;
use crate::profile::units::Time;
use coarray_runtime::{ImageProfile, Place, Profile, ProfileFiles, Settings};

/// What to say at the end of the job, in whole lines, if the settings ask for it: of the images with these numbers and profiles, which had so many
/// cores together, if that is known. Writes the files that the settings name.
pub(crate) fn report_of<I: Iterator<Item = (usize, ImageProfile)>>(
    settings: &Settings,
    cores: Option<usize>,
    profiles: impl FnOnce() -> I,
) -> Option<String> {
    if settings.profile == Profile::Off {
        return None;
    }
    let record = Record {
        images: settings.images,
        cores,
        profiles: profiles().collect(),
    };
    if let Some(path) = &settings.profile_files.record {
        let mut complaints = String::new();
        if let Err(error) = fs::write(path, record.encode()) {
            files::complain(&mut complaints, path, &error);
        }
        return Some(complaints).filter(|text| !text.is_empty());
    }
    Some(match settings.profile {
        Profile::Puts => report(None, Some(record), &settings.profile_files),
        _ => report(Some(&record), None, &settings.profile_files),
    })
}

/// As [`report_of`], of two runs of a program: where its images waited, and what they moved, by the records that each has left. None if
/// the first has left none.
pub(crate) fn report_of_two(waits: &str, puts: &str, files: &ProfileFiles) -> Option<String> {
    let waits = Record::decode(waits)?;
    let puts = Record::decode(puts);
    Some(report(Some(&waits), puts, files))
}

/// How long images waited at lines, by the record of a run.
pub(crate) struct Waited(Summary);

impl Waited {
    /// By the record with this text; none if it is incomplete.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let record = Record::decode(text)?;
        Some(Self(Summary::of(record.images(), record.images)))
    }

    /// The time that each image waited at a line on the average, as text; none if that is nothing.
    pub(crate) fn at(&self, file: &str, line: u32) -> Option<String> {
        let Self(summary) = self;
        // A long name may have lost its beginning.
        let is_there = |place: &Place| {
            place.line == line && !place.file.is_empty() && file.ends_with(&*place.file)
        };
        let there = summary.lines.iter().filter(|line| is_there(&line.place));
        let waited: u64 = there.map(|line| line.waited).sum();
        let each = waited / summary.images.max(1) as u64;
        (each > 0).then(|| Time(each).to_string())
    }
}

/// The text of the report. Writes the files, too.
fn report(waits: Option<&Record>, puts: Option<Record>, files: &ProfileFiles) -> String {
    let any = waits.or(puts.as_ref());
    let images = any.map_or(0, |record| record.images);
    let findings = Findings::from(Measured {
        images,
        cores: any.and_then(|record| record.cores),
        waits: waits.map(|record| Summary::of(record.images(), record.images)),
        data: puts.map(|record| Data::of(record.profiles.into_iter(), images)),
    });
    let complaints = files::write(&findings, files);
    format!("{findings}{complaints}")
}

/// Collective. The profiles of all images, where each knows its own, if the settings ask for them.
#[cfg(feature = "cluster")]
pub(crate) fn gather(
    settings: &Settings,
    own: impl FnOnce() -> ImageProfile,
    gather: impl Fn(&[u8]) -> Vec<u8>,
) -> Option<impl Iterator<Item = (usize, ImageProfile)>> {
    if settings.profile == Profile::Off {
        return None;
    }
    let mut mine = wire::encode(&own());
    let lengths = gather(&(mine.len() as u64).to_le_bytes());
    let (lengths, _) = lengths.as_chunks();
    let longest = lengths.iter().map(|bytes| u64::from_le_bytes(*bytes)).max();
    let longest = longest.unwrap_or_default() as usize;
    mine.resize(longest, 0);
    let all = gather(&mine);
    let all: Vec<_> = all.chunks(longest).map(wire::decode).collect();
    Some(all.into_iter().enumerate())
}
