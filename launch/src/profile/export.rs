//! A profile for scripts: all that is known, in JSON. The book's chapter "Where the time goes" describes it.

use crate::profile::advice::Advice;
use crate::profile::data::Data;
use crate::profile::findings::Findings;
use crate::profile::json::Json;
use crate::profile::summary::{Late, Line, Run, Summary, Visits};
use coarray_runtime::{LineMoves, Moved, Place};

/// Changes whenever a script that reads the file would have to.
const FORMAT: &str = "coarray profile 1";

/// The profile, as JSON.
pub(super) fn json_of(findings: &Findings) -> Json {
    Json::Object(vec![
        ("format", FORMAT.into()),
        ("images", findings.measured.images.into()),
        ("cores", findings.measured.cores.into()),
        ("waits", findings.measured.waits.as_ref().map(waits).into()),
        ("data", findings.measured.data.as_ref().map(data).into()),
        ("advice", findings.advice.iter().map(advice).collect()),
    ])
}

fn waits(summary: &Summary) -> Json {
    Json::Object(vec![
        ("images_known", summary.known().into()),
        ("time_ns", summary.time.into()),
        ("parallel_efficiency", summary.efficiency().into()),
        ("load_balance", summary.balance().into()),
        ("communication_efficiency", summary.communication().into()),
        ("unknown_share", summary.unknown().into()),
        ("by_image", summary.runs.iter().map(run).collect()),
        (
            "lines",
            summary.lines.iter().map(|one| line(summary, one)).collect(),
        ),
    ])
}

fn run(run: &Run) -> Json {
    Json::Object(vec![
        ("image", run.image.into()),
        ("time_ns", run.time.into()),
        ("useful_ns", run.useful.into()),
        ("part_ns", run.part.into()),
        ("waited_by_part_ns", run.parts.iter().copied().collect()),
    ])
}

fn line(summary: &Summary, line: &Line) -> Json {
    let awaited = line.awaited.filter(|(_, lead)| *lead > 0);
    let awaited = awaited
        .map(|(image, lead)| Json::Object(vec![("image", image.into()), ("lead_ns", lead.into())]));
    let mut members = place(&line.place);
    members.extend([
        ("calls", line.calls.into()),
        ("waited_ns", line.waited.into()),
        ("share", summary.share(line.waited).into()),
        ("awaited", awaited.into()),
        ("late", line.late.iter().map(late).collect()),
        ("by_image", line.visits.iter().map(visits).collect()),
    ]);
    Json::Object(members)
}

fn visits(visits: &Visits) -> Json {
    Json::Object(vec![
        ("image", visits.image.into()),
        ("calls", visits.calls.into()),
        ("waited_ns", visits.waited.into()),
        ("worked_before_ns", visits.worked.into()),
        ("prompt_calls", visits.prompt.into()),
    ])
}

fn late(late: &Late) -> Json {
    let since = late.since.as_ref();
    Json::Object(vec![
        ("image", late.image.into()),
        ("times", late.times.into()),
        ("total_ns", late.total.into()),
        ("longest_ns", late.longest.into()),
        (
            "since",
            since.map(|since| Json::Object(place(since))).into(),
        ),
    ])
}

fn data(data: &Data) -> Json {
    let images = 0..data.matrix.images();
    let rows = |number: fn(Moved) -> u64| -> Json {
        let row = |from| -> Json {
            let images = images.clone();
            images.map(|to| number(data.matrix.at(from, to))).collect()
        };
        images.clone().map(row).collect()
    };
    Json::Object(vec![
        ("images_known", data.known.into()),
        ("lines", data.lines.iter().map(moves).collect()),
        (
            "matrix",
            Json::Object(vec![
                ("operations", rows(|moved| moved.operations)),
                ("bytes", rows(|moved| moved.bytes)),
            ]),
        ),
    ])
}

fn moves(moves: &LineMoves) -> Json {
    let moved = |moved: Moved| {
        Json::Object(vec![
            ("operations", moved.operations.into()),
            ("bytes", moved.bytes.into()),
        ])
    };
    let mut members = place(&moves.place);
    members.extend([
        ("own", moved(moves.own)),
        ("same_node", moved(moves.near)),
        ("other_nodes", moved(moves.far)),
        ("pieces", moves.pieces.into()),
        ("runs", moves.runs.into()),
        ("stride_bytes", moves.stride.into()),
        ("targets", moves.targets.into()),
        ("asynchronous", moves.issued.into()),
        ("waited_for_at_once", moves.waited_at_once.into()),
    ]);
    Json::Object(members)
}

fn advice(advice: &Advice) -> Json {
    let mut members = vec![
        ("rule", Json::from(advice.rule)),
        ("share", advice.share.into()),
        ("text", advice.text().as_str().into()),
    ];
    members.extend(advice.place.iter().flat_map(place));
    Json::Object(members)
}

fn place(place: &Place) -> Vec<(&'static str, Json)> {
    let at = (!place.file.is_empty()).then_some(place);
    vec![
        ("file", at.map(|place| &*place.file).into()),
        ("line", at.map(|place| place.line).into()),
        ("column", at.map(|place| place.column).into()),
        ("activity", (&*place.activity).into()),
    ]
}
