//! Results for people: tables.

use std::fmt::Write as _;

use rustix::termios::tcgetwinsize;

use super::units::{factor, share, size, time};
use super::{Comparison, best, comparison, comparisons};
use crate::peers::Installed;
use crate::sample::{OWN, RATIO, RAW, Row, Rows};

/// What a table shows of one row, beside peers: the columns on the left.
pub struct Left<'cells> {
    /// Their titles.
    pub titles: Vec<String>,
    /// Their cells in a row.
    pub cells: &'cells Cells<'cells>,
    /// How many of them say what the row is about.
    pub naming: usize,
    /// How numbers of peers are written.
    pub number: fn(f64) -> String,
}

/// The cells of a row; none if the row has no place in the table.
pub type Cells<'cells> = dyn Fn(&Row) -> Option<Vec<String>> + 'cells;

/// The columns of operations: all that is known if they stand alone, and what fits beside peers.
pub fn operations(is_alone: bool) -> Left<'static> {
    fn name(row: &Row) -> Vec<String> {
        vec![row.operation.clone(), size(row.bytes)]
    }
    fn alone(row: &Row) -> Option<Vec<String>> {
        let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
        let times = [own.median(), own.min(), own.p99(), raw.median(), raw.min()];
        let mut cells = name(row);
        cells.extend(times.map(time));
        cells.push(share(ratio.median()));
        Some(cells)
    }
    fn beside_peers(row: &Row) -> Option<Vec<String>> {
        let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
        let mut cells = name(row);
        cells.extend([own, raw].map(|samples| time(samples.median())));
        cells.push(share(ratio.median()));
        Some(cells)
    }
    let (titles, cells): (&[&str], &Cells) = if is_alone {
        let titles = &[
            "operation",
            "size",
            "median",
            "min",
            "p99",
            "raw",
            "raw min",
            "ratio",
        ];
        (titles, &alone)
    } else {
        let titles = &["operation", "size", "coarray", "raw", "ratio"];
        (titles, &beside_peers)
    };
    Left {
        titles: titles.iter().map(|&title| title.to_owned()).collect(),
        cells,
        naming: 2,
        number: time,
    }
}

/// Prints a table; or two, if the terminal is too narrow for everything side by side.
pub fn print(left: &Left<'_>, rows: &Rows, peers: &[Installed]) {
    let has_numbers = |peer: &&Installed| rows.0.iter().any(|row| comparison(row, peer).is_some());
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

fn side_by_side(left: &Left<'_>, rows: &Rows, peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles.clone()];
    lines[0].extend(names(peers));
    if !peers.is_empty() {
        lines[0].push(BEST.into());
    }
    for row in &rows.0 {
        let Some(mut cells) = (left.cells)(row) else {
            continue;
        };
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

fn numbers(left: &Left<'_>, rows: &Rows, peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles.clone()];
    lines[0].extend(names(peers));
    for row in &rows.0 {
        let Some(mut cells) = (left.cells)(row) else {
            continue;
        };
        cells.extend(peers.iter().map(|peer| {
            comparison(row, peer).map_or(String::new(), |comparison| {
                (left.number)(comparison.samples.median())
            })
        }));
        lines.push(cells);
    }
    lines
}

fn factors(left: &Left<'_>, rows: &Rows, peers: &[&Installed]) -> Vec<Vec<String>> {
    let mut lines = vec![left.titles[..left.naming].to_vec()];
    lines[0].extend(names(peers));
    lines[0].push(BEST.into());
    for row in &rows.0 {
        let comparisons = comparisons(row, peers.iter().copied());
        let Some(cells) = (left.cells)(row).filter(|_| !comparisons.is_empty()) else {
            continue;
        };
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
        assert_eq!(
            aligned(&side_by_side(&operations(true), &rows, &[])),
            "operation  size  median     min     p99      raw  raw min  ratio\n\
             sync_all         110 ns  100 ns  150 ns  55.0 ns  50.0 ns   2.00\n"
        );
        assert_eq!(
            aligned(&side_by_side(&operations(false), &rows, &[])),
            "operation  size  coarray      raw  ratio\n\
             sync_all          110 ns  55.0 ns   2.00\n"
        );
    }
}
