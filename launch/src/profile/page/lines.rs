//! A bar for each line at which images waited.

use std::fmt::Write;

use crate::profile::page::svg::{Figure, bar, escape, text};
use crate::profile::summary::{Line, Summary};
use crate::profile::units::{Percent, Spot, Time};

/// The most lines.
const LINES: usize = 12;

/// The height of a bar.
const HEIGHT: usize = 10;

/// Bars of so few images show how long each of them waited.
const SEPARATE: usize = 16;

/// The lines that are shown, the longest first.
pub(super) fn shown(summary: &Summary) -> impl Iterator<Item = &Line> {
    let is_long = |line: &&Line| summary.share(line.waited) >= 0.005;
    summary.lines.iter().take(LINES).filter(is_long)
}

/// The figure; none if there is no wait that one would see.
pub(super) fn figure(summary: &Summary) -> Option<Figure> {
    shown(summary).next()?;
    let mut body = String::new();
    let mut y = 0;
    for line in shown(summary) {
        text(
            &mut body,
            "label",
            "0",
            y + 16,
            &Spot(&line.place).to_string(),
        );
        let share = Percent(summary.share(line.waited)).to_string();
        text(&mut body, "end", "100%", y + 16, &share);
        bars(&mut body, summary, line, y + 22);
        y += 46;
        for row in rows(&details(summary, line)) {
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
        key: (String::new(), 0),
    })
}

/// The same as a part of a page, where text takes the room that there is; nothing if there is nothing to show.
pub(super) fn section(summary: &Summary) -> String {
    let mut section = String::new();
    for line in shown(summary) {
        let mut body = String::new();
        bars(&mut body, summary, line, 0);
        let place = escape(&Spot(&line.place).to_string());
        let share = Percent(summary.share(line.waited));
        let details = escape(&details(summary, line));
        let _ = write!(
            section,
            "<div class=\"line\"><div><span>{place}</span><span>{share}</span></div>\
             <svg role=\"img\" aria-label=\"{share}\" width=\"100%\" height=\"{HEIGHT}\">{body}</svg><p>{details}</p></div>"
        );
    }
    section
}

/// Appends the bar of a line.
fn bars(body: &mut String, summary: &Summary, line: &Line, y: usize) {
    let longest = shown(summary).map(|line| line.waited).max().unwrap_or(0);
    let width = |waited: u64| waited as f64 / longest as f64;
    if summary.known() > SEPARATE {
        let title = format!("{} of all images", Time(line.waited));
        return bar(body, "c1", [0.0, width(line.waited)], [y, HEIGHT], &title);
    }
    let mut x = 0.0;
    for visits in &line.visits {
        let end = x + width(visits.waited);
        let title = format!(
            "image {} waited {} here, in {} calls",
            visits.image,
            Time(visits.waited),
            visits.calls
        );
        // A hair of paper between two images.
        bar(body, "c1", [x, (end - 0.002).max(x)], [y, HEIGHT], &title);
        x = end;
    }
}

/// How long, how often, and for whom.
fn details(summary: &Summary, line: &Line) -> String {
    let each = Time(line.waited / summary.known() as u64);
    let calls = match line.calls {
        1 => "once".into(),
        calls => format!("{calls} times"),
    };
    let who = summary.who(line);
    let who = who.map_or(String::new(), |who| format!(" \u{b7} {who}"));
    format!("{each} for each image, {calls}{who}")
}

/// Text in rows that fit the figure: SVG does not wrap lines.
fn rows(text: &str) -> Vec<String> {
    const WIDTH: usize = 110;
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
