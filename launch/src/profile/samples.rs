//! Profiles for tests.

use coarray_runtime::{ImageProfile, LineMoves, LineProfile, Moved, Place};

/// A place at a line of `src/main.rs`.
pub(super) fn place(line: u32, activity: &str) -> Place {
    Place {
        file: "src/main.rs".into(),
        line,
        column: 5,
        activity: activity.into(),
    }
}

/// Waits at a place.
pub(super) fn waits(place: Place, calls: u64, waited: u64) -> LineProfile {
    LineProfile {
        place,
        calls,
        waited,
        worked: 100 * calls * 1000,
        prompt: 0,
        awaited: 0,
        lead: 0,
        last: 0,
        late: 0,
        latest: 0,
        since: None,
    }
}

/// An image that ran for a second.
pub(super) fn image(lines: Vec<LineProfile>) -> ImageProfile {
    ImageProfile {
        time: 1_000_000_000,
        lines,
        ..ImageProfile::default()
    }
}

/// So many operations of so many bytes in all, none beside another, to one image of the same node.
pub(super) fn moves(place: Place, operations: u64, bytes: u64) -> LineMoves {
    LineMoves {
        place,
        own: Moved::default(),
        near: Moved { operations, bytes },
        far: Moved::default(),
        pieces: operations,
        runs: operations,
        stride: None,
        targets: 1,
        issued: 0,
        waited_at_once: 0,
    }
}

/// A program with so many lines, whose images wait here and there, and put to their neighbours.
pub(super) fn large(images: usize, lines: u32) -> Vec<ImageProfile> {
    let profile = |me: usize| {
        let uneven =
            |line: usize| 30_000_000 / (line as u64 + 1) * (1 + (me as u64 * 7 + line as u64) % 5);
        let wait = |line: usize| LineProfile {
            awaited: (me + 1) % images,
            lead: uneven(line) / 3,
            last: if me == line % images { 900 } else { 3 },
            late: 5_000_000,
            latest: 90_000,
            since: Some(place(line as u32 + 1, "sync_all")),
            ..waits(place(10 * line as u32 + 10, "sync_all"), 1000, uneven(line))
        };
        let all: Vec<_> = (0..lines as usize).map(wait).collect();
        let part = 8_000_000;
        let parts = (0..125).map(|step| part * ((step * 13 + me as u64 * 5) % 10) / 20);
        let row = (0..images).map(|other| {
            let distance = me.abs_diff(other).min(images - me.abs_diff(other)) as u32;
            let operations = if distance < 12 {
                80_000_u64 >> distance
            } else {
                0
            };
            Moved {
                operations,
                bytes: 8 * operations,
            }
        });
        ImageProfile {
            part,
            parts: parts.collect(),
            moves: (0..lines)
                .map(|line| moves(place(line, "put"), 1000 - u64::from(line), 8000))
                .collect(),
            row: row.collect(),
            ..image(all)
        }
    };
    (0..images).map(profile).collect()
}
