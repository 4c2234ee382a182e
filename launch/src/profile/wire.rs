//! Profiles as bytes, for images of other nodes.

use crate::profile::wire_moves;
use coarray_runtime::{ImageProfile, LineProfile, Place};

/// The bytes of a profile: lines of text, whose fields are separated by tabulators.
pub(super) fn encode(profile: &ImageProfile) -> Vec<u8> {
    let times = [profile.time, profile.part];
    let times: Vec<String> = times
        .iter()
        .chain(&profile.parts)
        .map(u64::to_string)
        .collect();
    let mut text = times.join("\t") + "\n";
    for line in &profile.lines {
        let LineProfile {
            calls,
            waited,
            worked,
            prompt,
            lead,
            last,
            late,
            latest,
            ..
        } = *line;
        let awaited = line.awaited as u64;
        let numbers = [
            calls, waited, worked, prompt, awaited, lead, last, late, latest,
        ];
        let mut fields: Vec<String> = numbers.iter().map(u64::to_string).collect();
        for place in [Some(&line.place), line.since.as_ref()]
            .into_iter()
            .flatten()
        {
            // No path has these, unless somebody means harm.
            fields.push(place.file.replace(['\t', '\n', '\0'], " "));
            fields.push(place.line.to_string());
            fields.push(place.column.to_string());
            fields.push(place.activity.clone());
        }
        text += &fields.join("\t");
        text.push('\n');
    }
    text += &wire_moves::encode(profile);
    text.into_bytes()
}

/// The profile with these bytes, behind which zeros may follow; without what is damaged.
pub(super) fn decode(bytes: &[u8]) -> ImageProfile {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_end_matches('\0').lines();
    let times = lines.next().unwrap_or_default().split('\t');
    let mut times = times.map_while(|time| time.parse().ok());
    let mut profile = ImageProfile {
        time: times.next().unwrap_or_default(),
        part: times.next().unwrap_or_default(),
        parts: times.collect(),
        ..ImageProfile::default()
    };
    for line in lines {
        profile.lines.extend(line_of(line));
        wire_moves::decode(line, &mut profile);
    }
    profile
}

fn line_of(text: &str) -> Option<LineProfile> {
    let mut fields = text.split('\t');
    let mut number = || -> Option<u64> { fields.next()?.parse().ok() };
    let [calls, waited, worked, prompt] = [number()?, number()?, number()?, number()?];
    let [awaited, lead, last, late, latest] =
        [number()?, number()?, number()?, number()?, number()?];
    let mut place = || {
        Some(Place {
            file: fields.next()?.into(),
            line: fields.next()?.parse().ok()?,
            column: fields.next()?.parse().ok()?,
            activity: fields.next()?.into(),
        })
    };
    Some(LineProfile {
        place: place()?,
        calls,
        waited,
        worked,
        prompt,
        awaited: awaited as usize,
        lead,
        last,
        late,
        latest,
        since: place(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_profile() {
        let place = |file: &str, line| Place {
            file: file.into(),
            line,
            column: 9,
            activity: "sync_all".into(),
        };
        let line = |place, since| LineProfile {
            place,
            calls: 1,
            waited: 2,
            worked: 8,
            prompt: 1,
            awaited: 3,
            lead: 4,
            last: 5,
            late: 6,
            latest: u64::MAX,
            since,
        };
        let profile = ImageProfile {
            time: 12,
            part: 4,
            parts: vec![0, 4, 3],
            lines: vec![
                line(place("src/main.rs", 7), None),
                line(place("", 0), Some(place("a b/\u{e9}.rs", 8))),
            ],
            ..ImageProfile::default()
        };
        let mut bytes = encode(&profile);
        bytes.extend([0; 5]);
        assert_eq!(decode(&bytes), profile);
        assert_eq!(decode(b"\0\0"), ImageProfile::default());
    }
}
