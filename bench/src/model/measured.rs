//! `cobench model --measured`: the parameters of this machine, and predictions from them beside measurements.
//!
//! The parameters come from two images: half a round trip of events is o + L + o; consecutive puts are o apart, and g
//! is no longer, because the image sends them itself; long puts grow by G for each byte.
//!
//! The prediction leaves out images that share cores, caches and paths to memory, additions, and copies within an
//! image. Where it is far from the measurement, one of these takes the time.

use std::error::Error;

use coarray_collectives::{Algorithm, Kind, TuningTable};
use coarray_fabric::BUFFER_BYTES;
use coarray_runtime::Barrier;

use crate::model::{BARRIERS, Extent, LogGp, Subject, predict, wants};
use crate::operations::rows_of;
use crate::options::{Fabric, Options, cores};
use crate::report::machine::Machine;
use crate::report::table::aligned;
use crate::report::units::{factor, size, time};
use crate::runner::{self, Effort, fit};
use crate::sample::{OWN, Rows};
use crate::statistics::Samples;
use crate::task::Task;

const ROUND_TRIP: &str = "event_pingpong";
const PUT: &str = "put";
const LONG_PUT: &str = "bulk_put";

/// Between these sizes a put grows evenly: its start no longer counts, and it still fits the caches.
const LONG: (usize, usize) = (8 << 10, 512 << 10);

/// The payload of a barrier in bytes: values that are no longer need no message of their own.
const PAYLOAD: usize = 24;

/// The library uses the flat barrier up to this number of images, or if they share cores.
const FLAT: usize = 16;

/// The measured operations, and their kinds.
const OPERATIONS: [(&str, Option<Kind>); 3] = [
    (BARRIERS, None),
    ("co_sum", Some(Kind::Reduce)),
    ("co_broadcast", Some(Kind::Broadcast)),
];

/// A prediction beside its measurement.
struct Comparison {
    operation: String,
    bytes: usize,
    images: usize,
    way: &'static str,
    predicted: f64,
    measured: f64,
}

/// Measures, predicts and prints.
///
/// # Errors
/// If a job fails or does not print what is needed.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let images = match options.images.as_slice() {
        [] => counts(cores()),
        given => given.to_vec(),
    };
    let effort = Effort::new(Task::Tune, options.quick);
    let wanted: Vec<&str> = OPERATIONS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| wants(options, name))
        .collect();
    let bar = runner::progress(effort.rounds * (1 + images.len()));
    let mut pair = Rows::default();
    let mut rows = vec![Rows::default(); images.len()];
    for _ in 0..effort.rounds {
        // In turn, before the speed of the machine changes.
        measure(2, &[ROUND_TRIP, PUT, LONG_PUT], effort, &mut pair)?;
        bar.inc(1);
        for (&images, rows) in images.iter().zip(&mut rows) {
            measure(images, &wanted, effort, rows)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let machine = fitted(&mut pair)?;
    let mut comparisons = Vec::new();
    for (&images, rows) in images.iter().zip(&rows) {
        for row in &rows.0 {
            let Some(measured) = row.of(OWN).map(Samples::median) else {
                continue;
            };
            let kind = OPERATIONS.iter().find(|(name, _)| *name == row.operation);
            let kind = kind.and_then(|(_, kind)| *kind);
            let (way, predicted) = predicted(machine, kind, images, row.bytes);
            comparisons.push(Comparison {
                operation: row.operation.clone(),
                bytes: row.bytes,
                images,
                way,
                predicted,
                measured,
            });
        }
    }
    if options.json {
        json(machine, &comparisons);
    } else {
        table(machine, &comparisons, effort);
    }
    Ok(())
}

/// 2, 4, 8 and so on up to the number of cores, but always 2.
fn counts(cores: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(2_usize), |images| images.checked_mul(2));
    powers
        .take_while(|&images| images <= cores.max(2))
        .collect()
}

/// Adds what one job measures.
fn measure(
    images: usize,
    operations: &[&str],
    effort: Effort,
    rows: &mut Rows,
) -> Result<(), Box<dyn Error>> {
    if operations.is_empty() {
        return Ok(());
    }
    let only: Vec<String> = operations.iter().map(|&name| name.to_owned()).collect();
    let mut job = runner::job(Task::Micro, images, Fabric::Processes, &only, effort)?;
    // The job uses the algorithms of the prediction.
    job.env("COARRAY_TUNING_FILE", "/dev/null");
    let rows_of_job = operations.iter().map(|name| rows_of(name)).sum();
    runner::measure(&mut job, effort, rows_of_job, |line| {
        if line.what == OWN {
            rows.add(line);
        }
    })?;
    Ok(())
}

/// The parameters that explain the times of two images.
fn fitted(pair: &mut Rows) -> Result<LogGp, String> {
    let mut of = |operation: &str, bytes: usize| {
        let row = pair.row(operation, bytes);
        let median = row.of(OWN).map(Samples::median);
        median.ok_or_else(|| format!("the job does not tell of {operation}"))
    };
    let overhead = of(PUT, 8)?;
    let one_way = of(ROUND_TRIP, 0)? / 2.0;
    let (short, long) = (of(LONG_PUT, LONG.0)?, of(LONG_PUT, LONG.1)?);
    Ok(LogGp {
        latency: (one_way - 2.0 * overhead).max(0.0),
        overhead,
        gap: overhead,
        per_byte: ((long - short) / (LONG.1 - LONG.0) as f64).max(0.0),
    })
}

