//! The options of `cobench model`.

use std::path::PathBuf;

use super::values::{self, bad_value, list, number};
use super::words::Words;
use super::{Command, OptionsError};
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
pub fn model(words: &mut Words) -> Result<Command, OptionsError> {
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
    while let Some(option) = words.option() {
        match option.as_str() {
            "--latency" => options.machine.latency = duration(&option, &words.value(&option)?)?,
            "--overhead" => options.machine.overhead = duration(&option, &words.value(&option)?)?,
            "--gap" => options.machine.gap = duration(&option, &words.value(&option)?)?,
            "--gap-per-byte" => {
                options.machine.per_byte = duration(&option, &words.value(&option)?)?;
            }
            "--bytes" => options.extent.bytes = number(&option, &words.value(&option)?)?,
            "--per-node" => {
                options.extent.per_node = image_count(&option, &words.value(&option)?)?;
            }
            "--images" => {
                let value = words.value(&option)?;
                options.images = list(&value, |word| image_count(&option, word))?;
            }
            "--only" => options.only = list(&words.value(&option)?, operation)?,
            "--json" => options.json = true,
            "--plot" => options.plot = Some(words.value(&option)?.into()),
            "--measured" => options.measured = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "model";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    check_measured(&options)?;
    if options.images.is_empty() && !options.measured {
        options.images = match (options.quick, &options.plot) {
            (true, _) => vec![32, 1024],
            (false, Some(_)) => (5..=20).map(|power| 1 << power).collect(),
            (false, None) => (5..=20).step_by(3).map(|power| 1 << power).collect(),
        };
    }
    Ok(Command::Model(options))
}

/// What is measured cannot have more images than a job, and has no plot.
fn check_measured(options: &Model) -> Result<(), OptionsError> {
    if !options.measured {
        return Ok(());
    }
    for images in &options.images {
        values::image_count("--images", &images.to_string())?;
    }
    match options.plot {
        None => Ok(()),
        Some(_) => Err(OptionsError::Unknown {
            command: "model --measured",
            option: "--plot".into(),
        }),
    }
}

fn image_count(option: &str, text: &str) -> Result<usize, OptionsError> {
    match text.parse() {
        Ok(images) if (1..=MOST).contains(&images) => Ok(images),
        _ => Err(bad_value(
            option,
            text,
            format!("a number of images from 1 to {MOST}"),
        )),
    }
}

fn operation(text: &str) -> Result<String, OptionsError> {
    let text = if text == ALIAS.0 { ALIAS.1 } else { text };
    let names: Vec<&str> = [BARRIERS]
        .into_iter()
        .chain(KINDS.map(|kind| kind.name()))
        .collect();
    match names.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(bad_value(
            "--only",
            text,
            format!("some of {}", names.join(", ")),
        )),
    }
}

/// A time with its unit, in nanoseconds.
fn duration(option: &str, text: &str) -> Result<f64, OptionsError> {
    let units = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
    ];
    let nanoseconds = units.into_iter().find_map(|(unit, factor)| {
        let value: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(value * factor)
    });
    nanoseconds
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| bad_value(option, text, "a time such as 0.4us"))
}
