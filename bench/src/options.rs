//! Command lines: the commands, the options that each takes, and the values of these.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use program::command_line::{Arguments, Error, Long, read};

use crate::peer::Peer;

/// A command, which is the first word of a command line.
#[derive(Clone, Copy)]
pub struct Command {
    /// The word.
    pub name: &'static str,
    /// The options that may follow.
    pub takes: &'static [Takes],
    /// Changes [`Options::default`] to what this command does without options.
    pub defaults: fn(&mut Options),
    /// Finds out whether the options go together.
    pub check: fn(&Options) -> Result<(), String>,
    /// Does it.
    pub run: fn(&Options) -> Result<(), Box<dyn StdError>>,
}

impl Command {
    /// A command whose options are in order whatever they are.
    pub const fn new(
        name: &'static str,
        takes: &'static [Takes],
        run: fn(&Options) -> Result<(), Box<dyn StdError>>,
    ) -> Self {
        Self {
            name,
            takes,
            defaults: |_| (),
            check: |_| Ok(()),
            run,
        }
    }
}

/// The values of all options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Numbers of images.
    pub images: Vec<usize>,
    /// The fabrics to run on.
    pub fabrics: Vec<Fabric>,
    /// How often each program is started, if it is said.
    pub rounds: Option<usize>,
    /// How many programs compute beside the images.
    pub loops: Vec<usize>,
    /// The operations or kernels to measure; all if there are none.
    pub only: Vec<String>,
    /// The peers to measure as well.
    pub peers: Vec<Peer>,
    /// A problem that grows with the number of images.
    pub weak: bool,
    /// Predictions for this machine beside what it does.
    pub measured: bool,
    /// The parameters of a network.
    pub network: Network,
    /// The file to write, if it is not the usual one.
    pub output: Option<PathBuf>,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// A network, and the operations on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// In nanoseconds, as are the next three.
    pub latency: f64,
    /// For which an image is busy with a message.
    pub overhead: f64,
    /// Between two messages.
    pub gap: f64,
    /// Between two bytes.
    pub gap_per_byte: f64,
    /// Of one image's values.
    pub bytes: u64,
    /// Images on a node.
    pub per_node: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            images: vec![cores()],
            fabrics: vec![Fabric::Processes],
            rounds: None,
            loops: vec![0, 1, 2, 4],
            only: Vec::new(),
            peers: Vec::new(),
            weak: false,
            measured: false,
            // What a good network between machines does today.
            network: Network {
                latency: 1000.0,
                overhead: 300.0,
                gap: 400.0,
                gap_per_byte: 0.05,
                bytes: 8,
                per_node: 64,
            },
            output: None,
            plot: None,
            json: false,
            quick: false,
        }
    }
}

impl Options {
    /// The number of images of a command that takes one.
    pub fn image_count(&self) -> usize {
        self.images[0]
    }

    /// The fabric of a command that takes one.
    pub fn fabric(&self) -> Fabric {
        self.fabrics[0]
    }

    /// Whether the operation or kernel is to be measured.
    pub fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// What carries the images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fabric {
    /// Processes that share memory.
    Processes,
    /// Threads of one process.
    Threads,
    /// Processes that one-sided MPI connects.
    Mpi,
    /// Processes that OpenSHMEM connects.
    Shmem,
}

impl Fabric {
    /// As `COARRAY_FABRIC` says it; the feature that it needs has the same name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
            Self::Mpi => "mpi",
            Self::Shmem => "shmem",
        }
    }
}

