//! Profiles of one run in a file, for the process that has asked for two runs.

use std::fmt::Write;

use crate::profile::wire;
use coarray_runtime::ImageProfile;

/// What one run has left: how many images it had, how many cores they had together if that is known, and the profiles of those of which one is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) images: usize,
    pub(super) cores: Option<usize>,
    pub(super) profiles: Vec<(usize, ImageProfile)>,
}

impl Record {
    /// The numbers and profiles of images.
    pub(super) fn images(&self) -> impl Iterator<Item = (usize, &ImageProfile)> {
        self.profiles
            .iter()
            .map(|(image, profile)| (*image, profile))
    }

    /// As text: a line with the numbers, and for each profile a line with the number of its image and that of the bytes that follow.
    pub(super) fn encode(&self) -> String {
        let mut text = format!("{} {}\n", self.images, self.cores.unwrap_or(0));
        for (image, profile) in &self.profiles {
            let profile = wire::encode(profile);
            let _ = writeln!(text, "{image} {}", profile.len());
            text += &String::from_utf8_lossy(&profile);
        }
        text
    }

    /// The record with this text; none if it is incomplete.
    pub(super) fn decode(text: &str) -> Option<Self> {
        let (images, mut rest) = numbers(text)?;
        let mut record = Self {
            images: images[0],
            cores: Some(images[1]).filter(|&cores| cores > 0),
            profiles: Vec::new(),
        };
        while !rest.is_empty() {
            let ([image, length], behind) = numbers(rest)?;
            let (profile, behind) = behind.split_at_checked(length)?;
            record
                .profiles
                .push((image, wire::decode(profile.as_bytes())));
            rest = behind;
        }
        Some(record)
    }
}

/// The two numbers of a line, and what follows it.
fn numbers(text: &str) -> Option<([usize; 2], &str)> {
    let (line, rest) = text.split_once('\n')?;
    let (one, other) = line.split_once(' ')?;
    Some(([one.parse().ok()?, other.parse().ok()?], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let profile = |time| ImageProfile {
            time,
            part: 2,
            parts: vec![1, 0, 2],
            ..ImageProfile::default()
        };
        let record = Record {
            images: 4,
            cores: Some(2),
            profiles: vec![(0, profile(12)), (3, profile(7))],
        };
        let text = record.encode();
        assert_eq!(Record::decode(&text), Some(record));
        for end in [0, 1, text.len() - 1] {
            assert_eq!(Record::decode(&text[..end]), None, "{end}");
        }
    }
}
