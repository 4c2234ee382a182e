//! Rules about what images move.

use crate::profile::advice::{Advice, Rule, SMALL};
use crate::profile::data::Data;
use crate::profile::measured::Measured;
use crate::profile::units::{Count, Percent, Time};
use coarray_runtime::LineMoves;

pub(super) const RULES: [Rule; 7] = [
    side_by_side,
    strided,
    gets_one_by_one,
    waited_at_once,
    few_partners,
    hot_word,
    own_part,
];

/// So many operations are in a loop.
const MANY: u64 = 1000;

/// So many operations side by side are worth one call. The fewer, the less it changes.
const RUN: f64 = 8.0;

/// The most bytes of a small operation: a message of more takes its time for the bytes, not for being one.
const FINE: u64 = 256;

/// What a message costs on a cluster, in nanoseconds, to the image that sends it.
const MESSAGE: f64 = 1000.0;

/// What it costs to wait for the answer to one.
const ROUND_TRIP: f64 = 2000.0;

/// What a put or get of the own part costs at most more than an access to a slice.
const OWN: f64 = 1.0;

/// Where no time is known, nothing is said of what costs each image less than that, in nanoseconds.
const CHEAP: f64 = 1e6;

/// The part of the operations that makes them all.
const NEARLY_ALL: f64 = 0.9;

/// An image with so many partners is better off waiting for these than for all, if there are twice as many others.
const PARTNERS: usize = 4;

/// The part of the time of a barrier that is worth another kind of synchronisation.
const BARRIER: f64 = 0.05;

/// Small puts or gets, each beginning where the one before ended.
fn side_by_side(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    worst(job, |line| {
        let is_it = is_fine(line) && line.run_length() >= RUN;
        let (measured, share) = messages(job, data, line, MESSAGE)?;
        is_it.then(|| Advice {
            rule: "fine puts and gets",
            place: Some(line.place.clone()),
            share,
            measured: format!(
                "{:.0} operations side by side each time, {measured}",
                line.run_length()
            ),
            remedy: match is_get(line) {
                true => "`get_into` a slice".into(),
                false => "`put_from` a slice".into(),
            },
        })
    })
}

/// Small puts or gets at equal distances.
fn strided(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    worst(job, |line| {
        let stride = line.stride.filter(|&stride| stride != 0)?;
        let is_it = is_fine(line) && line.run_length() < RUN && line.targets == 1;
        let (measured, share) = messages(job, data, line, MESSAGE)?;
        is_it.then(|| Advice {
            rule: "strided puts and gets",
            place: Some(line.place.clone()),
            share,
            measured: format!("operations {} bytes apart, {measured}", stride.abs()),
            remedy: "one of a `section` or a `region`".into(),
        })
    })
}

/// Gets from other nodes, each waited for before the next.
fn gets_one_by_one(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    worst(job, |line| {
        let is_single = line.run_length() < RUN && line.stride.is_none_or(|stride| stride == 0);
        let is_it = is_fine(line)
            && is_get(line)
            && is_single
            && line.issued == 0
            && line.far.operations >= MANY;
        let each = line.far.operations as f64 * ROUND_TRIP / data.known as f64;
        (is_it && is_worth(job, data, line.far.operations, each)).then(|| Advice {
            rule: "gets one by one",
            place: Some(line.place.clone()),
            share: share(job, each),
            measured: format!(
                "{} gets from other nodes, each waited for before the next",
                Count(line.far.operations)
            ),
            remedy: "`get_async` several and wait for all, or get a list of items".into(),
        })
    })
}

/// Asynchronous puts and gets that are waited for at once.
fn waited_at_once(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    worst(job, |line| {
        let is_it = line.issued >= MANY
            && line.waited_at_once as f64 >= NEARLY_ALL * line.issued as f64
            && line.elsewhere().operations > 0;
        let (measured, share) = messages(job, data, line, ROUND_TRIP)?;
        is_it.then(|| Advice {
            rule: "no overlap",
            place: Some(line.place.clone()),
            share,
            measured: format!(
                "{} of {} asynchronous operations are waited for at once, {measured}",
                Count(line.waited_at_once),
                Count(line.issued)
            ),
            remedy: "begin several, or compute before the wait".into(),
        })
    })
}

