//! Rules about where images wait.

use crate::profile::advice::{Advice, Rule, SHORT, SMALL};
use crate::profile::measured::Measured;
use crate::profile::summary::{Line, Summary, Visits};
use crate::profile::units::{Percent, Time};

pub(super) const RULES: [Rule; 6] = [crowd, imbalance, lock, tiny, phases, overlap];

/// An image that comes last this often to a line, or for which the others wait for this part of their time there, has more to do than the others;
/// one that is late by chance is not.
const MOSTLY: f64 = 0.6;

/// The part of the time below which an uneven division is as good as it gets.
const UNEVEN: f64 = 0.05;

/// An image that works only that much longer than the others may as well be late by chance.
const LONGER: f64 = 1.05;

/// An image that is late no more than so often was perhaps without a core then, unless each other one waited for longer than that, in nanoseconds.
const SELDOM: u64 = 3;
const CHANCE: u64 = 50_000_000;

/// The part of the run for which some image waits for a lock when it is worth a change: there is somebody behind the holder for as long.
const CONTENDED: f64 = 0.3;

/// So many calls are in a loop.
const MANY: u64 = 500;

/// The part of the calls that come right after another wait when that is what the loop is like.
const NEARLY_ALL: f64 = 0.9;

/// Operations that go on while an image works for less than this part of the time that it then waits might as well be waited for at once.
const OVERLAP: f64 = 0.1;

/// More images than cores: they wait for cores, and all times are of this machine only.
fn crowd(job: &Measured) -> Option<Advice> {
    let (summary, cores) = (job.waits.as_ref()?, job.cores?);
    let share = summary.share(summary.waited());
    let is_crowded = job.images > cores && is_worth(summary, summary.waited());
    is_crowded.then(|| Advice {
        rule: "more images than cores",
        place: None,
        share: Some(share),
        measured: format!(
            "{} images share {cores} cores, so a part of the waits ({}) is for a core",
            job.images,
            Percent(share)
        ),
        remedy: format!("run {cores} images, or look at the counts only"),
    })
}

/// One image is late at a line: it has more to do than the others.
fn imbalance(job: &Measured) -> Option<Advice> {
    let summary = job.waits.as_ref()?;
    let (line, image) = worst(summary, |line| Some((line, late_image(summary, line)?)))?;
    let share = summary.share(line.waited);
    let [late, others] = work_before(line, image)?;
    let is_uneven = share >= UNEVEN && late >= LONGER * others;
    let longer = match others > 0.0 {
        true if late / others < 100.0 => {
            format!("{:.2} times as long as the others", late / others)
        }
        _ => format!("{} where the others work {}", time(late), time(others)),
    };
    is_uneven.then(|| Advice {
        rule: "imbalance",
        place: Some(line.place.clone()),
        share: Some(share),
        measured: format!(
            "image {image} works {longer} before it, and they wait ({} of the time)",
            Percent(share)
        ),
        remedy: "divide the work evenly".into(),
    })
}

/// The image for which the others mostly wait at a line where all meet.
fn late_image(summary: &Summary, line: &Line) -> Option<usize> {
    let is_chance = line.calls <= SELDOM && line.waited < CHANCE * summary.known() as u64;
    if line.place.file.is_empty() || line.place.activity == "lock" || is_chance {
        return None;
    }
    let others = summary.known().saturating_sub(1) as u64;
    if let Some(late) = line.late.first() {
        // Images do not start at the same time.
        let is_start = late.times == 1 && late.since.as_ref().is_none_or(|at| at.file.is_empty());
        let is_often = late.times as f64 >= MOSTLY * line.calls as f64;
        let explains = (late.total * others) as f64 >= MOSTLY * line.waited as f64;
        if !is_start && is_often && explains {
            return Some(late.image);
        }
    }
    let (image, lead) = line.awaited?;
    (lead as f64 >= MOSTLY * line.waited as f64 && lead > 0).then_some(image)
}

/// How long an image works before each of its visits to a line, and how long the others do, on the average.
fn work_before(line: &Line, image: usize) -> Option<[f64; 2]> {
    let mean = |is_of: &dyn Fn(&&Visits) -> bool| {
        let visits = line.visits.iter().filter(is_of);
        let [calls, worked] = visits.fold([0; 2], |[calls, worked], visits| {
            [calls + visits.calls, worked + visits.worked]
        });
        (calls > 0).then(|| worked as f64 / calls as f64)
    };
    Some([
        mean(&|visits| visits.image == image)?,
        mean(&|visits| visits.image != image)?,
    ])
}

