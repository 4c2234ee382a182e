//! What the model says, for people and programs.

use std::path::Path;

use crate::model::{BARRIERS, Prediction, fastest};
use crate::options::Model;
use crate::plot::{self, Axis, PlotError, Series, Unit};
use crate::report::table::aligned;
use crate::report::units::{digits, time};

/// Prints a JSON object a line.
pub fn json(predictions: &[Prediction], options: &Model) {
    for prediction in predictions {
        println!("{}", json_line(prediction, predictions, options));
    }
}

fn json_line(prediction: &Prediction, all: &[Prediction], options: &Model) -> String {
    let Prediction {
        subject,
        images,
        time,
        tally,
    } = prediction;
    let bytes = match subject.operation() {
        BARRIERS => 0,
        _ => options.extent.bytes,
    };
    format!(
        r#"{{"op":"{}","algorithm":"{}","bytes":{bytes},"images":{images},"ns":{time:.2},"messages":{},"signals":{},"most":{},"fastest":{}}}"#,
        subject.operation(),
        subject.algorithm(),
        tally.messages,
        tally.signals,
        tally.most,
        is_fastest(prediction, all),
    )
}

/// Whether it takes the least time, or no more than the one that does.
fn is_fastest(prediction: &Prediction, all: &[Prediction]) -> bool {
    let best = fastest(rivals(prediction, all));
    best.is_some_and(|best| prediction.time <= best.time)
}

/// All for the same purpose and with as many images.
fn rivals<'a>(
    prediction: &Prediction,
    all: &'a [Prediction],
) -> impl Iterator<Item = &'a Prediction> {
    let (operation, images) = (prediction.subject.operation(), prediction.images);
    all.iter()
        .filter(move |other| other.subject.operation() == operation && other.images == images)
}

/// Prints a table for each operation, headed by what the network is.
pub fn table(predictions: &[Prediction], options: &Model) {
    println!("{}", heading(options));
    for operation in operations(predictions) {
        let titles = [
            "images",
            "algorithm",
            "time",
            "messages",
            "signals",
            "most of one image",
            "",
        ];
        let mut lines = vec![titles.map(str::to_owned).to_vec()];
        for &images in &options.images {
            for prediction in predictions {
                if prediction.subject.operation() == operation && prediction.images == images {
                    lines.push(cells(prediction, predictions));
                }
            }
        }
        print!("\n{operation}\n{}", aligned(&lines));
    }
}

fn heading(options: &Model) -> String {
    format!("predicted for {}", network(options))
}

fn network(options: &Model) -> String {
    let machine = options.machine;
    format!(
        "a network with latency {}, overhead {}, gap {}, gap per byte {}; {} bytes; {} images on a node",
        time(machine.latency),
        time(machine.overhead),
        time(machine.gap),
        time(machine.per_byte),
        options.extent.bytes,
        options.extent.per_node,
    )
}

fn operations(predictions: &[Prediction]) -> Vec<&'static str> {
    let mut names: Vec<&str> = predictions
        .iter()
        .map(|prediction| prediction.subject.operation())
        .collect();
    names.dedup();
    names
}

fn cells(prediction: &Prediction, all: &[Prediction]) -> Vec<String> {
    let tally = prediction.tally;
    let mark = if is_fastest(prediction, all) {
        "fastest"
    } else {
        ""
    };
    vec![
        prediction.images.to_string(),
        prediction.subject.algorithm().to_owned(),
        time(prediction.time),
        count(tally.messages),
        count(tally.signals),
        count(tally.most),
        mark.to_owned(),
    ]
}

/// A number of messages, the largest ones rounded.
fn count(number: u64) -> String {
    match number {
        0 => String::new(),
        1..10_000_000 => number.to_string(),
        _ => {
            let exponent = (number as f64).log10().floor();
            format!(
                "{}e{exponent}",
                digits(number as f64 / 10f64.powf(exponent))
            )
        }
    }
}

/// Writes a plot of times and one of numbers of messages for each operation.
///
/// # Errors
/// If a plot cannot be written.
pub fn plots(predictions: &[Prediction], options: &Model, folder: &Path) -> Result<(), PlotError> {
    plot::folder(folder)?;
    let axis = |title: &str, unit| Axis {
        title: title.into(),
        unit,
        logarithmic: true,
    };
    let images = axis("images", Unit::Count);
    let subtitle = format!("cobench model: {}", heading(options));
    for operation in operations(predictions) {
        let of = |value: fn(&Prediction) -> f64| series(predictions, operation, value);
        let times = of(|prediction| prediction.time);
        if times.is_empty() {
            continue;
        }
        plot::lines(
            &folder.join(format!("model_{operation}.svg")),
            &format!("{operation}: predicted time"),
            &subtitle,
            &images,
            &axis("time of one operation", Unit::Nanoseconds),
            &times,
        )?;
        plot::lines(
            &folder.join(format!("model_{operation}_messages.svg")),
            &format!("{operation}: messages of the image with the most"),
            &subtitle,
            &images,
            &axis("messages sent or received", Unit::Count),
            &of(|prediction| prediction.tally.most as f64),
        )?;
    }
    Ok(())
}

/// A line for each algorithm, without points that are nothing: one image need not send.
fn series(
    predictions: &[Prediction],
    operation: &str,
    value: fn(&Prediction) -> f64,
) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for prediction in predictions {
        let value = value(prediction);
        if prediction.subject.operation() != operation || value <= 0.0 {
            continue;
        }
        let name = prediction.subject.algorithm();
        let point = (prediction.images as f64, value);
        match series.last_mut().filter(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: name.to_owned(),
                points: vec![point],
            }),
        }
    }
    series
}
