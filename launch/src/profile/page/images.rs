//! A bar for each image: how long it worked, and where it waited.

use crate::profile::page::svg::{Figure, bar, groups, legend, text};
use crate::profile::summary::{Line, Run, Summary};
use crate::profile::units::{Percent, Spot, Time};

/// Lines with a colour of their own.
const COLOURS: usize = 5;

/// The most bars; with more images, each bar is of several.
const BARS: usize = 128;

/// Where bars begin and end, in parts of the width: left of them is the number of the image, and right of them how much of the time it worked.
const SPAN: [f64; 2] = [0.09, 0.87];

/// The figure.
pub(super) fn figure(summary: &Summary) -> Figure {
    let named = &summary.lines[..summary.lines.len().min(COLOURS)];
    let mut body = String::new();
    let mut entries = vec![("work".into(), "works".to_owned())];
    entries.extend((1..).zip(named).map(|(colour, line)| {
        (
            format!("c{colour}"),
            format!("waits at {}", short(&Spot(&line.place).to_string())),
        )
    }));
    if summary.lines.len() > COLOURS {
        entries.push(("c6".into(), "waits elsewhere".into()));
    }
    let mut y = legend(&mut body, &entries, 2) + 12;
    text(&mut body, "small", "0", y, "image");
    text(&mut body, "smallend", "100%", y, "works");
    y += 8;
    let groups = groups(summary.runs.len(), BARS);
    let (height, gap) = match groups.len() {
        ..=16 => (18, 5),
        17..=64 => (10, 2),
        _ => (6, 1),
    };
    for (row, group) in groups.iter().enumerate() {
        let runs = &summary.runs[group.clone()];
        let whole = (summary.time * runs.len() as u64).max(1) as f64;
        let part = |time: u64| time as f64 / whole * (SPAN[1] - SPAN[0]);
        let name = name(runs);
        let mut x = SPAN[0];
        let mut add = |class: &str, time: u64, what: &str| {
            let end = (x + part(time)).min(SPAN[1]);
            let title = format!("image {name} {what}: {}", Time(time / runs.len() as u64));
            bar(&mut body, class, [x, end], [y, height], &title);
            x = end;
        };
        let useful: u64 = runs.iter().map(|run| run.useful).sum();
        add("work", useful, "works");
        let mut rest: u64 = summary.lines.iter().map(|line| waited(line, runs)).sum();
        for (colour, line) in (1..).zip(named) {
            let waited = waited(line, runs);
            rest -= waited;
            let place = format!("waits at {}", Spot(&line.place));
            add(&format!("c{colour}"), waited, &place);
        }
        add("c6", rest, "waits elsewhere");
        // Where bars are flat, some have their number.
        let every = 13_usize.div_ceil(height + gap);
        if row % every == 0 {
            let base = y + height.max(10) - 1 - (height.max(10) - 10) / 2;
            let end = format!("{}%", 100.0 * SPAN[0] - 2.0);
            text(&mut body, "smallend", &end, base, &name);
            let share = Percent(useful as f64 / whole).to_string();
            text(&mut body, "smallend", "100%", base, &share);
        }
        y += height + gap;
    }
    Figure {
        name: "images",
        title: "For each image, how long it worked and at which lines it waited".into(),
        width: 760,
        height: y + 4,
        scales: false,
        body,
        key: (String::new(), 0),
    }
}

/// The end of a long text, which fits a narrow page.
fn short(text: &str) -> String {
    const LENGTH: usize = 42;
    let length = text.chars().count();
    match length.checked_sub(LENGTH) {
        None | Some(0) => text.into(),
        Some(rest) => format!(
            "\u{2026}{}",
            text.chars().skip(rest + 1).collect::<String>()
        ),
    }
}

/// How long these images waited at a line.
fn waited(line: &Line, runs: &[Run]) -> u64 {
    let is_one = |image| runs.iter().any(|run| run.image == image);
    let visits = line.visits.iter().filter(|visits| is_one(visits.image));
    visits.map(|visits| visits.waited).sum()
}

/// The number of an image, or the first and the last of several.
pub(super) fn name(runs: &[Run]) -> String {
    match runs {
        [run] => run.image.to_string(),
        [first, .., last] => format!("{}\u{2013}{}", first.image, last.image),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_place_its_end_is_shown() {
        assert_eq!(short("src/main.rs:7 put"), "src/main.rs:7 put");
        let long = format!("{}/main.rs:7 \u{e9}", "folder/".repeat(9));
        let shown = short(&long);
        assert_eq!(shown.chars().count(), 42);
        assert!(shown.starts_with('\u{2026}') && shown.ends_with("/main.rs:7 \u{e9}"));
    }
}
