//! The plots that `cobench` draws: which there are, and what they show.
//!
//! What is measured at several sizes is drawn as lines: the time over the size, and of copies the bandwidth as well.
//! Everything else is drawn as bars in groups. A name has the same colour in all plots.

use std::env;
use std::fs;
use std::path::PathBuf;

use program::output::OutputError;
use program::plots::{Axis, Bar, Plot, Scale, Series, Shape};

use crate::operations;
use crate::options::Options;
use crate::peer::Peer;
use crate::report::units::{count, factor, size, time};
use crate::sample::{OWN, RAW, Row, Rows};

/// A folder of plots, and what is written below their titles.
#[derive(Debug)]
pub struct Plots {
    folder: PathBuf,
    subtitle: String,
}

/// The name and the points of a line.
pub type Line<'a> = (&'a str, Vec<(f64, f64)>);

/// From this number of sizes on a curve says more than bars.
const CURVE: usize = 3;

/// Copies, whose bandwidth is of interest.
const COPIES: [&str; 2] = ["bulk_put", "bulk_get"];

/// Groups of bars: the file, its title and the operations, as many as are legible together.
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

/// What the library is called in legends.
const OURS: &str = "coarray";

/// What is drawn of operations: what samples are filed under, and the name in legends.
fn everybody() -> impl Iterator<Item = (&'static str, &'static str)> {
    let peers = Peer::ALL.map(|peer| (peer.name(), peer.name()));
    [(OWN, OURS)].into_iter().chain(peers).chain([(RAW, "raw")])
}

