//! When each image worked and when it waited: a strip for each.

use std::fmt::Write;

use crate::profile::page::images::name;
use crate::profile::page::svg::{Figure, groups, legend, text};
use crate::profile::summary::{Run, Summary};
use crate::profile::units::Time;

/// The most strips; with more images, each strip is of several.
const STRIPS: usize = 128;

/// Where strips begin and end, in percent of the width.
const SPAN: [f64; 2] = [9.0, 87.0];

/// The figure; none if nothing of it was recorded.
pub(super) fn figure(summary: &Summary) -> Option<Figure> {
    if summary.time == 0 || summary.runs.iter().all(|run| run.parts.is_empty()) {
        return None;
    }
    let mut body = String::new();
    let entries = [
        ("work", "works: the higher, the larger a part of that time"),
        ("late", "waits"),
    ];
    let entries = entries.map(|(class, label)| (class.into(), label.into()));
    let mut y = legend(&mut body, &entries, 2) + 12;
    text(&mut body, "small", "0", y, "image");
    y += 8;
    let groups = groups(summary.runs.len(), STRIPS);
    let (height, gap) = match groups.len() {
        ..=16 => (24, 5),
        17..=64 => (11, 2),
        _ => (6, 1),
    };
    let (left, width) = (SPAN[0], SPAN[1] - SPAN[0]);
    for (row, group) in groups.iter().enumerate() {
        let runs = &summary.runs[group.clone()];
        let (length, worked) = strip(runs);
        let end = runs.iter().map(|run| run.time).max().unwrap_or(0);
        let time = |time: f64| 1000.0 * time / summary.time as f64;
        let _ = write!(
            body,
            "<svg x=\"{left}%\" y=\"{y}\" width=\"{width}%\" height=\"{height}\" viewBox=\"0 0 1000 100\" \
             preserveAspectRatio=\"none\"><title>image {}</title><rect class=\"late\" width=\"{:.1}\" height=\"100\"/>\
             <path class=\"work\" d=\"M0 100",
            name(runs),
            time(end as f64)
        );
        let mut x = 0.0;
        for (part, worked) in (1..).zip(&worked) {
            x = time((part as f64 * length).min(end as f64));
            let _ = write!(body, "V{:.0}H{x:.1}", 100.0 - 100.0 * worked);
        }
        let _ = write!(body, "V100H0Z\"/>");
        // After its last wait an image is not known to have done anything.
        let _ = write!(
            body,
            "<rect class=\"work\" x=\"{x:.1}\" width=\"{:.1}\" height=\"100\"/></svg>",
            (time(end as f64) - x).max(0.0)
        );
        let every = 13_usize.div_ceil(height + gap);
        if row % every == 0 {
            let base = y + height.max(10) - 1 - (height.max(10) - 10) / 2;
            text(&mut body, "smallend", "7%", base, &name(runs));
        }
        y += height + gap;
    }
    let _ = write!(
        body,
        "<line class=\"rule\" x1=\"{left}%\" x2=\"{}%\" y1=\"{y}\" y2=\"{y}\"/>",
        SPAN[1]
    );
    for (quarter, class) in (0..=2).zip(["small", "smallmiddle", "smallend"]) {
        let x = format!("{}%", left + width * f64::from(quarter) / 2.0);
        let time = Time(summary.time * quarter as u64 / 2).to_string();
        text(
            &mut body,
            class,
            &x,
            y + 15,
            if quarter == 0 { "0" } else { &time },
        );
    }
    Some(Figure {
        name: "timeline",
        title: "For each image, when it worked and when it waited, since its start".into(),
        width: 760,
        height: y + 20,
        scales: false,
        body,
        key: (String::new(), 0),
    })
}

/// The part of each part of the time that these images worked, and how long a part is: the longest of theirs.
fn strip(runs: &[Run]) -> (f64, Vec<f64>) {
    let length = runs.iter().map(|run| run.part).max().unwrap_or(1).max(1);
    let mut worked = Vec::<[f64; 2]>::new();
    for run in runs {
        let end = run.time;
        for (part, waited) in (0..).zip(&run.parts) {
            let start = part * run.part;
            let index = (start / length) as usize;
            if worked.len() <= index {
                worked.resize(index + 1, [0.0; 2]);
            }
            worked[index][0] += *waited as f64;
            worked[index][1] += run.part.min(end.saturating_sub(start)) as f64;
        }
    }
    let part = |[waited, all]: &[f64; 2]| match *all > 0.0 {
        true => (1.0 - waited / all).clamp(0.0, 1.0),
        false => 0.0,
    };
    (length as f64, worked.iter().map(part).collect())
}
