//! The command line of `cobench`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::kernels::list::KERNELS;
use crate::operations::OPERATIONS;
use crate::peers::Peer;

/// What `cobench --help` prints.
pub const HELP: &str = "\
Measures coarray beside the bare hardware and beside its peers, at the same moment.

usage: cobench micro [--images N] [--fabric F] [--only NAME,...] [--peer NAME,...] [--json] [--quick]
       cobench peers [the same options]
       cobench kernels [--images N] [--fabric F] [--only NAME,...] [--json] [--quick]
       cobench tune [--images N,...] [--output FILE] [--quick]

  micro             time single operations: one row for each operation and size
  peers             the same, beside every peer that is installed
  kernels           run whole programs (or --only some): stencil, p2p, transpose, nstream, random, randomaccess
  tune              find the fastest algorithm of each collective operation, and write them down

  --images N        number of images; tune takes several (default: one on each core; tune: 2,4,8)
  --fabric F        what images are: processes or threads (default: processes)
  --only NAME,...   only these operations: sync_all, co_sum, co_sum_async, co_sum_reproducible, co_total_reproducible,
                    co_scan, co_broadcast, co_gather, co_allgather, co_scatter, co_alltoall, co_reduce_scatter
  --peer NAME,...   also measure these peers, in turn with coarray: mpi
  --json            print one JSON object a line instead of a table
  --output FILE     where tune writes (default: collectives.toml)
  --quick           one short round, to see that everything works

Each row of micro says how long the operation takes: median, min, and p99, which 99 of a hundred do not exceed; of
batches of 0.1 ms, or 1 ms with more images than cores. Beside it stands what the bare hardware needs for it in the same
program at the same moment (raw), or co_sum in the case of the reproducible sums, and how many times as long the operation
takes (ratio, the median over pairs of batches that followed each other); and, for a peer, how long it takes there and how
many times as long as with coarray (speedup, the median over rounds). Time runs from the first image's start to the
last one's end. With no more images than cores each has a core of its own. The size is that of one image's values, or of
one block where an image has one for each.

Kernels are programs of their own that lie beside cobench, the Parallel Research Kernels and RandomAccess of the HPC
Challenge. Each checks its result. Beside its rate, in the units of those kernels, stands the time of an iteration; the first
is not counted.

Tune compares all algorithms of each kind of operation and all barriers, takes about a minute for each number of images,
and writes what is faster than the built-in choice by 5 % in most rounds. Jobs read the file in the folder where they
start, or the one that COARRAY_COLLECTIVES names.";

/// What the user wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The help text.
    Help,
    /// Single operations.
    Micro(Micro),
    /// Whole programs.
    Kernels(Kernels),
    /// The fastest algorithms.
    Tune(Tune),
    /// To be a job that measures; `cobench` starts itself so.
    Job(Job),
}

/// Options of `cobench micro` and `cobench peers`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Micro {
    /// Number of images.
    pub images: usize,
    /// What images are.
    pub fabric: Fabric,
    /// The operations to measure; all if there are none.
    pub only: Vec<String>,
    /// The peers to measure as well.
    pub peers: Vec<Peer>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// Options of `cobench kernels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// Number of images.
    pub images: usize,
    /// What images are.
    pub fabric: Fabric,
    /// The kernels to run; all if there are none.
    pub only: Vec<String>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// Options of `cobench tune`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tune {
    /// Numbers of images.
    pub images: Vec<usize>,
    /// What images are.
    pub fabric: Fabric,
    /// The file to write.
    pub output: PathBuf,
    /// One short round.
    pub quick: bool,
}

/// Options of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What to measure.
    pub task: Task,
    /// The operations to measure; all if there are none.
    pub only: Vec<String>,
    /// Time for each row.
    pub budget: Duration,
    /// Images outnumber cores.
    pub crowded: bool,
}

/// What a job measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Operations and their bounds.
    Micro,
    /// The algorithms of collective operations.
    Tune,
}

/// What images are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fabric {
    /// Processes that share memory.
    #[default]
    Processes,
    /// Threads of one process.
    Threads,
}

impl Fabric {
    /// As `COARRAY_FABRIC` says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
        }
    }
}

/// A command line that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// Nothing to do.
    #[error("say what to do: cobench micro, peers, kernels or tune; cobench --help tells more")]
    MissingCommand,
    /// A command that there is not.
    #[error("unknown command '{0}'; there are micro, peers, kernels and tune")]
    UnknownCommand(String),
    /// An option that the command does not have.
    #[error("cobench {command} has no option '{option}'; cobench --help lists them all")]
    Unknown {
        /// The command.
        command: &'static str,
        /// What was given.
        option: String,
    },
    /// An option at the end of the line that needs a value.
    #[error("option {0} needs a value")]
    MissingValue(String),
    /// A value for an option that is on or off.
    #[error("option {0} takes no value")]
    UnwantedValue(String),
    /// A value of the wrong form.
    #[error("{option} {value}: expected {expected}")]
    BadValue {
        /// The option.
        option: String,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: String,
    },
}

/// Most images of a job that can be asked for here; a machine has long been exhausted by then.
const MAX_IMAGES: usize = 1024;

/// Reads a command line, without the program's name.
///
/// # Errors
/// An [`OptionsError`] that says which word is wrong.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, OptionsError> {
    let mut words = Words {
        rest: arguments.into_iter().collect::<Vec<_>>().into_iter(),
        attached: None,
    };
    let Some(command) = words.rest.next() else {
        return Err(OptionsError::MissingCommand);
    };
    match &*command.to_string_lossy() {
        "micro" => micro(&mut words, "micro", Vec::new()),
        "peers" => micro(&mut words, "peers", Peer::ALL.to_vec()),
        "kernels" => kernels(&mut words),
        "tune" => tune(&mut words),
        JOB => job(&mut words),
        "--help" | "-h" | "help" => Ok(Command::Help),
        other => Err(OptionsError::UnknownCommand(other.into())),
    }
}