/// An option that a command takes.
#[derive(Clone, Copy)]
pub enum Takes {
    /// `--images` with one number.
    Images,
    /// `--images` with several numbers, up to this one.
    ImageCounts(usize),
    /// `--fabric` with one of these.
    Fabric(&'static [Fabric]),
    /// `--fabric` with several of these.
    Fabrics(&'static [Fabric]),
    /// `--only` with several of these names.
    Only(fn() -> Vec<&'static str>),
    /// `--peer`
    Peers,
    /// `--loops`
    Loops,
    /// `--rounds`
    Rounds,
    /// `--weak`
    Weak,
    /// `--measured`
    Measured,
    /// The parameters of a network.
    Network,
    /// `--output`
    Output,
    /// `--plot`
    Plot,
    /// `--json`
    Json,
    /// `--quick`
    Quick,
}

/// Most images of a job; a machine has long been exhausted by then.
pub const MAX_IMAGES: usize = 1024;

/// Most images of a prediction: the clocks of more do not fit into memory everywhere.
pub const MAX_PREDICTED: usize = 1 << 24;

/// Most rounds, which would take a day.
const MAX_ROUNDS: usize = 10_000;

const MAX_LOOPS: usize = 64;

impl Takes {
    /// Sets the option of this name. Returns whether it is this one.
    fn set(self, name: &str, to: &mut Options, from: &mut Arguments) -> Result<bool, Error> {
        match (self, name) {
            (Self::Images, "images") => to.images = vec![from.count(MAX_IMAGES)?],
            (Self::ImageCounts(most), "images") => to.images = numbers(from, 1..=most)?,
            (Self::Fabric(fabrics), "fabric") => {
                let names: Vec<&str> = fabrics.iter().map(|fabric| fabric.name()).collect();
                to.fabrics = from.value(names.join(" or "), |name| {
                    let fabric = fabrics.iter().find(|fabric| fabric.name() == name)?;
                    Some(vec![*fabric])
                })?;
            }
            (Self::Fabrics(fabrics), "fabric") => {
                to.fabrics = some_of(from, fabrics, |fabric| fabric.name())?;
            }
            (Self::Only(names), "only") => {
                let some = some_of(from, &names(), |name| name)?;
                to.only = some.into_iter().map(str::to_owned).collect();
            }
            (Self::Peers, "peer") => to.peers = some_of(from, &Peer::ALL, Peer::name)?,
            (Self::Loops, "loops") => to.loops = numbers(from, 0..=MAX_LOOPS)?,
            (Self::Rounds, "rounds") => to.rounds = Some(from.count(MAX_ROUNDS)?),
            (Self::Network, "latency") => to.network.latency = duration(from)?,
            (Self::Network, "overhead") => to.network.overhead = duration(from)?,
            (Self::Network, "gap") => to.network.gap = duration(from)?,
            (Self::Network, "gap-per-byte") => to.network.gap_per_byte = duration(from)?,
            (Self::Network, "bytes") => to.network.bytes = from.number("a number", |_| true)?,
            (Self::Network, "per-node") => to.network.per_node = from.count(MAX_PREDICTED)?,
            (Self::Output, "output") => to.output = Some(from.path()?),
            (Self::Plot, "plot") => to.plot = Some(from.path()?),
            (Self::Weak, "weak") => to.weak = true,
            (Self::Measured, "measured") => to.measured = true,
            (Self::Json, "json") => to.json = true,
            (Self::Quick, "quick") => to.quick = true,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Reads a command line, without the program's name; none if it asks for help.
///
/// # Errors
/// What is wrong with it.
pub fn parse(
    words: impl IntoIterator<Item = OsString>,
    commands: &[Command],
) -> Result<Option<(Command, Options)>, Error> {
    let mut words = words.into_iter();
    let names: Vec<&str> = commands.iter().map(|command| command.name).collect();
    let names = names.join(", ");
    let Some(name) = words.next() else {
        return Err(format!("say what to do: one of {names}; cobench --help tells more").into());
    };
    let name = name.to_string_lossy();
    if ["--help", "-h", "help"].contains(&&*name) {
        return Ok(None);
    }
    // It was called so before engines were called fabrics.
    let name = if name == "engines" {
        "fabrics".into()
    } else {
        name
    };
    let Some(command) = commands.iter().find(|command| command.name == name) else {
        return Err(format!("unknown command '{name}'; expected one of {names}").into());
    };
    let in_command = |error: String| Error::from(format!("{name}: {error}"));
    let options = options(command, words).map_err(|error| in_command(error.to_string()))?;
    let Some(options) = options else {
        return Ok(None);
    };
    (command.check)(&options).map_err(in_command)?;
    Ok(Some((*command, options)))
}

/// Reads what follows a command; none if it asks for help.
fn options(
    command: &Command,
    words: impl Iterator<Item = OsString>,
) -> Result<Option<Options>, Error> {
    let mut options = Options::default();
    (command.defaults)(&mut options);
    let goes_on = read(words, |option, arguments| {
        if let Long(name) = option {
            for takes in command.takes {
                if takes.set(name, &mut options, arguments)? {
                    return Ok(());
                }
            }
        }
        Err(option.unexpected())
    })?;
    Ok(goes_on.then_some(options))
}

/// Numbers between commas.
fn numbers(arguments: &mut Arguments, allowed: RangeInclusive<usize>) -> Result<Vec<usize>, Error> {
    let (least, most) = (allowed.start(), allowed.end());
    let expected = format!("numbers from {least} to {most}, with commas between them");
    let number = |word: &str| word.parse().ok().filter(|number| allowed.contains(number));
    arguments.list(expected, number)
}

/// Some of these, by their names.
pub fn some_of<T: Copy>(
    arguments: &mut Arguments,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Vec<T>, Error> {
    let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
    arguments.list(format!("some of {}", names.join(", ")), |word| {
        all.iter().copied().find(|&one| name(one) == word)
    })
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

/// Cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests;