/// Images wait for a lock for a good part of the run.
fn lock(job: &Measured) -> Option<Advice> {
    let summary = job.waits.as_ref()?;
    let longest = |line: &Line| line.visits.iter().map(|visits| visits.waited).max();
    let is_contended = |line: &Line| {
        line.place.activity == "lock"
            && longest(line).is_some_and(|time| time as f64 >= CONTENDED * summary.time as f64)
    };
    let line = worst(summary, |line| is_contended(line).then_some(line))?;
    Some(Advice {
        rule: "lock",
        place: Some(line.place.clone()),
        share: Some(summary.share(line.waited)),
        measured: format!(
            "images wait for the lock for {} of their time, one of them for {}",
            Percent(summary.share(line.waited)),
            Time(longest(line)?)
        ),
        remedy: "do less while it is held, or use a coatomic".into(),
    })
}

/// Small collectives follow one another.
fn tiny(job: &Measured) -> Option<Advice> {
    let summary = job.waits.as_ref()?;
    let is_tiny = |line: &Line| line.place.activity.starts_with("co_") && is_in_a_row(line);
    let line = worst(summary, |line| is_tiny(line).then_some(line))?;
    Some(Advice {
        rule: "small collectives",
        place: Some(line.place.clone()),
        share: Some(summary.share(line.waited)),
        measured: format!(
            "{} calls of {}, nearly each right after the one before ({} of the time)",
            line.calls,
            line.place.activity,
            Percent(summary.share(line.waited))
        ),
        remedy: "one of an array, where none needs the result of another".into(),
    })
}

/// Phases that begin or end right after another barrier.
fn phases(job: &Measured) -> Option<Advice> {
    const PHASES: [&str; 4] = [
        "open",
        "publish",
        "the end of the open phase",
        "the end of the read-only phase",
    ];
    let summary = job.waits.as_ref()?;
    let is_needless = |line: &Line| PHASES.contains(&&*line.place.activity) && is_in_a_row(line);
    let line = worst(summary, |line| is_needless(line).then_some(line))?;
    Some(Advice {
        rule: "short phases",
        place: Some(line.place.clone()),
        share: Some(summary.share(line.waited)),
        measured: format!(
            "{} barriers for phases, nearly each right after another one ({} of the time)",
            line.calls,
            Percent(summary.share(line.waited))
        ),
        remedy: "open several coarrays together, or keep them open and use sync_all".into(),
    })
}

/// Whether images come to a line in a loop, next to nothing after the wait before.
fn is_in_a_row(line: &Line) -> bool {
    let visits = line.visits.iter();
    let [calls, prompt] = visits.fold([0; 2], |[calls, prompt], visits| {
        [calls + visits.calls, prompt + visits.prompt]
    });
    line.calls >= MANY && prompt as f64 >= NEARLY_ALL * calls as f64
}

/// Asynchronous collectives that are waited for at once.
fn overlap(job: &Measured) -> Option<Advice> {
    let summary = job.waits.as_ref()?;
    let worked = |line: &Line| line.visits.iter().map(|visits| visits.worked).sum::<u64>();
    let is_in_vain = |line: &Line| {
        line.place.activity == "asynchronous collective"
            && worked(line) as f64 <= OVERLAP * line.waited as f64
    };
    let line = worst(summary, |line| is_in_vain(line).then_some(line))?;
    let calls: u64 = line.visits.iter().map(|visits| visits.calls).sum();
    let each = |time: u64| Time(time / calls.max(1));
    Some(Advice {
        rule: "no overlap",
        place: Some(line.place.clone()),
        share: Some(summary.share(line.waited)),
        measured: format!(
            "an asynchronous collective is waited for after {}, and for {}",
            each(worked(line)),
            each(line.waited)
        ),
        remedy: "do what does not need its result before the wait".into(),
    })
}

/// What is said of the line at which images wait the longest, of those of which something is said.
fn worst<'a, T>(summary: &'a Summary, of: impl Fn(&'a Line) -> Option<T>) -> Option<T> {
    let lines = summary.lines.iter();
    let mut lines = lines.filter(|line| is_worth(summary, line.waited));
    lines.find_map(of)
}

/// Whether that much time of all images is worth a change.
fn is_worth(summary: &Summary, waited: u64) -> bool {
    summary.share(waited) >= SMALL && waited >= SHORT * summary.known() as u64
}

fn time(nanoseconds: f64) -> Time {
    Time(nanoseconds as u64)
}