/// The first word of a job's command line, which no user writes.
pub const JOB: &str = "job";

fn micro(
    words: &mut Words,
    command: &'static str,
    peers: Vec<Peer>,
) -> Result<Command, OptionsError> {
    let mut options = Micro {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        peers,
        json: false,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--only" => options.only = operations(&words.value(&option)?)?,
            "--peer" => options.peers = list(&words.value(&option)?, peer)?,
            "--json" => options.json = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => return Err(OptionsError::Unknown { command, option }),
        }
        words.end(&option)?;
    }
    Ok(Command::Micro(options))
}

fn kernels(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Kernels {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        json: false,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--only" => {
                let names = KERNELS.map(|kernel| kernel.name);
                options.only = names_among(&names, &words.value(&option)?)?;
            }
            "--json" => options.json = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "kernels";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Kernels(options))
}

fn tune(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Tune {
        images: vec![2, 4, 8],
        fabric: Fabric::default(),
        output: "collectives.toml".into(),
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => {
                let value = words.value(&option)?;
                options.images = list(&value, |word| image_count(&option, word))?;
            }
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--output" => options.output = words.value(&option)?.into(),
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "tune";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Tune(options))
}

fn job(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Job {
        task: Task::Micro,
        only: Vec::new(),
        budget: Duration::from_millis(1),
        crowded: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--tune" => options.task = Task::Tune,
            "--only" => options.only = operations(&words.value(&option)?)?,
            "--milliseconds" => {
                let milliseconds = number(&option, &words.value(&option)?)?;
                options.budget = Duration::from_millis(milliseconds);
            }
            "--crowded" => options.crowded = true,
            _ => {
                let command = JOB;
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Job(options))
}

impl Job {
    /// The command line that [`parse`] understands as this job.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![JOB.to_owned()];
        if self.task == Task::Tune {
            words.push("--tune".into());
        }
        if !self.only.is_empty() {
            words.push(format!("--only={}", self.only.join(",")));
        }
        words.push(format!("--milliseconds={}", self.budget.as_millis()));
        if self.crowded {
            words.push("--crowded".into());
        }
        words
    }
}

/// Words yet to be read.
struct Words {
    rest: std::vec::IntoIter<OsString>,
    /// The value that came with an option, as in `--images=3`.
    attached: Option<String>,
}

impl Words {
    /// The next option.
    fn option(&mut self) -> Option<String> {
        let word = self.rest.next()?.to_string_lossy().into_owned();
        match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => {
                self.attached = Some(value.to_owned());
                Some(name.to_owned())
            }
            _ => Some(word),
        }
    }

    /// The value of `option`.
    fn value(&mut self, option: &str) -> Result<String, OptionsError> {
        let next = || Some(self.rest.next()?.to_string_lossy().into_owned());
        let value = self.attached.take().or_else(next);
        value.ok_or_else(|| OptionsError::MissingValue(option.to_owned()))
    }

    /// Makes sure that `option` had no value that nobody has asked for.
    fn end(&mut self, option: &str) -> Result<(), OptionsError> {
        match self.attached.take() {
            Some(_) => Err(OptionsError::UnwantedValue(option.to_owned())),
            None => Ok(()),
        }
    }
}

/// Cores this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn list<T>(
    text: &str,
    element: impl Fn(&str) -> Result<T, OptionsError>,
) -> Result<Vec<T>, OptionsError> {
    text.split(',').map(|word| element(word.trim())).collect()
}

fn bad_value(option: &str, value: &str, expected: impl Into<String>) -> OptionsError {
    OptionsError::BadValue {
        option: option.to_owned(),
        value: value.to_owned(),
        expected: expected.into(),
    }
}

fn number<T: FromStr>(option: &str, text: &str) -> Result<T, OptionsError> {
    text.parse()
        .map_err(|_| bad_value(option, text, "a number"))
}

fn image_count(option: &str, text: &str) -> Result<usize, OptionsError> {
    match text.parse() {
        Ok(images) if (1..=MAX_IMAGES).contains(&images) => Ok(images),
        _ => {
            let expected = format!("a number of images from 1 to {MAX_IMAGES}");
            Err(bad_value(option, text, expected))
        }
    }
}

fn fabric(text: &str) -> Result<Fabric, OptionsError> {
    [Fabric::Processes, Fabric::Threads]
        .into_iter()
        .find(|fabric| fabric.name() == text)
        .ok_or_else(|| bad_value("--fabric", text, "processes or threads"))
}

fn operations(text: &str) -> Result<Vec<String>, OptionsError> {
    let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
    names_among(&names, text)
}

fn names_among(names: &[&str], text: &str) -> Result<Vec<String>, OptionsError> {
    list(text, |word| {
        if names.contains(&word) {
            Ok(word.to_owned())
        } else {
            let expected = format!("some of {}", names.join(", "));
            Err(bad_value("--only", word, expected))
        }
    })
}

fn peer(text: &str) -> Result<Peer, OptionsError> {
    Peer::ALL
        .into_iter()
        .find(|peer| peer.name() == text)
        .ok_or_else(|| {
            let names = Peer::ALL.map(Peer::name).join(", ");
            bad_value("--peer", text, format!("some of {names}"))
        })
}

#[cfg(test)]
mod tests;
