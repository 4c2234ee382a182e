//! The predictions, for people and programs.

use program::output::OutputError;

use crate::model::{BARRIERS, Prediction, fastest};
use crate::options::Options;
use crate::plots::{Line, Plots};
use crate::report::table::aligned;
use crate::report::units::{count, time};

/// Prints a JSON object a line.
pub fn json(predictions: &[Prediction], options: &Options) {
    for prediction in predictions {
        println!("{}", json_line(prediction, predictions, options));
    }
}

fn json_line(prediction: &Prediction, all: &[Prediction], options: &Options) -> String {
    let Prediction {
        subject,
        images,
        time,
        tally,
    } = prediction;
    let bytes = match subject.operation() {
        BARRIERS => 0,
        _ => options.network.bytes,
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

/// Whether it is as fast as the fastest.
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

/// Prints a table for each operation, headed by the parameters of the network.
pub fn table(predictions: &[Prediction], options: &Options) {
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

pub fn heading(options: &Options) -> String {
    format!("predicted for {}", network(options))
}

fn network(options: &Options) -> String {
    let network = options.network;
    format!(
        "a network with latency {}, overhead {}, gap {}, gap per byte {}; {} bytes; {} images on a node",
        time(network.latency),
        time(network.overhead),
        time(network.gap),
        time(network.gap_per_byte),
        options.network.bytes,
        options.network.per_node,
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
        number(tally.messages),
        number(tally.signals),
        number(tally.most),
        mark.to_owned(),
    ]
}

/// A number of messages; nothing if there are none.
fn number(messages: u64) -> String {
    match messages {
        0 => String::new(),
        _ => count(messages as f64),
    }
}

/// Draws times and numbers of messages of each operation.
///
/// # Errors
/// If a plot cannot be written.
pub fn draw(predictions: &[Prediction], plots: &Plots) -> Result<(), OutputError> {
    for operation in operations(predictions) {
        let of = |value: fn(&Prediction) -> f64| lines(predictions, operation, value);
        let times = of(|prediction| prediction.time);
        let messages = of(|prediction| prediction.tally.most as f64);
        if times.iter().any(|(_, points)| !points.is_empty()) {
            plots.predictions(operation, &times, &messages)?;
        }
    }
    Ok(())
}

/// A line for each algorithm, without points that are nothing: one image need not send.
fn lines(
    predictions: &[Prediction],
    operation: &str,
    value: fn(&Prediction) -> f64,
) -> Vec<Line<'static>> {
    let of_operation = |prediction: &&Prediction| prediction.subject.operation() == operation;
    let mut lines: Vec<Line<'static>> = Vec::new();
    for prediction in predictions.iter().filter(of_operation) {
        let name = prediction.subject.algorithm();
        if lines.last().is_none_or(|(last, _)| *last != name) {
            lines.push((name, Vec::new()));
        }
        let value = value(prediction);
        if let Some((_, points)) = lines.last_mut().filter(|_| value > 0.0) {
            points.push((prediction.images as f64, value));
        }
    }
    lines
}
