//! `cobench kernels`, and the kernels of `cobench peers`: whole programs, the Parallel Research Kernels, RandomAccess,
//! the Game of Life, and the histogram and index gather of *bale*.
//!
//! The programs on coarrays are in `bench/kernels/`, and lie beside this one when they have been built. What is here works
//! for any program that takes the same parameters and prints the same lines, in whatever language: which kernels there are
//! ([`list`]), and how one is run and understood ([`outcome`]).
//!
//! All kernels, numbers of images and peers take turns in every round, and speedups are taken within a round, before the
//! speed of the machine changes.

mod list;
mod outcome;

use std::env;
use std::error::Error;
use std::process;
use std::time::Duration;

use crate::micro;
use crate::operations;
use crate::options::{Command, Fabric, MAX_IMAGES, Options, Takes};
use crate::peers::{self, Installed};
use crate::plots::Plots;
use crate::report::machine::Machine;
use crate::report::units::{factor, time};
use crate::report::{comparisons, json, table};
use crate::runner::{self, watch};
use crate::sample::{OWN, Row};
use crate::statistics::Samples;
use list::{KERNELS, Kernel, WITH_PEERS};
use outcome::{KernelError, Outcome, measure};

/// How often each kernel is run, in turn with the others.
const ROUNDS: usize = 5;

const FABRICS: &[Fabric] = &[Fabric::Processes, Fabric::Threads];

/// The command `kernels`.
pub const COMMAND: Command = Command::new(
    "kernels",
    &[
        Takes::ImageCounts(MAX_IMAGES),
        Takes::Fabric(FABRICS),
        Takes::Only(names),
        Takes::Weak,
        Takes::Json,
        Takes::Plot,
        Takes::Quick,
    ],
    |options| report(options, &KERNELS, &mut []),
);

/// The command `peers`: operations and kernels beside all peers.
pub const PEERS: Command = Command {
    defaults: |options| options.peers = crate::peer::Peer::ALL.to_vec(),
    ..Command::new(
        "peers",
        &[
            Takes::Images,
            Takes::Fabric(FABRICS),
            Takes::Only(|| [operations::names(), names()].concat()),
            Takes::Peers,
            Takes::Json,
            Takes::Plot,
            Takes::Quick,
        ],
        |options| {
            let mut peers = peers::find(&options.peers);
            micro::report(options, &mut peers)?;
            report(options, &KERNELS[..WITH_PEERS], &mut peers)
        },
    )
};

/// The names of all kernels.
pub fn names() -> Vec<&'static str> {
    KERNELS.map(|kernel| kernel.name).to_vec()
}

/// A kernel on some number of images.
#[derive(Debug)]
struct Runs {
    kernel: &'static Kernel,
    images: usize,
    parameters: String,
    /// One of each round.
    outcomes: Vec<Outcome>,
    /// Rates, and how many times as fast `coarray` was as each peer.
    row: Row,
    /// How many times the rate of the first number of images, in each round.
    speedups: Samples,
}

impl Runs {
    fn all(options: &Options, kernels: &'static [Kernel]) -> Vec<Self> {
        let wanted = kernels.iter().filter(|kernel| options.wants(kernel.name));
        let of_kernel = |kernel: &'static Kernel| {
            options.images.iter().map(move |&images| Self {
                kernel,
                images,
                parameters: kernel.parameters(options.quick, if options.weak { images } else { 1 }),
                outcomes: Vec::new(),
                row: Row::new(kernel.name, 0),
                speedups: Samples::default(),
            })
        };
        wanted.flat_map(of_kernel).collect()
    }

    fn rate(&self) -> f64 {
        self.row.of(OWN).map_or(f64::NAN, Samples::median)
    }

    fn best(&self) -> f64 {
        let rates = self.outcomes.iter().map(|outcome| outcome.rate);
        rates.fold(f64::NAN, f64::max)
    }

    fn unit(&self) -> &str {
        self.outcomes.first().map_or("", |outcome| &outcome.unit)
    }

    /// Times of an iteration in nanoseconds.
    fn times(&self) -> Samples {
        let times = self.outcomes.iter().map(|outcome| outcome.seconds * 1e9);
        times.collect()
    }
}