/// A barrier of all between images of which each has to do with few.
fn few_partners(job: &Measured) -> Option<Advice> {
    let (summary, data) = (job.waits.as_ref()?, job.data.as_ref()?);
    let images = data.matrix.images();
    let partners = |image| {
        let others = (0..images).filter(|&other| other != image);
        let touches = |&other: &usize| {
            data.matrix.at(image, other).operations + data.matrix.at(other, image).operations > 0
        };
        others.filter(touches).count()
    };
    let most = (0..images).map(partners).max()?;
    let is_local = (1..=PARTNERS).contains(&most) && images > 2 * most;
    let is_barrier = |activity: &str| {
        activity == "sync_all" || activity == "open" || activity == "the end of the open phase"
    };
    let line = summary.lines.iter().find(|line| {
        is_barrier(&line.place.activity)
            && line.calls >= MANY / 10
            && summary.share(line.waited) >= BARRIER
    })?;
    let share = summary.share(line.waited);
    is_local.then(|| Advice {
        rule: "barrier between few",
        place: Some(line.place.clone()),
        share: Some(share),
        measured: format!(
            "all {images} images wait for each other ({} of the time), but none moves data to or from more than {most}",
            Percent(share)
        ),
        remedy: "`sync_images`, events, or a HaloArray".into(),
    })
}

/// Atomic operations of all images on one word.
fn hot_word(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    let images = data.matrix.images();
    worst(job, |line| {
        let is_one = line.stride == Some(0) && line.targets <= 1;
        let all = line.all().operations;
        // Each operation at the line is one of its image with the image that has the word.
        let of = |image| (0..images).map(move |from| data.matrix.at(from, image).operations);
        let owner = (0..images).find(|&image| of(image).sum::<u64>() >= all);
        let is_it = is_one && images > 1 && line.place.activity.contains("atomic");
        let (measured, share) = messages(job, data, line, MESSAGE)?;
        let owner = owner.filter(|&owner| is_it && of(owner).filter(|&one| one > 0).count() > 1)?;
        Some(Advice {
            rule: "hot word",
            place: Some(line.place.clone()),
            share,
            measured: format!("atomic operations on one word of image {owner}, {measured}"),
            remedy: "count on each image, and add up by `co_sum`".into(),
        })
    })
}

/// An image that reaches for its own part as if it were another's.
fn own_part(job: &Measured) -> Option<Advice> {
    let data = job.data.as_ref()?;
    worst(job, |line| {
        let own = line.own.operations;
        let cost = own as f64 * OWN / data.known as f64;
        let is_it = own >= MANY && own as f64 >= NEARLY_ALL * line.all().operations as f64;
        let is_fine = line.own.bytes <= FINE * own;
        (is_it && is_fine && is_worth(job, data, own, cost)).then(|| Advice {
            rule: "own part",
            place: Some(line.place.clone()),
            share: share(job, cost),
            measured: format!("{} operations are on the image's own part", Count(own)),
            remedy: "close the coarray, and use a slice of it".into(),
        })
    })
}

/// Of a line that could be messages: how many, what they cost on a cluster, and the part of the time that this is. None if that is little.
fn messages(
    job: &Measured,
    data: &Data,
    line: &LineMoves,
    cost: f64,
) -> Option<(String, Option<f64>)> {
    let all = line.elsewhere().operations;
    let each = all as f64 * cost / data.known.max(1) as f64;
    let is_enough = all >= MANY && is_worth(job, data, all, each);
    let near = match line.near.operations {
        0 => format!("{} messages", Count(all)),
        _ => format!(
            "{} messages on a cluster, about {} for each image",
            Count(all),
            Time(each as u64)
        ),
    };
    is_enough.then(|| (near, share(job, each)))
}

/// The part of the time that so much is for each image, if the time is known; at most all of it.
fn share(job: &Measured, time: f64) -> Option<f64> {
    let summary = job.waits.as_ref()?;
    (summary.time > 0).then(|| (time / summary.time as f64).min(1.0))
}

/// Whether so many operations are worth a change, if they cost each image so much.
fn is_worth(job: &Measured, data: &Data, operations: u64, cost: f64) -> bool {
    if let Some(share) = share(job, cost) {
        return share >= SMALL;
    }
    let all: u64 = data.lines.iter().map(|line| line.all().operations).sum();
    operations as f64 >= SMALL * all as f64 && cost >= CHEAP
}

/// Whether the operations of a line are small puts or gets.
fn is_fine(line: &LineMoves) -> bool {
    let all = line.all();
    (is_get(line) || line.place.activity.starts_with("put")) && all.bytes <= FINE * all.operations
}

fn is_get(line: &LineMoves) -> bool {
    line.place.activity.starts_with("get")
}

/// What is said of the line with the most operations, of those of which something is said.
fn worst(job: &Measured, of: impl FnMut(&LineMoves) -> Option<Advice>) -> Option<Advice> {
    job.data.as_ref()?.lines.iter().find_map(of)
}
