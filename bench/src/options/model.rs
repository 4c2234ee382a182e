//! The options of `cobench model`.

use std::path::PathBuf;

use program::command_line::{Arguments, Error, Long, read};

use super::values::{MAX_IMAGES, numbers, some_of};
use super::{Command, Words};
use crate::model::{BARRIERS, Extent, KINDS, LogGp};

/// Options of `cobench model`.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The network.
    pub machine: LogGp,
    /// How large the operations are.
    pub extent: Extent,
    /// Numbers of images.
    pub images: Vec<usize>,
    /// The operations to predict; all if there are none.
    pub only: Vec<String>,
    /// Print JSON.
    pub json: bool,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
    /// Compare predictions for this machine with what it does.
    pub measured: bool,
    /// Few numbers of images.
    pub quick: bool,
}

/// Most images: the clocks of more do not fit into memory everywhere.
const MOST: usize = 1 << 24;

/// What the library calls the result of `co_reduce`.
const ALIAS: (&str, &str) = ("co_sum", "co_reduce");

/// Reads the options of `cobench model`.
pub fn model(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Model {
        // What a good network between machines does today.
        machine: LogGp {
            latency: 1000.0,
            overhead: 300.0,
            gap: 400.0,
            per_byte: 0.05,
        },
        extent: Extent {
            bytes: 8,
            per_node: 64,
        },
        images: Vec::new(),
        only: Vec::new(),
        json: false,
        plot: None,
        measured: false,
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        let machine = &mut options.machine;
        match option {
            Long("latency") => machine.latency = duration(arguments)?,
            Long("overhead") => machine.overhead = duration(arguments)?,
            Long("gap") => machine.gap = duration(arguments)?,
            Long("gap-per-byte") => machine.per_byte = duration(arguments)?,
            Long("bytes") => options.extent.bytes = arguments.number("a number", |_| true)?,
            Long("per-node") => options.extent.per_node = arguments.count(MOST)?,
            Long("images") => options.images = numbers(arguments, 1..=MOST)?,
            Long("only") => options.only = operations(arguments)?,
            Long("json") => options.json = true,
            Long("plot") => options.plot = Some(arguments.path()?),
            Long("measured") => options.measured = true,
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    check_measured(&options)?;
    if options.images.is_empty() && !options.measured {
        options.images = match (options.quick, &options.plot) {
            (true, _) => vec![32, 1024],
            (false, Some(_)) => (5..=20).map(|power| 1 << power).collect(),
            (false, None) => (5..=20).step_by(3).map(|power| 1 << power).collect(),
        };
    }
    Ok(goes_on.then_some(Command::Model(options)))
}

/// What is measured cannot have more images than a job, and has no plot.
fn check_measured(options: &Model) -> Result<(), Error> {
    if !options.measured {
        return Ok(());
    }
    if let Some(images) = options.images.iter().find(|&&images| images > MAX_IMAGES) {
        let expected = format!("with --measured a number from 1 to {MAX_IMAGES}");
        return Err(format!("--images {images}: expected {expected}").into());
    }
    match options.plot {
        None => Ok(()),
        Some(_) => Err("--measured and --plot exclude each other".into()),
    }
}

/// Names of operations, as in the library.
fn operations(arguments: &mut Arguments) -> Result<Vec<String>, Error> {
    let own = [BARRIERS].into_iter().chain(KINDS.map(|kind| kind.name()));
    let named = own.map(|name| (name, name)).chain([ALIAS]);
    some_of(
        arguments,
        named.map(|(name, meant)| (name, meant.to_owned())),
    )
}

/// A time with its unit, in nanoseconds.
fn duration(arguments: &mut Arguments) -> Result<f64, Error> {
    let units = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
    ];
    arguments.value("a time such as 0.4us", |text| {
        let nanoseconds = units.into_iter().find_map(|(unit, factor)| {
            let value: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
            Some(value * factor)
        });
        nanoseconds.filter(|value| value.is_finite() && *value >= 0.0)
    })
}