/// Runs kernels in turn with those of peers, and prints what they say.
fn report(
    options: &Options,
    kernels: &'static [Kernel],
    peers: &mut [Installed],
) -> Result<(), Box<dyn Error>> {
    let mut all = Runs::all(options, kernels);
    if all.is_empty() {
        return Ok(());
    }
    let rounds = if options.quick { 1 } else { ROUNDS };
    let machine = Machine {
        images: options.images.iter().copied().max().unwrap_or(1),
        fabric: options.fabric(),
        rounds,
    };
    let plots = Plots::wanted(options, &machine.line())?;
    measure_all(options.fabric(), peers, rounds, &mut all)?;
    compare_images(&mut all);
    let is_scaled = options.images.len() > 1;
    if options.json {
        for runs in &all {
            println!("{}", json_line(runs, is_scaled, peers));
        }
    } else {
        print!("{}", machine.heading(peers));
        print_table(&all, is_scaled, peers);
    }
    let Some(plots) = plots else {
        return Ok(());
    };
    if is_scaled {
        let point = |runs: &Runs| (runs.images as f64, runs.speedups.median());
        let lines = all.chunk_by(|one, other| one.kernel.name == other.kernel.name);
        let lines = lines.map(|runs| (runs[0].kernel.name, runs.iter().map(point).collect()));
        plots.speedups(options.weak, &lines.collect::<Vec<_>>())?;
    }
    if !peers.is_empty() {
        let rows: Vec<&Row> = all.iter().map(|runs| &runs.row).collect();
        plots.rates(&rows)?;
    }
    Ok(())
}