/// The algorithm, and the time of its messages and barriers.
fn predicted(
    machine: LogGp,
    kind: Option<Kind>,
    images: usize,
    bytes: usize,
) -> (&'static str, f64) {
    let barrier = match images <= FLAT || !fit(images) {
        true => Barrier::Flat,
        false => Barrier::Dissemination,
    };
    let time = |subject| {
        let extent = Extent {
            bytes: bytes as u64,
            // All share memory.
            per_node: images,
        };
        predict(machine, subject, images, extent).time
    };
    let of_barrier = time(Subject::Barrier(barrier));
    let Some(kind) = kind else {
        return (barrier.name(), of_barrier);
    };
    let algorithm = TuningTable::default().algorithm(kind, images, bytes);
    let barriers = barriers(algorithm, bytes);
    // Posts are the messages of a flat algorithm, and shares are the same in place.
    let sent = match algorithm {
        Algorithm::Eager => Algorithm::Flat,
        Algorithm::InPlace => Algorithm::ReduceScatterAllgather,
        other => other,
    };
    let messages = time(Subject::Collective(kind, sent));
    (algorithm.name(), messages + barriers as f64 * of_barrier)
}

/// How many barriers come on top of the messages.
fn barriers(algorithm: Algorithm, bytes: usize) -> usize {
    // One buffer passes in an epoch; half of one in a broadcast, of which a barrier is a small part.
    let turns = bytes.div_ceil(BUFFER_BYTES).max(1);
    match algorithm {
        Algorithm::Flat if bytes <= PAYLOAD => 0,
        Algorithm::Eager => 0,
        Algorithm::InPlace => 3,
        Algorithm::ReduceScatterAllgather => turns + 1,
        _ => turns,
    }
}

fn json(machine: LogGp, comparisons: &[Comparison]) {
    println!(
        r#"{{"latency_ns":{:.3},"overhead_ns":{:.3},"gap_ns":{:.3},"gap_per_byte_ns":{:.6}}}"#,
        machine.latency, machine.overhead, machine.gap, machine.per_byte
    );
    for comparison in comparisons {
        println!(
            r#"{{"op":"{}","bytes":{},"images":{},"algorithm":"{}","fits":{},"predicted_ns":{:.2},"ns":{:.2},"ratio":{:.4}}}"#,
            comparison.operation,
            comparison.bytes,
            comparison.images,
            comparison.way,
            fit(comparison.images),
            comparison.predicted,
            comparison.measured,
            comparison.measured / comparison.predicted,
        );
    }
}

fn table(machine: LogGp, comparisons: &[Comparison], effort: Effort) {
    let place = Machine {
        images: 2,
        fabric: Fabric::Processes,
        rounds: effort.rounds,
    };
    println!("{}", place.line());
    println!(
        "latency {}, overhead and gap {}, gap per byte {:.4} ns\n",
        time(machine.latency),
        time(machine.overhead),
        machine.per_byte,
    );
    let titles = [
        "operation",
        "size",
        "images",
        "algorithm",
        "predicted",
        "measured",
        "ratio",
        "",
    ];
    let mut lines = vec![titles.map(str::to_owned).to_vec()];
    for comparison in comparisons {
        lines.push(vec![
            comparison.operation.clone(),
            size(comparison.bytes),
            comparison.images.to_string(),
            comparison.way.to_owned(),
            time(comparison.predicted),
            time(comparison.measured),
            factor(comparison.measured / comparison.predicted),
            if fit(comparison.images) {
                ""
            } else {
                "shares cores"
            }
            .to_owned(),
        ]);
    }
    print!("{}", aligned(&lines));
    println!(
        "\nThe model does not know of images that share cores, caches or paths to memory, of additions, of copies \
         within an image, or of images that post and are ahead of others (eager)."
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Line;

    fn rows(lines: &[&str]) -> Rows {
        let mut rows = Rows::default();
        for line in lines {
            rows.add(Line::parse(line).unwrap());
        }
        rows
    }

    #[test]
    fn parameters_are_found_again() {
        let mut pair = rows(&[
            "event_pingpong 0 own 130 120 125",
            "put 8 own 2.5",
            "bulk_put 8192 own 419.6",
            "bulk_put 524288 own 26224.4",
        ]);
        let machine = fitted(&mut pair).unwrap();
        assert_eq!(
            (machine.latency, machine.overhead, machine.gap),
            (57.5, 2.5, 2.5)
        );
        assert!((machine.per_byte - 0.05).abs() < 1e-12);
        let mut without = rows(&["put 8 own 2.5"]);
        assert!(fitted(&mut without).unwrap_err().contains("event_pingpong"));
    }

    #[test]
    fn meetings_are_those_of_the_turns() {
        assert_eq!(barriers(Algorithm::Flat, 8), 0);
        assert_eq!(barriers(Algorithm::Flat, 32), 1);
        assert_eq!(barriers(Algorithm::Flat, BUFFER_BYTES + 1), 2);
        assert_eq!(barriers(Algorithm::ReduceScatterAllgather, BUFFER_BYTES), 2);
    }

    #[test]
    fn a_barrier_of_two_is_one_message() {
        let machine = LogGp {
            latency: 60.0,
            overhead: 2.0,
            gap: 2.0,
            per_byte: 0.1,
        };
        assert_eq!(predicted(machine, None, 2, 0), ("flat", 64.0));
        let (way, time) = predicted(machine, Some(Kind::Broadcast), 2, 4097);
        assert_eq!(way, "flat");
        // The bytes are rounded up to whole elements.
        assert!((time - (64.0 + 64.0 + 4103.0 * 0.1)).abs() < 1e-9);
        let (way, time) = predicted(machine, Some(Kind::Broadcast), 2, 1024);
        assert_eq!(way, "eager");
        assert!((time - (64.0 + 1023.0 * 0.1)).abs() < 1e-9);
    }

    #[test]
    fn there_are_always_two_images() {
        assert_eq!(counts(1), [2]);
        assert_eq!(counts(7), [2, 4]);
    }
}
