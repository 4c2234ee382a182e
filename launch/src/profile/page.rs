//! A profile as a page that needs nothing else, and its figures as files.

mod images;
mod lines;
mod matrix;
mod svg;
mod timeline;

use std::fmt::Write;

use crate::profile::data::Data;
use crate::profile::findings::Findings;
use crate::profile::page::svg::{STYLE, escape};
use crate::profile::units::{Count, Percent, Size, Spot, Time};

pub(super) use svg::Figure;

/// The most lines of the table of data.
const LINES: usize = 20;

/// All figures of a profile.
pub(super) fn figures(findings: &Findings) -> Vec<Figure> {
    let waits = findings
        .measured
        .waits
        .as_ref()
        .filter(|waits| waits.time > 0);
    let images = waits.map(images::figure);
    let lines = waits.and_then(lines::figure);
    let timeline = waits.and_then(timeline::figure);
    let matrix = findings
        .measured
        .data
        .as_ref()
        .and_then(|data| matrix::figure(&data.matrix));
    [images, lines, timeline, matrix]
        .into_iter()
        .flatten()
        .collect()
}

/// The page.
pub(super) fn page(findings: &Findings) -> String {
    let mut body = String::new();
    let figures = figures(findings);
    let show = |body: &mut String, name: &str, heading: &str, note: &str| {
        if let Some(figure) = figures.iter().find(|figure| figure.name == name) {
            let figure = figure.inline();
            let _ = write!(
                body,
                "<h2>{heading}</h2><p>{note}</p><figure>{figure}</figure>"
            );
        }
    };
    headline(&mut body, findings);
    advice(&mut body, findings);
    let waits = findings.measured.waits.as_ref();
    let lines = waits.map(lines::section).filter(|lines| !lines.is_empty());
    if let Some(lines) = lines {
        let _ = write!(
            body,
            "<h2>Waits by line</h2><p>Parts of the time of all images. A bar is divided among the images that waited, in their order.</p>{lines}"
        );
    }
    show(
        &mut body,
        "images",
        "Each image",
        "How its time was spent, added up.",
    );
    show(
        &mut body,
        "timeline",
        "Over time",
        "When it was spent, from the start of each image.",
    );
    if let Some(data) = &findings.measured.data {
        table(&mut body, data);
    }
    show(
        &mut body,
        "matrix",
        "Between images",
        "Bytes that images moved by puts, gets and the like. A shade is for twice as much as the next lighter one.",
    );
    let style = include_str!("page/page.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>coarray: where the time went</title><style>\n{STYLE}{style}</style></head>\n\
         <body><main>{body}</main></body></html>\n"
    )
}

fn headline(body: &mut String, findings: &Findings) {
    let Some(waits) = &findings.measured.waits else {
        let _ = write!(
            body,
            "<h1>What images move</h1><p class=\"sub\">{} images. Times are not shown, because counting changes them: \
             a run with --profile=waits has them.</p>",
            findings.measured.images
        );
        return;
    };
    let known = match waits.known() == findings.measured.images {
        true => format!("{} images", findings.measured.images),
        false => format!("{} of {} images", waits.known(), findings.measured.images),
    };
    let _ = write!(
        body,
        "<h1>Where the time went</h1><p class=\"sub\">{known}, {}</p><div class=\"pop\">",
        Time(waits.time)
    );
    let numbers = [
        (
            "",
            waits.efficiency(),
            "parallel efficiency",
            "the part of their time in which images did not wait",
        ),
        (
            "=",
            waits.balance(),
            "load balance",
            "what an image has to do on the average, by what the busiest has",
        ),
        (
            "\u{d7}",
            waits.communication(),
            "communication",
            "the part of the time in which the busiest image did not wait",
        ),
    ];
    for (sign, number, name, meaning) in numbers {
        let _ = write!(
            body,
            "<div><b><i>{sign}</i>{}</b><strong>{name}</strong><span>{meaning}</span></div>",
            Percent(number)
        );
    }
    *body += "</div>";
}

/// The text, in which what is between two backticks is code. A single one is part of the name of a file.
fn with_code(text: &str) -> String {
    let parts: Vec<_> = text.split('`').collect();
    let mut all = String::new();
    for (index, part) in parts.iter().enumerate() {
        let _ = match index % 2 {
            0 => write!(all, "{part}"),
            _ if index + 1 == parts.len() => write!(all, "`{part}"),
            _ => write!(all, "<code>{part}</code>"),
        };
    }
    all
}

fn advice(body: &mut String, findings: &Findings) {
    if findings.advice.is_empty() {
        return;
    }
    *body += "<h2>Advice</h2><ol>";
    for advice in &findings.advice {
        let _ = write!(body, "<li>{}</li>", with_code(&escape(&advice.text())));
    }
    *body += "</ol>";
}

fn table(body: &mut String, data: &Data) {
    if data.lines.is_empty() {
        return;
    }
    *body += "<h2>Data by line</h2><p>What all images moved, from a run in which every operation was counted.</p>\
              <div class=\"wide\"><table><thead><tr><th>line<th>operations<th>bytes<th>bytes each<th>side by side<th>images<th>to others</thead><tbody>";
    for line in data.lines.iter().take(LINES) {
        let all = line.all();
        let others = line.elsewhere().operations as f64 / all.operations.max(1) as f64;
        let _ = write!(
            body,
            "<tr><th>{}<td>{}<td>{}<td>{}<td>{:.1}<td>{}<td>{}",
            escape(&Spot(&line.place).to_string()),
            Count(all.operations),
            Size(all.bytes),
            Size(all.bytes / all.operations.max(1)),
            line.run_length(),
            line.targets,
            Percent(others)
        );
    }
    *body += "</tbody></table></div>";
    if let Some(rest) = data.lines.len().checked_sub(LINES).filter(|&rest| rest > 0) {
        let _ = write!(body, "<p>{rest} more lines moved less.</p>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_are_tags_in_pairs() {
        assert_eq!(
            with_code("a `b` and `c`"),
            "a <code>b</code> and <code>c</code>"
        );
        assert_eq!(with_code("a`b.rs:3: `c`"), "a<code>b.rs:3: </code>c`");
        assert_eq!(with_code(""), "");
    }
}