fn measure_all(
    fabric: Fabric,
    peers: &mut [Installed],
    rounds: usize,
    all: &mut [Runs],
) -> Result<(), Box<dyn Error>> {
    for peer in &mut *peers {
        for runs in &*all {
            peers::prepare(peer, runs.kernel.name);
        }
    }
    let bar = runner::progress(rounds * all.len() * (1 + peers.len()));
    for _ in 0..rounds {
        for runs in &mut *all {
            let name = runs.kernel.name;
            bar.set_message(name);
            let own = own_outcome(runs, fabric)?;
            runs.row.add(OWN.into(), [own.rate]);
            bar.inc(1);
            for peer in &mut *peers {
                if peer.has(name) {
                    match peer_rate(peer, runs) {
                        Ok(rate) => {
                            runs.row.add(peer.peer.name().into(), [rate]);
                            runs.row.add(peer.peer.speedup(), [own.rate / rate]);
                        }
                        Err(reason) => bar.suspend(|| peers::give_up(peer, name, &reason)),
                    }
                }
                bar.inc(1);
            }
            runs.outcomes.push(own);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// A program that takes longer has hung, also beside other programs: alone, ours take less than a tenth of this.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a kernel on coarrays.
fn own_outcome(runs: &Runs, fabric: Fabric) -> Result<Outcome, KernelError> {
    let name = runs.kernel.program;
    let path = env::current_exe()?.with_file_name(name);
    if !path.exists() {
        return Err(KernelError::Missing(path));
    }
    let mut command = process::Command::new(path);
    command
        .args(runs.parameters.split_whitespace())
        .stderr(process::Stdio::piped());
    runner::as_job(&mut command, runs.images, fabric);
    measure(format!("{name} {}", runs.parameters), |each| {
        watch(&mut command, PATIENCE, each)
    })
}

/// The rate of a peer's program.
fn peer_rate(peer: &mut Installed, runs: &Runs) -> Result<f64, KernelError> {
    let name = runs.kernel.name;
    let words = runs.parameters.split_whitespace().map(str::to_owned);
    let arguments: Vec<String> = words.collect();
    let outcome = measure(format!("{name} of {}", peer.peer.name()), |each| {
        peer.run(name, runs.images, &arguments, PATIENCE, each)
    });
    Ok(outcome?.rate)
}

/// Compares the rates of each kernel with those on the first number of images.
fn compare_images(all: &mut [Runs]) {
    for runs in all.chunk_by_mut(|one, other| one.kernel.name == other.kernel.name) {
        let first: Vec<f64> = runs[0]
            .outcomes
            .iter()
            .map(|outcome| outcome.rate)
            .collect();
        for runs in runs {
            let rates = runs.outcomes.iter().zip(&first);
            runs.speedups = rates.map(|(outcome, first)| outcome.rate / first).collect();
        }
    }
}

fn print_table(all: &[Runs], is_scaled: bool, peers: &[Installed]) {
    let mut titles = vec![
        "kernel",
        "parameters",
        "images",
        "time",
        "rate in",
        "coarray",
        "best",
    ];
    if is_scaled {
        titles.extend(["speedup", "efficiency"]);
    }
    let first = all[0].images as f64;
    let cells = |runs: &Runs| {
        let mut cells = vec![
            runs.kernel.name.to_owned(),
            runs.parameters.clone(),
            runs.images.to_string(),
            time(runs.times().median()),
            runs.unit().to_owned(),
            number(runs.rate()),
            number(runs.best()),
        ];
        if is_scaled {
            let speedup = runs.speedups.median();
            let efficiency = 100.0 * speedup * first / runs.images as f64;
            cells.extend([factor(speedup), format!("{efficiency:.0} %")]);
        }
        cells
    };
    let left = table::Left {
        titles: titles.into_iter().map(str::to_owned).collect(),
        naming: 3,
        number,
    };
    let rows: Vec<_> = all.iter().map(|runs| (cells(runs), &runs.row)).collect();
    table::print(&left, &rows, peers);
}

/// A result that is not valid has ended the program before.
fn json_line(runs: &Runs, is_scaled: bool, peers: &[Installed]) -> String {
    let (times, speedup) = (runs.times(), runs.speedups.median());
    let mut line = format!(
        r#"{{"op":"{}","images":{},"parameters":"{}","rate":{:.6},"best":{:.6},"unit":"{}","ns":{:.0},"min":{:.0},"validated":true"#,
        runs.kernel.name,
        runs.images,
        runs.parameters,
        runs.rate(),
        runs.best(),
        runs.unit(),
        times.median(),
        times.min(),
    );
    if is_scaled {
        line += &format!(r#","speedup":{speedup:.4}"#);
    }
    json::add_peers(&mut line, &comparisons(&runs.row, peers), |comparison| {
        format!(r#""rate":{:.6}"#, comparison.samples.median())
    });
    line + "}"
}

/// A rate with four digits that count.
fn number(value: f64) -> String {
    let decimals = 3 - (value.log10().floor() as i32).clamp(-6, 3);
    format!("{value:.*}", decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(images: usize, rates: [f64; 3]) -> Runs {
        let outcomes = rates.map(|rate| Outcome {
            rate,
            unit: "MB/s".into(),
            seconds: 2.0 / rate,
        });
        let mut row = Row::new("transpose", 0);
        row.add(OWN.into(), rates);
        Runs {
            kernel: &KERNELS[2],
            images,
            parameters: "5 240".into(),
            outcomes: outcomes.to_vec(),
            row,
            speedups: Samples::default(),
        }
    }

    #[test]
    fn a_row_is_one_json_object() {
        assert_eq!(
            json_line(&runs(2, [1000.0, 2000.0, 1500.0]), false, &[]),
            r#"{"op":"transpose","images":2,"parameters":"5 240","rate":1500.000000,"best":2000.000000,"unit":"MB/s","ns":1333333,"min":1000000,"validated":true}"#
        );
    }

    #[test]
    fn speedups_are_taken_within_a_round() {
        // The machine is twice as fast in the second round, and slow in the middle of the third.
        let mut all = [runs(1, [10.0, 20.0, 10.0]), runs(4, [30.0, 60.0, 5.0])];
        compare_images(&mut all);
        assert_eq!(all[0].speedups.median(), 1.0);
        assert_eq!(all[1].speedups.median(), 3.0);
    }

    #[test]
    fn small_and_large_rates_have_four_digits() {
        let numbers = [0.0612345, 1.23456, 20500.14, 999.96];
        assert_eq!(numbers.map(number), ["0.06123", "1.235", "20500", "1000.0"]);
    }
}
