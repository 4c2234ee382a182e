//! What is said of a schedule that fails.

use std::fmt::{Debug, Write};
use std::thread;

use coarray_runtime::{Deviation, Event, History, Late, SchedulePlan};

/// The variable with a schedule to be repeated.
pub(super) const REPLAY: &str = "COARRAY_SCHEDULE";

/// The most lines about what images did.
const MOST_TURNS: usize = 16;

/// What every image does, and no line of the program.
const LAST: &str = "the end of the program";

/// The most operations of a turn that are named.
const MOST_EVENTS: usize = 4;

/// "schedule 117 of 200 fails, with 2 images, 1 switch, 1 late put (of 61 switches at first)"
pub(super) fn heading(number: u32, of: u32, plan: &SchedulePlan, first: &SchedulePlan) -> String {
    let switches = |plan: &SchedulePlan| {
        let is_switch = |it: &&Deviation| matches!(it, Deviation::Switch { .. });
        some(plan.deviations.iter().filter(is_switch).count(), "switch")
    };
    let late = |plan: &SchedulePlan| {
        let kinds = [
            (Late::Put, "late put"),
            (Late::Atomic, "late atomic operation"),
        ];
        let told = kinds.map(|(kind, name)| {
            let is_it =
                |it: &&Deviation| matches!(it, Deviation::Delay { late, .. } if *late == kind);
            match plan.deviations.iter().filter(is_it).count() {
                0 => String::new(),
                late => format!(", {}", some(late, name)),
            }
        });
        told.concat()
    };
    let (images, left, at_first) = (some(plan.images, "image"), switches(plan), switches(first));
    let more = match plan.deviations.len() < first.deviations.len() {
        true => format!(" (of {at_first}{} at first)", late(first)),
        false => String::new(),
    };
    format!(
        "schedule {number} of {of} fails, with {images}, {left}{}{more}",
        late(plan)
    )
}

