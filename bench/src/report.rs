//! What people and programs get to see.

use std::fmt::Write as _;

use crate::conductor::fit;
use crate::options::{Fabric, cores};
use crate::peers::Installed;
use crate::sample::{OWN, RATIO, RAW, Row, Rows};
use crate::statistics::Samples;

/// Where the numbers come from.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Number of images.
    pub images: usize,
    /// What they are.
    pub fabric: Fabric,
    /// How often each program was started.
    pub rounds: usize,
}

/// Prints a JSON object a line.
///
/// Operations without a size have `"bytes":0`. With peers, the fields of the first that has the operation follow.
pub fn json(rows: &Rows, images: usize, peers: &[Installed]) {
    for row in &rows.0 {
        if let Some(line) = json_line(row, images, peers) {
            println!("{line}");
        }
    }
}

fn json_line(row: &Row, images: usize, peers: &[Installed]) -> Option<String> {
    let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
    let mut line = format!(
        r#"{{"op":"{}","bytes":{},"images":{images},"ns":{:.2},"min":{:.2},"p99":{:.2},"raw_ns":{:.2},"raw_min":{:.2},"ratio":{:.4}"#,
        row.operation,
        row.bytes,
        own.median(),
        own.min(),
        own.p99(),
        raw.median(),
        raw.min(),
        ratio.median(),
    );
    let mut of_peers = peers
        .iter()
        .filter_map(|peer| Some((peer, of_peer(row, peer)?)));
    if let Some((peer, (samples, speedup))) = of_peers.next() {
        let _ = write!(
            line,
            r#","peer":"{}","peer_ns":{:.2},"peer_min":{:.2},"peer_ratio":{:.4}"#,
            peer.title,
            samples.median(),
            samples.min(),
            speedup.median(),
        );
    }
    line.push('}');
    Some(line)
}

/// Prints a table, headed by what was measured where.
pub fn table(rows: &Rows, machine: &Machine, peers: &[Installed]) {
    print!("{}", heading(machine, peers));
    let mut lines = vec![titles(peers)];
    lines.extend(rows.0.iter().filter_map(|row| cells(row, peers)));
    print!("{}", aligned(&lines));
}

/// A peer's samples, and the speedup over it.
fn of_peer<'rows>(row: &'rows Row, peer: &Installed) -> Option<(&'rows Samples, &'rows Samples)> {
    Some((row.of(peer.peer.name())?, row.of(peer.peer.speedup())?))
}

/// The first line of a table.
pub fn heading(machine: &Machine, peers: &[Installed]) -> String {
    let Machine {
        images,
        fabric,
        rounds,
    } = *machine;
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let cores = cores();
    let place = if fit(images) {
        "each on a core of its own"
    } else {
        "not bound to cores"
    };
    let mut heading = format!(
        "{}: {cores} core{}; {images} image{} as {}, {place}; {rounds} round{}",
        processor(),
        plural(cores),
        plural(images),
        fabric.name(),
        plural(rounds),
    );
    for peer in peers {
        let _ = write!(heading, "; {}: {}", peer.peer.name(), peer.title);
    }
    heading + "\n"
}

/// The processor's name, as the operating system knows it.
fn processor() -> String {
    let described = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    described
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn titles(peers: &[Installed]) -> Vec<String> {
    let mut titles: Vec<String> = [
        "operation",
        "size",
        "median",
        "min",
        "p99",
        "raw",
        "raw min",
        "ratio",
    ]
    .map(str::to_owned)
    .into();
    for peer in peers {
        let name = peer.peer.name();
        titles.extend([name.into(), format!("{name} min"), "speedup".into()]);
    }
    titles
}

fn cells(row: &Row, peers: &[Installed]) -> Option<Vec<String>> {
    let (own, raw, ratio) = (row.of(OWN)?, row.of(RAW)?, row.of(RATIO)?);
    let mut cells = vec![
        row.operation.clone(),
        size(row.bytes),
        time(own.median()),
        time(own.min()),
        time(own.p99()),
        time(raw.median()),
        time(raw.min()),
        format!("{:.2}", ratio.median()),
    ];
    for peer in peers {
        cells.extend(match of_peer(row, peer) {
            Some((samples, speedup)) => [
                time(samples.median()),
                time(samples.min()),
                format!("{:.2}x", speedup.median()),
            ],
            None => ["", "", ""].map(str::to_owned),
        });
    }
    Some(cells)
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

fn size(bytes: usize) -> String {
    match bytes {
        0 => String::new(),
        1..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// A time in a unit that suits it.
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        _ if nanoseconds < 99.95 => format!("{nanoseconds:.1} ns"),
        _ if nanoseconds < 999.5 => format!("{nanoseconds:.0} ns"),
        _ if nanoseconds < 999_500.0 => format!("{:.2} µs", nanoseconds / 1e3),
        _ => format!("{:.2} ms", nanoseconds / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Line;

    fn rows() -> Rows {
        let mut rows = Rows::default();
        for text in [
            "sync_all 0 own 100 110 150",
            "sync_all 0 raw 55 50 60",
            "sync_all 0 ratio 2 1.9 2.5",
        ] {
            rows.add(Line::parse(text).unwrap());
        }
        rows
    }

    #[test]
    fn times_and_sizes_have_units() {
        for (nanoseconds, shown) in [
            (1.25, "1.2 ns"),
            (123.4, "123 ns"),
            (999.7, "1.00 µs"),
            (12_345.0, "12.35 µs"),
            (2_500_000.0, "2.50 ms"),
        ] {
            assert_eq!(time(nanoseconds), shown);
        }
        assert_eq!(
            [0, 8, 2048, 8 << 20].map(size),
            ["", "8 B", "2 KiB", "8 MiB"]
        );
    }

    #[test]
    fn a_row_is_one_json_object() {
        assert_eq!(
            json_line(&rows().0[0], 2, &[]).unwrap(),
            r#"{"op":"sync_all","bytes":0,"images":2,"ns":110.00,"min":100.00,"p99":150.00,"raw_ns":55.00,"raw_min":50.00,"ratio":2.0000}"#
        );
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [titles(&[]), cells(&rows().0[0], &[]).unwrap()];
        assert_eq!(
            aligned(&lines),
            "operation  size  median     min     p99      raw  raw min  ratio\n\
             sync_all         110 ns  100 ns  150 ns  55.0 ns  50.0 ns   2.00\n"
        );
    }
}
