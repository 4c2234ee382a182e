//! A bar for each line at which images waited.

use crate::profile::page::svg::{Figure, bar, text};
use crate::profile::summary::{Line, Summary};
use crate::profile::units::{Percent, Spot, Time};

/// The most lines.
const LINES: usize = 12;

/// Bars of so few images show how long each of them waited.
const SEPARATE: usize = 16;

/// The lines that are shown, the longest first.
pub(super) fn shown(summary: &Summary) -> impl Iterator<Item = &Line> {
    let is_long = |line: &&Line| summary.share(line.waited) >= 0.005;
    summary.lines.iter().take(LINES).filter(is_long)
}

/// The figure; none if there is no wait that one would see.
pub(super) fn figure(summary: &Summary) -> Option<Figure> {
    let longest = shown(summary).next()?.waited as f64;
    let mut body = String::new();
    let mut y = 0;
    for line in shown(summary) {
        y += 16;
        text(&mut body, "label", "0", y, &Spot(&line.place).to_string());
        let share = Percent(summary.share(line.waited)).to_string();
        text(&mut body, "end", "100%", y, &share);
        y += 6;
        let mut x = 0.0;
        let is_separate = summary.known() <= SEPARATE;
        let width = |waited: u64| waited as f64 / longest;
        for visits in line.visits.iter().filter(|_| is_separate) {
            let end = x + width(visits.waited);
            // A hair of paper between two images.
            let title = format!(
                "image {} waited {} here, in {} calls",
                visits.image,
                Time(visits.waited),
                visits.calls
            );
            bar(&mut body, "c1", [x, (end - 0.002).max(x)], [y, 10], &title);
            x = end;
        }
        if !is_separate {
            let title = format!("{} of all images", Time(line.waited));
            bar(&mut body, "c1", [0.0, width(line.waited)], [y, 10], &title);
        }
        y += 10;
        let each = Time(line.waited / summary.known() as u64);
        let calls = match line.calls {
            1 => "once".into(),
            calls => format!("{calls} times"),
        };
        y += 14;
        let who = summary
            .who(line)
            .map_or(String::new(), |who| format!(" \u{b7} {who}"));
        for row in rows(&format!("{each} for each image, {calls}{who}")) {
            text(&mut body, "small", "0", y, &row);
            y += 14;
        }
        y -= 4;
    }
    Some(Figure {
        name: "lines",
        title: "For each line, how long images waited there".into(),
        width: 760,
        height: y + 4,
        scales: false,
        body,
    })
}

/// Text in rows that fit a narrow page: SVG does not wrap lines.
fn rows(text: &str) -> Vec<String> {
    const WIDTH: usize = 54;
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().expect("there is a first row");
        if !row.is_empty() && row.chars().count() + word.chars().count() >= WIDTH {
            rows.push(word.into());
        } else {
            *row += if row.is_empty() { "" } else { " " };
            *row += word;
        }
    }
    rows
}