impl Plots {
    /// The folder that the user wants, if so. It is made before anything is measured in vain.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn wanted(options: &Options, machine: &str) -> Result<Option<Self>, String> {
        let Some(folder) = &options.plot else {
            return Ok(None);
        };
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot write {}: {error}", folder.display()))?;
        let words: Vec<String> = env::args().skip(1).collect();
        Ok(Some(Self {
            folder: folder.clone(),
            subtitle: format!("{machine} (cobench {})", words.join(" ")),
        }))
    }

    /// Draws operations.
    ///
    /// # Errors
    /// If a plot cannot be written.
    pub fn operations(&self, rows: &Rows) -> Result<(), OutputError> {
        for name in operations::names() {
            let rows: Vec<&Row> = rows.0.iter().filter(|row| row.operation == name).collect();
            if rows.len() < CURVE {
                continue;
            }
            let lines = |value: fn(f64, f64) -> f64| {
                let line = |(what, name)| {
                    let point = |row: &&Row| {
                        let bytes = row.bytes as f64;
                        Some((bytes, value(bytes, row.of(what)?.median())))
                    };
                    (name, rows.iter().filter_map(point).collect())
                };
                everybody().map(line).collect::<Vec<Line<'_>>>()
            };
            let sizes = Axis {
                title: "size",
                scale: Scale::Powers(8.0),
                label: &|bytes| size(bytes as usize),
            };
            let times = lines(|_, time| time);
            self.lines(
                name,
                &format!("{name}: time over size"),
                sizes,
                TIME,
                &times,
            )?;
            if COPIES.contains(&name) {
                let bandwidth = lines(|bytes, time| bytes / time);
                let title = format!("{name}: bandwidth over size");
                let y = Axis {
                    title: "bandwidth",
                    scale: Scale::Powers(10.0),
                    label: &|rate| format!("{rate} GB/s"),
                };
                self.lines(&format!("{name}_bandwidth"), &title, sizes, y, &bandwidth)?;
            }
        }
        for (file, title, names) in BARS {
            let rows = rows.0.iter();
            let rows = rows.filter(|row| names.contains(&row.operation.as_str()));
            let group = |row: &Row| {
                let bar = |(what, _)| row.of(what).map(|times| times.median());
                // The sizes of single words go without saying.
                let name = match row.bytes {
                    0 | 8 => row.operation.clone(),
                    bytes => format!("{} {}", row.operation, size(bytes)),
                };
                (name, everybody().map(bar).collect())
            };
            let groups: Vec<Group> = rows.map(group).collect();
            let names: Vec<&str> = everybody().map(|(_, name)| name).collect();
            self.bars(file, title, TIME, time, &names, &groups)?;
        }
        Ok(())
    }

    /// Draws the rates of kernels, whose units differ, as multiples of those of `coarray`.
    ///
    /// # Errors
    /// If the plot cannot be written.
    pub fn rates(&self, rows: &[&Row]) -> Result<(), OutputError> {
        let group = |row: &&Row| {
            let peers = Peer::ALL.map(|peer| {
                let speedup = row.of(&peer.speedup())?;
                Some(1.0 / speedup.median())
            });
            let bars = [Some(1.0)].into_iter().chain(peers).collect();
            (row.operation.clone(), bars)
        };
        let groups: Vec<Group> = rows.iter().map(group).collect();
        let names: Vec<&str> = [OURS]
            .into_iter()
            .chain(Peer::ALL.map(Peer::name))
            .collect();
        let y = Axis {
            title: "rate, relative to coarray (more is faster)",
            scale: Scale::FromZero,
            label: &factor,
        };
        self.bars(
            "kernels",
            "Kernels: rate beside coarray",
            y,
            factor,
            &names,
            &groups,
        )
    }

    /// Draws how kernels gain by more images.
    ///
    /// # Errors
    /// If the plot cannot be written.
    pub fn speedups(&self, is_weak: bool, kernels: &[Line<'_>]) -> Result<(), OutputError> {
        let way = if is_weak { "weak" } else { "strong" };
        let mut lines = kernels.to_vec();
        if let Some((_, points)) = kernels.first() {
            let first = points.first().map_or(1.0, |point| point.0);
            let ideal = points.iter().map(|&(images, _)| (images, images / first));
            lines.push(("ideal", ideal.collect()));
        }
        let y = Axis {
            title: "rate, as a multiple of the first",
            scale: Scale::FromZero,
            label: &factor,
        };
        let title = format!("Speedup by {way} scaling");
        self.lines(&format!("scale_{way}_speedup"), &title, IMAGES, y, &lines)
    }

    /// Draws the times that the model predicts for the algorithms of an operation, and how many messages they take.
    ///
    /// # Errors
    /// If a plot cannot be written.
    pub fn predictions(
        &self,
        operation: &str,
        times: &[Line<'_>],
        messages: &[Line<'_>],
    ) -> Result<(), OutputError> {
        let file = format!("model_{operation}");
        let title = format!("{operation}: predicted time");
        self.lines(&file, &title, IMAGES, TIME, times)?;
        let y = Axis {
            title: "messages sent or received",
            scale: Scale::Powers(10.0),
            label: &count,
        };
        let title = format!("{operation}: messages of the image with the most");
        self.lines(&format!("{file}_messages"), &title, IMAGES, y, messages)
    }

    /// A line keeps the number of its place, also where those before it have no points.
    fn lines(
        &self,
        file: &str,
        title: &str,
        x: Axis<'_>,
        y: Axis<'_>,
        lines: &[Line<'_>],
    ) -> Result<(), OutputError> {
        let series = lines
            .iter()
            .zip(0..)
            .map(|((name, points), number)| Series {
                name,
                number,
                shape: Shape::Marked(points.clone()),
            });
        let series = series.filter(|series| match &series.shape {
            Shape::Marked(points) => !points.is_empty(),
            _ => true,
        });
        self.write(file, title, x, y, series.collect())
    }

    /// The same for bars of these names.
    fn bars(
        &self,
        file: &str,
        title: &str,
        y: Axis<'_>,
        label: fn(f64) -> String,
        names: &[&str],
        groups: &[Group],
    ) -> Result<(), OutputError> {
        let is_used = |&number: &usize| groups.iter().any(|(_, bars)| bars[number].is_some());
        let used: Vec<usize> = (0..names.len()).filter(is_used).collect();
        if used.is_empty() {
            return Ok(());
        }
        let width = 0.8 / used.len() as f64;
        let series = used.iter().zip(0..).map(|(&number, place)| {
            let bar = |(group, (_, bars)): (usize, &Group)| {
                let start = group as f64 - 0.4 + width * f64::from(place);
                let height = bars[number]?;
                Some(Bar {
                    place: start..start + width,
                    height,
                    label: label(height),
                })
            };
            Series {
                name: names[number],
                number,
                shape: Shape::Bars(groups.iter().enumerate().filter_map(bar).collect()),
            }
        });
        let x = Axis {
            title: "",
            scale: Scale::Groups,
            label: &|group| {
                let name = groups.get(group.round() as usize);
                let name = name.filter(|_| (group - group.round()).abs() < 1e-6);
                name.map_or(String::new(), |(name, _)| name.clone())
            },
        };
        self.write(file, title, x, y, series.collect())
    }

    fn write(
        &self,
        file: &str,
        title: &str,
        x: Axis<'_>,
        y: Axis<'_>,
        series: Vec<Series<'_>>,
    ) -> Result<(), OutputError> {
        let plot = Plot {
            title,
            subtitle: &self.subtitle,
            x,
            y,
            series,
        };
        plot.write(&self.folder.join(format!("{file}.svg")))
    }
}

/// Bars that stand together: what is written below them, and how high each is.
type Group = (String, Vec<Option<f64>>);

const TIME: Axis<'static> = Axis {
    title: "time of one operation",
    scale: Scale::Powers(10.0),
    label: &time,
};

const IMAGES: Axis<'static> = Axis {
    title: "images",
    scale: Scale::Powers(2.0),
    label: &count,
};