fn some(number: usize, what: &str) -> String {
    let plural = match (number, what.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {what}{plural}")
}

/// What kind of failure this is: the same in schedules that fail alike, whatever the numbers are.
pub(super) fn kind(trouble: &str) -> String {
    // Where a panic was says more than its values do.
    if let Some((_, after)) = trouble.split_once("panicked at ") {
        let place = after.split(": ").next().unwrap_or_default();
        return format!("panicked at {place}");
    }
    if let Some((_, races)) = trouble.split_once("images raced at ") {
        // The first pair of lines.
        let lines = races
            .lines()
            .skip(1)
            .filter(|line| line.starts_with("  image "));
        let places = lines.take(2).filter_map(|line| line.rsplit(" at ").next());
        return format!("race of {}", places.collect::<Vec<_>>().join(" and "));
    }
    let first = trouble.lines().next().unwrap_or_default();
    first.chars().filter(|it| !it.is_ascii_digit()).collect()
}

/// That the program does not do the same in the same schedule, if it does not.
pub(super) fn not_repeatable(first: &History, again: &History) -> Option<String> {
    let (before, now) = first.difference(again)?;
    let did = |event: Option<Event>| match event {
        Some(event) => format!("image {} did {event}", event.image),
        None => "all had ended".into(),
    };
    Some(format!(
        "but cannot be repeated: the second time {}, where the first time {}. Something else than the schedule decides what the program does: threads \
         of its own, time, files, random numbers without a seed, or the order of a `HashMap`.",
        did(now),
        did(before)
    ))
}

/// The images whose results differ.
pub(super) fn differences<R: Debug + PartialEq>(expected: &[R], found: &[R]) -> String {
    let pairs = expected.iter().zip(found).enumerate();
    let lines = pairs
        .filter(|(_, (expected, found))| expected != found)
        .map(|(image, (expected, found))| {
            format!("  image {image}: {found:?} instead of {expected:?}")
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// The whole report.
pub(super) fn failure(
    plan: &SchedulePlan,
    history: &History,
    trouble: &str,
    heading: &str,
) -> String {
    let mut text = format!("{heading}:\n");
    for line in turns(plan, history) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "{trouble}");
    let test = thread::current()
        .name()
        .filter(|&name| name != "main")
        .map(String::from);
    let test = test.map_or_else(String::new, |name| format!(" {name}"));
    let _ = write!(text, "again: {REPLAY}=\"{}\" cargo test{test}", plan);
    text
}

/// Who did what, a line for each turn in which something was done, from the first deviation on.
fn turns(plan: &SchedulePlan, history: &History) -> Vec<String> {
    let (events, handovers) = (history.events(), history.handovers());
    let from = first_deviation(plan, history);
    let mut lines = Vec::new();
    let mut before = 0;
    let (mut start, mut image) = (0, handovers.first().map_or(0, |it| it.from));
    let ends = handovers.iter().map(|it| (it.after, Some(it)));
    for (end, next) in ends.chain([(events.len(), None)]) {
        let turn = events.get(start..end).unwrap_or_default();
        let cut = match next {
            Some(next) if next.is_preemption => {
                format!(" - at this point image {} goes on", next.to)
            }
            _ => String::new(),
        };
        let names = names(turn, image);
        if end < from {
            before += 1;
        } else if !names.is_empty() {
            lines.push(format!("image {image}: {names}{cut}"));
        } else if let (0, Some(next)) = (start, next) {
            lines.push(format!("image {} goes first", next.to));
        }
        (start, image) = (end, next.map_or(image, |next| next.to));
    }
    if lines.len() > MOST_TURNS {
        before += lines.len() - MOST_TURNS;
        lines.drain(..lines.len() - MOST_TURNS);
    }
    if before > 0 {
        lines.insert(0, format!("... {}", some(before, "turn")));
    }
    lines
}

/// How many operations there were until the schedule deviated from the plain one; all are told if it does not.
fn first_deviation(plan: &SchedulePlan, history: &History) -> usize {
    let is_deviation = |step: u64| {
        let mut deviations = plan.deviations.iter();
        deviations.any(|it| matches!(it, Deviation::Switch { step: at, .. } if *at == step))
    };
    let switch = history.handovers().iter().find(|it| is_deviation(it.step));
    let late = history.events().iter().position(Event::is_late);
    let firsts = [switch.map(|it| it.after), late.map(|index| index + 1)];
    firsts.into_iter().flatten().min().unwrap_or_default()
}

/// What was done in the turn of an image.
fn names(turn: &[Event], image: usize) -> String {
    let name = |event: &Event| match event.image == image {
        true => event.to_string(),
        false => format!("({event} of image {})", event.image),
    };
    let is_told = |event: &&Event| event.what != LAST;
    let mut names: Vec<String> = turn.iter().filter(is_told).map(name).collect();
    names.dedup();
    if names.len() > MOST_EVENTS {
        let ends = MOST_EVENTS / 2;
        let left_out = names.len() - MOST_EVENTS;
        names.splice(ends..names.len() - ends, [format!("{left_out} more")]);
    }
    names.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_alike_if_only_numbers_differ() {
        let panic = |line, value| {
            format!(
                "coarray: image 1 panicked at src/q.rs:{line}:5: assertion failed\n  left: {value}"
            )
        };
        assert_eq!(kind(&panic(30, 1)), kind(&panic(30, 2)));
        assert_ne!(kind(&panic(30, 1)), kind(&panic(31, 1)));
        let polls = |image| format!("coarray: nobody will ever write what image {image} polls");
        assert_eq!(kind(&polls(1)), kind(&polls(2)));
        assert_ne!(kind(&polls(1)), kind(&panic(30, 1)));
    }

    #[test]
    fn numbers_and_their_nouns_agree() {
        assert_eq!(some(1, "switch"), "1 switch");
        assert_eq!(some(2, "switch"), "2 switches");
        assert_eq!(some(0, "late put"), "0 late puts");
    }
}
