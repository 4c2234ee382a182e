//! The plots of `cobench micro` and `cobench peers`: which there are, and what they show.
//!
//! What is measured at several sizes is drawn as lines: the time over the size, and of copies the bandwidth as well.
//! Everything else is drawn as bars in groups.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::operations::OPERATIONS;
use crate::peers::Peer;
use crate::plot::{self, Axis, Group, Series, Unit};
use crate::report::machine::Machine;
use crate::sample::{OWN, RAW, Row, Rows};

/// A folder of plots.
#[derive(Debug)]
pub struct Gallery {
    folder: PathBuf,
    subtitle: String,
}

/// Sizes from which on a curve says more than bars.
const CURVE: usize = 3;

/// Copies, whose bandwidth is of interest.
const COPIES: [&str; 2] = ["bulk_put", "bulk_get"];

/// Groups of bars, as many as are legible together.
const BARS: [(&str, &str, &[&str]); 3] = [
    (
        "memory",
        "One image in the memory of another",
        &[
            "put",
            "get",
            "column_put",
            "column_get",
            "fetch_add",
            "compare_exchange",
            "gups",
            "gups_atomic",
        ],
    ),
    (
        "waiting",
        "Waiting for each other",
        &[
            "event_pingpong",
            "event_ring",
            "notify_pingpong",
            "mutex",
            "sync_pair",
            "sync_all",
        ],
    ),
    (
        "life",
        "Memory and jobs, from the beginning to the end",
        &["alloc", "open", "launch"],
    ),
];

impl Gallery {
    /// The folder that the user wants, if so; it is made if it is not there, before anything is measured in vain.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn wanted(folder: Option<&Path>, machine: &Machine) -> Result<Option<Self>, String> {
        let Some(folder) = folder else {
            return Ok(None);
        };
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot write {}: {error}", folder.display()))?;
        let words: Vec<String> = std::env::args().skip(1).collect();
        Ok(Some(Self {
            folder: folder.to_owned(),
            subtitle: format!("{} (cobench {})", machine.line(), words.join(" ")),
        }))
    }

    /// Draws operations.
    ///
    /// # Errors
    /// If a plot cannot be written.
    pub fn operations(&self, rows: &Rows) -> Result<(), Box<dyn Error>> {
        for operation in OPERATIONS {
            let rows: Vec<&Row> = rows
                .0
                .iter()
                .filter(|row| row.operation == operation.name)
                .collect();
            if rows.len() < CURVE {
                continue;
            }
            let name = operation.name;
            let time = axis("time of one operation", Unit::Nanoseconds);
            let title = format!("{name}: time over size");
            self.curve(name, &title, &time, &rows, |_, time| time)?;
            if COPIES.contains(&name) {
                let bandwidth = axis("bandwidth", Unit::BytesPerSecond);
                let title = format!("{name}: bandwidth over size");
                let file = format!("{name}_bandwidth");
                self.curve(&file, &title, &bandwidth, &rows, |bytes, time| {
                    bytes / time * 1e9
                })?;
            }
        }
        for (file, title, names) in BARS {
            let of_group = rows
                .0
                .iter()
                .filter(|row| names.contains(&row.operation.as_str()));
            let groups: Vec<Group> = of_group.map(times).collect();
            if !groups.is_empty() {
                let time = axis("time of one operation", Unit::Nanoseconds);
                plot::bars(&self.file(file), title, &self.subtitle, &time, &groups)?;
            }
        }
        Ok(())
    }

    /// Draws kernels; their units differ, so each is compared with `coarray`.
    ///
    /// # Errors
    /// If the plot cannot be written.
    pub fn kernels(&self, rows: &Rows) -> Result<(), Box<dyn Error>> {
        if rows.0.is_empty() {
            return Ok(());
        }
        let group = |row: &Row| {
            let mut bars = vec![(OURS.to_owned(), 1.0)];
            for peer in Peer::ALL {
                if let Some(speedup) = row.of(&peer.speedup()) {
                    bars.push((peer.name().to_owned(), 1.0 / speedup.median()));
                }
            }
            Group {
                name: row.operation.clone(),
                bars,
            }
        };
        let groups: Vec<Group> = rows.0.iter().map(group).collect();
        let speed = Axis {
            title: "rate, relative to coarray (more is faster)".into(),
            unit: Unit::Times,
            logarithmic: false,
        };
        let title = "Kernels: rate beside coarray";
        plot::bars(
            &self.file("kernels"),
            title,
            &self.subtitle,
            &speed,
            &groups,
        )?;
        Ok(())
    }

    fn curve(
        &self,
        file: &str,
        title: &str,
        y: &Axis,
        rows: &[&Row],
        value: impl Fn(f64, f64) -> f64,
    ) -> Result<(), Box<dyn Error>> {
        let series = |(what, name): (&'static str, &str)| {
            let point = |row: &&Row| {
                let bytes = row.bytes as f64;
                Some((bytes, value(bytes, row.of(what)?.median())))
            };
            let points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
            (!points.is_empty()).then(|| Series {
                name: name.to_owned(),
                points,
            })
        };
        let series: Vec<Series> = everybody().filter_map(series).collect();
        let size = axis("size", Unit::Bytes);
        plot::lines(&self.file(file), title, &self.subtitle, &size, y, &series)?;
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.svg"))
    }
}

/// What our own are called in legends.
const OURS: &str = "coarray";

/// What is drawn, and what it is called in legends.
fn everybody() -> impl Iterator<Item = (&'static str, &'static str)> {
    let peers = Peer::ALL.map(|peer| (peer.name(), peer.name()));
    [(OWN, OURS), (RAW, "raw")].into_iter().chain(peers)
}

fn axis(title: &str, unit: Unit) -> Axis {
    Axis {
        title: title.into(),
        unit,
        logarithmic: true,
    }
}

fn times(row: &Row) -> Group {
    let bar = |(what, name): (&str, &str)| Some((name.to_owned(), row.of(what)?.median()));
    let size = crate::report::units::size(row.bytes);
    // The sizes of single words go without saying.
    let name = match row.bytes {
        0 | 8 => row.operation.clone(),
        _ => format!("{} {size}", row.operation),
    };
    Group {
        name,
        bars: everybody().filter_map(bar).collect(),
    }
}
