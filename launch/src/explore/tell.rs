//! What is said of a schedule that fails.

use std::fmt::{Debug, Write};
use std::thread;

use super::{Outcome, REPLAY};
use coarray_runtime::{Deviation, Event, History, SchedulePlan};

/// The most lines about what images did.
const MOST_TURNS: usize = 16;

/// The most operations of a turn that are named.
const MOST_EVENTS: usize = 4;

/// "schedule 117 of 200 fails, with 2 images, 1 switch and 1 late put (of 61 switches at first)"
pub(super) fn heading(number: u32, of: u32, plan: &SchedulePlan, first: &History) -> String {
    let count = |is_counted: fn(&Deviation) -> bool| {
        plan.deviations.iter().filter(|it| is_counted(it)).count()
    };
    let switches = count(|it| matches!(it, Deviation::Switch { .. }));
    let late = count(|it| matches!(it, Deviation::Delay { .. }));
    let mut text = format!(
        "schedule {number} of {of} fails, with {}, {}",
        some(plan.images, "image"),
        some(switches, "switch")
    );
    if late > 0 {
        let _ = write!(text, ", {}", some(late, "late put"));
    }
    let _ = write!(
        text,
        " (of {} at first)",
        some(first.handovers().len(), "switch")
    );
    text
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
pub(super) fn failure<R>(outcome: &Outcome<R>, trouble: &str, heading: &str) -> String {
    let mut text = format!("{heading}:\n");
    for line in turns(&outcome.history) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "{trouble}");
    let test = thread::current()
        .name()
        .filter(|&name| name != "main")
        .map(String::from);
    let test = test.map_or_else(String::new, |name| format!(" {name}"));
    let _ = write!(
        text,
        "again: {REPLAY}=\"{}\" cargo test{test}",
        outcome.plan
    );
    text
}

/// Who did what, a line for each turn.
fn turns(history: &History) -> Vec<String> {
    let (events, handovers) = (history.events(), history.handovers());
    let starts = [(0, None)]
        .into_iter()
        .chain(handovers.iter().map(|it| (it.after, Some(it))));
    let ends = handovers.iter().map(|it| it.after).chain([events.len()]);
    let mut lines = Vec::new();
    for ((start, _), end) in starts.zip(ends) {
        let turn = &events[start..end];
        let Some(first) = turn.first() else { continue };
        let mut names: Vec<String> = turn.iter().map(Event::to_string).collect();
        if names.len() > MOST_EVENTS {
            let left_out = names.len() - MOST_EVENTS;
            names.splice(
                MOST_EVENTS / 2..names.len() - MOST_EVENTS / 2,
                [format!("{left_out} more")],
            );
        }
        let end_of_turn = handovers
            .iter()
            .find(|it| it.after == end && it.from == first.image);
        let cut = match end_of_turn {
            Some(handover) if handover.is_preemption => {
                format!(" - here image {} goes on", handover.to)
            }
            _ => String::new(),
        };
        lines.push(format!("image {}: {}{cut}", first.image, names.join("; ")));
    }
    if lines.len() > MOST_TURNS {
        let left_out = lines.len() - MOST_TURNS;
        lines.splice(..left_out, [format!("... {}", some(left_out, "turn"))]);
    }
    lines
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
