//! Results for people: tables.

use std::fmt::Write as _;

use rustix::termios::tcgetwinsize;

use super::units::{factor, share, size, time};
use super::{Comparison, best, comparison, comparisons};
use crate::peers::Installed;
use crate::sample::{OWN, RATIO, RAW, Row, Rows};

/// The columns of a table to the left of those of the peers.
pub struct Left {
    /// Their titles.
    pub titles: Vec<String>,
    /// How many of them identify a row.
    pub naming: usize,
    /// The format of the numbers of peers.
    pub number: fn(f64) -> String,
}

/// A row: its cells on the left, and the measurements.
pub type Line<'a> = (Vec<String>, &'a Row);

/// The rows of operations: all columns if they stand alone, otherwise those that fit beside peers.
pub fn operations(rows: &Rows, is_alone: bool) -> (Left, Vec<Line<'_>>) {
    let cells = |row: &Row| {
        let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
        let mut cells = vec![row.operation.clone(), size(row.bytes), time(own.median())];
        if is_alone {
            cells.extend([own.min(), own.p99()].map(time));
        }
        cells.push(time(raw.median()));
        if is_alone {
            cells.push(time(raw.min()));
        }
        cells.push(share(ratio.median()));
        Some(cells)
    };
    let titles = if is_alone {
        "operation,size,median,min,p99,raw,raw min,ratio"
    } else {
        "operation,size,coarray,raw,ratio"
    };
    let left = Left {
        titles: titles.split(',').map(str::to_owned).collect(),
        naming: 2,
        number: time,
    };
    let lines = rows.0.iter().filter_map(|row| Some((cells(row)?, row)));
    (left, lines.collect())
}

/// Prints a table; or two, if the terminal is too narrow for everything side by side.
pub fn print(left: &Left, rows: &[Line<'_>], peers: &[Installed]) {
    let has_numbers =
        |peer: &&Installed| rows.iter().any(|(_, row)| comparison(row, peer).is_some());
    let peers: Vec<&Installed> = peers.iter().filter(has_numbers).collect();
    let wide = aligned(&side_by_side(left, rows, &peers));
    let width = wide.lines().map(|line| line.chars().count()).max();
    let terminal = tcgetwinsize(std::io::stdout()).map_or(usize::MAX, |size| size.ws_col.into());
    if width <= Some(terminal) || peers.is_empty() {
        print!("{wide}");
        return;
    }
    print!("{}", aligned(&numbers(left, rows, &peers)));
    println!("\nhow many times as fast coarray is:");
    print!("{}", aligned(&factors(left, rows, &peers)));
}

/// The title of the column with the peer to beat.
const BEST: &str = "best peer";

fn best_cell(comparisons: &[Comparison<'_>]) -> String {
    let cell = |best: Comparison<'_>| {
        let factor = factor(best.speedup.median());
        format!("{} {factor:>5}", best.peer)
    };
    best(comparisons).map(cell).unwrap_or_default()
}

fn names(peers: &[&Installed]) -> impl Iterator<Item = String> {
    peers.iter().map(|peer| peer.peer.name().to_owned())
}

fn side_by_side(left: &Left, rows: &[Line<'_>], peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles.clone()];
    lines[0].extend(names(peers));
    if !peers.is_empty() {
        lines[0].push(BEST.into());
    }
    for (cells, row) in rows {
        let mut cells = cells.clone();
        cells.extend(peers.iter().map(|peer| {
            comparison(row, peer).map_or(String::new(), |comparison| {
                let factor = factor(comparison.speedup.median());
                format!("{} {factor:>5}", (left.number)(comparison.samples.median()))
            })
        }));
        cells.push(best_cell(&comparisons(row, peers.iter().copied())));
        lines.push(cells);
    }
    lines
}

fn numbers(left: &Left, rows: &[Line<'_>], peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles.clone()];
    lines[0].extend(names(peers));
    for (cells, row) in rows {
        let mut cells = cells.clone();
        cells.extend(peers.iter().map(|peer| {
            comparison(row, peer).map_or(String::new(), |comparison| {
                (left.number)(comparison.samples.median())
            })
        }));
        lines.push(cells);
    }
    lines
}

fn factors(left: &Left, rows: &[Line<'_>], peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles[..left.naming].to_vec()];
    lines[0].extend(names(peers));
    lines[0].push(BEST.into());
    for (cells, row) in rows {
        let comparisons = comparisons(row, peers.iter().copied());
        if comparisons.is_empty() {
            continue;
        }
        let mut line = cells[..left.naming].to_vec();
        line.extend(peers.iter().map(|peer| {
            comparison(row, peer).map_or(String::new(), |comparison| {
                factor(comparison.speedup.median())
            })
        }));
        line.push(best_cell(&comparisons));
        lines.push(line);
    }
    lines
}

/// Columns of equal width, the first to the left and the others to the right.
pub fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(text, "{cell:<width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut row = Row::new("sync_all", 0);
        row.add(OWN.into(), [100.0, 110.0, 150.0]);
        row.add(RAW.into(), [55.0, 50.0, 60.0]);
        row.add(RATIO.into(), [2.0, 1.9, 2.5]);
        let rows = Rows(vec![row]);
        let side_by_side = |is_alone| {
            let (left, lines) = operations(&rows, is_alone);
            aligned(&side_by_side(&left, &lines, &[]))
        };
        assert_eq!(
            side_by_side(true),
            "operation  size  median     min     p99      raw  raw min  ratio\n\
             sync_all         110 ns  100 ns  150 ns  55.0 ns  50.0 ns   2.00\n"
        );
        assert_eq!(
            side_by_side(false),
            "operation  size  coarray      raw  ratio\n\
             sync_all          110 ns  55.0 ns   2.00\n"
        );
    }
}
