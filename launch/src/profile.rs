//! Where the time of a job went, and what it moved: what is said of it at the end.

mod data;
mod data_report;
mod report;
mod summary;
#[cfg(feature = "cluster")]
mod wire;
#[cfg(feature = "cluster")]
mod wire_moves;

use crate::profile::data::Data;
use crate::profile::summary::Summary;
use coarray_runtime::{ImageProfile, Profile, Settings};

/// What to say at the end of the job, in whole lines, if the settings ask for it: of the images with these numbers and profiles.
pub(crate) fn text_of<I: Iterator<Item = (usize, ImageProfile)>>(
    settings: &Settings,
    profiles: impl FnOnce() -> I,
) -> Option<String> {
    match settings.profile {
        Profile::Off => None,
        Profile::Waits => Some(Summary::of(profiles(), settings.images).to_string()),
        Profile::Puts => Some(Data::of(profiles(), settings.images).to_string()),
    }
}

/// Collective. As [`text_of`], where each image knows its own profile.
#[cfg(feature = "cluster")]
pub(crate) fn gathered_text_of(
    settings: &Settings,
    own: impl FnOnce() -> ImageProfile,
    gather: impl Fn(&[u8]) -> Vec<u8>,
) -> Option<String> {
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
    text_of(settings, || {
        all.chunks(longest).map(wire::decode).enumerate()
    })
}
