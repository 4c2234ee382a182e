//! Which image moved how much to and from the memory of which: a heat map.

use std::fmt::Write;

use crate::profile::data::Matrix;
use crate::profile::page::svg::{Figure, escape, groups, text};
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
        ..=16 => 30,
        ..=32 => 18,
        _ => 11,
    };
    // Every so many rows have their number.
    let every = 32_usize.div_ceil(cell);
    let every = every.next_power_of_two();
    let (left, top) = (40, 34);
    let mut body = String::new();
    text(
        &mut body,
        "small",
        "0",
        11,
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
            "smallmiddle",
            &(left + middle).to_string(),
            top - 5,
            &group.start.to_string(),
        );
        text(
            &mut body,
            "smallend",
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
    let mut y = top + side + 16;
    text(
        &mut body,
        "small",
        &left.to_string(),
        y + 2,
        "moved in the whole run",
    );
    y += 10;
    for shade in (1..=SHADES).rev() {
        let least = most >> (SHADES - shade + 1);
        let label = match shade {
            1 => format!("up to {}", Size(most >> (SHADES - 1))),
            _ if shade == SHADES => format!("more than {}, at most {}", Size(least), Size(most)),
            _ => format!("more than {}", Size(least)),
        };
        let _ = write!(
            body,
            "<rect class=\"h{shade}\" x=\"{left}\" y=\"{y}\" width=\"20\" height=\"14\"/>"
        );
        text(&mut body, "small", &(left + 28).to_string(), y + 11, &label);
        y += 16;
    }
    Some(Figure {
        name: "matrix",
        title: "Bytes that each image moved to and from the memory of each".into(),
        width: (left + side + 12).max(400),
        height: y + 4,
        scales: true,
        body,
    })
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
