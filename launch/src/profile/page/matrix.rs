//! Which image moved how much to and from the memory of which: a heat map.

use std::fmt::Write;

use crate::profile::data::Matrix;
use crate::profile::page::svg::{Figure, escape, groups, legend, text};
use crate::profile::units::{Count, Size};
use coarray_runtime::Moved;

/// The most rows and columns; with more images, each is of several.
const ROWS: usize = 64;

/// Shades; each stands for twice as much as the one before.
const SHADES: u32 = 7;

/// The figure; none if nothing was moved.
pub(super) fn figure(matrix: &Matrix) -> Option<Figure> {
    let groups = groups(matrix.images(), ROWS);
    let between = |from: usize, to: usize| {
        let mut all = Moved::default();
        for image in groups[from].clone() {
            for target in groups[to].clone() {
                all += matrix.at(image, target);
            }
        }
        all
    };
    let n = groups.len();
    let cells: Vec<Vec<Moved>> = (0..n)
        .map(|from| (0..n).map(|to| between(from, to)).collect())
        .collect();
    let most = cells.iter().flatten().map(|moved| moved.bytes).max()?;
    if most == 0 {
        return None;
    }
    let cell = match n {
        ..=8 => 44,
        9..=16 => 30,
        17..=32 => 18,
        _ => 11,
    };
    // Where the whole is small on a narrow page, few rows have their number, in a large script.
    let (every, classes) = match n {
        ..=16 => (1, ["smallmiddle", "smallend"]),
        17..=32 => (4, ["middle", "softend"]),
        _ => (8, ["largemiddle", "largeend"]),
    };
    let (left, top) = (44, 40);
    let mut body = String::new();
    text(
        &mut body,
        if n > 32 { "large" } else { "soft" },
        "0",
        14,
        "rows: the image that puts and gets; columns: whose memory",
    );
    for (index, group) in groups
        .iter()
        .enumerate()
        .filter(|(index, _)| index % every == 0)
    {
        let middle = index * cell + cell / 2;
        text(
            &mut body,
            classes[0],
            &(left + middle).to_string(),
            top - 5,
            &group.start.to_string(),
        );
        text(
            &mut body,
            classes[1],
            &(left - 5).to_string(),
            top + middle + 4,
            &group.start.to_string(),
        );
    }
    for (from, row) in cells.iter().enumerate() {
        for (to, moved) in row
            .iter()
            .enumerate()
            .filter(|(_, moved)| moved.operations > 0)
        {
            let (x, y) = (left + to * cell, top + from * cell);
            let shade = shade(moved.bytes, most);
            let title = format!(
                "image {} with image {}: {} in {} operations",
                of(&groups[from]),
                of(&groups[to]),
                Size(moved.bytes),
                Count(moved.operations)
            );
            let _ = write!(
                body,
                "<rect class=\"h{shade}\" x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{0}\"><title>{1}</title></rect>",
                cell - 1,
                escape(&title)
            );
            if cell >= 44 {
                let on = if shade >= 5 {
                    format!("on{shade}")
                } else {
                    "on".into()
                };
                let middle = (x + cell / 2).to_string();
                let size = Size(moved.bytes).to_string();
                let (number, unit) = size.split_once(' ').unwrap_or((&size, ""));
                text(&mut body, &on, &middle, y + cell / 2 - 2, number);
                text(&mut body, &on, &middle, y + cell / 2 + 11, unit);
            }
        }
    }
    let side = n * cell;
    let _ = write!(
        body,
        "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"/>"
    );
    Some(Figure {
        name: "matrix",
        title: "Bytes that each image moved to and from the memory of each".into(),
        width: (left + side + 12).max(400),
        height: top + side + 8,
        scales: true,
        body,
        key: key(most),
    })
}

/// What shades mean, and how high that is.
fn key(most: u64) -> (String, usize) {
    let mut key = String::new();
    text(&mut key, "small", "0", 12, "moved in the whole run");
    let shades = (1..=SHADES).rev().map(|shade| {
        let least = Size(most >> (SHADES - shade + 1));
        let label = match shade {
            1 => format!("up to {}", Size(most >> (SHADES - 1))),
            SHADES => format!("more than {least}, at most {}", Size(most)),
            _ => format!("more than {least}"),
        };
        (format!("h{shade}"), label)
    });
    let height = legend(&mut key, &shades.collect::<Vec<_>>(), 20);
    (key, height)
}

/// 7 for more than half of the most, 6 for more than a quarter of it, and so on; 1 for the rest.
fn shade(bytes: u64, most: u64) -> u32 {
    let halvings = (1..SHADES).take_while(|halvings| bytes <= most >> halvings);
    SHADES - halvings.count() as u32
}

fn of(group: &std::ops::Range<usize>) -> String {
    match group.len() {
        1 => group.start.to_string(),
        _ => format!("{}\u{2013}{}", group.start, group.end - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shade_is_for_twice_as_much() {
        let shades = [64, 33, 32, 17, 16, 9, 8, 5, 4, 3, 2, 1, 0].map(|bytes| shade(bytes, 64));
        assert_eq!(shades, [7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 1, 1]);
    }
}
