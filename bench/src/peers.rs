//! The same operations and kernels in other languages and libraries.
//!
//! A peer's programs lie in `bench/peers/`, are compiled with the peer's compiler into a folder beside this program
//! ([`workshop`]), and print lines as a [job](crate::job) or a kernel does. What is special about a peer is in a
//! [`Model`].

mod error;
mod fortran;
mod lamellar;
mod open_mpi;
mod workshop;

use std::error::Error;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use error::PeerError;
pub use open_mpi::start;
use workshop::Workshop;

use crate::conductor::{Failure, fit, watch};
use crate::options::Micro;
use crate::stopwatch::batch;
use crate::{kernels, micro};

/// Something to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// C with two-sided and collective MPI.
    Mpi,
    /// C with two-sided MPI that packs what it sends itself.
    MpiPacked,
    /// C with one-sided MPI.
    MpiRma,
    /// C with OpenSHMEM.
    Shmem,
    /// Fortran with coarrays.
    Caf,
    /// Rust with Lamellar.
    Lamellar,
}

/// How a peer's programs are found, compiled and run.
trait Model {
    /// The folder of its sources.
    fn folder(&self) -> &'static str;

    /// Looks for its tools. What is returned changes when they do.
    fn look(&self) -> Result<String, PeerError>;

    /// Makes ready what all programs need.
    fn prepare(&self, _workshop: &Workshop) -> Result<(), PeerError> {
        Ok(())
    }

    /// Makes a program ready, unless it is; none if the peer has no such program.
    fn build(&self, workshop: &Workshop, program: &str) -> Result<Option<PathBuf>, PeerError>;

    /// The command that runs a program in so many processes, bound to cores of their own if these suffice.
    fn run(&self, file: &Path, program: &str, processes: usize) -> Command;

    /// Removes what a program has left behind.
    fn tidy(&self) {}
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 6] = [
        Self::Mpi,
        Self::MpiPacked,
        Self::MpiRma,
        Self::Shmem,
        Self::Caf,
        Self::Lamellar,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mpi => "mpi",
            Self::MpiPacked => "mpi-packed",
            Self::MpiRma => "mpi-rma",
            Self::Shmem => "shmem",
            Self::Caf => "caf",
            Self::Lamellar => "lamellar",
        }
    }

    /// What samples of how many times as long it takes are filed under.
    pub fn speedup(self) -> String {
        format!("{} speedup", self.name())
    }

    fn model(self, is_named: bool) -> Box<dyn Model> {
        match self {
            Self::Mpi => Box::new(open_mpi::MPI),
            Self::MpiPacked => Box::new(open_mpi::MPI_PACKED),
            Self::MpiRma => Box::new(open_mpi::MPI_RMA),
            Self::Shmem => Box::new(open_mpi::SHMEM),
            Self::Caf => Box::new(open_mpi::CAF),
            Self::Lamellar => Box::new(lamellar::Lamellar::new(is_named)),
        }
    }
}

/// The program of a peer that times operations, as a [job](crate::job) does.
pub const OPERATIONS: &str = "operations";

/// The program of a peer that times each single operation, beside programs that compute.
pub const BUSY: &str = "busy";

/// The program of a peer that only begins and ends.
pub const EMPTY: &str = "empty";

/// A peer whose tools are there.
pub struct Installed {
    /// Which one.
    pub peer: Peer,
    /// What it calls itself, as soon as one of its programs has said so.
    pub title: Option<String>,
    model: Box<dyn Model>,
    workshop: Workshop,
    ready: Vec<(String, Option<PathBuf>)>,
}

impl Installed {
    /// Looks for a peer. One that takes minutes to build is only built if the user has named it.
    ///
    /// # Errors
    /// If anything is missing, with what to install.
    pub fn find(peer: Peer, is_named: bool) -> Result<Self, PeerError> {
        let model = peer.model(is_named);
        let tools = model.look()?;
        let workshop = Workshop::new(model.folder(), &tools)?;
        model.prepare(&workshop)?;
        Ok(Self {
            peer,
            title: None,
            workshop,
            model,
            ready: Vec::new(),
        })
    }

    /// Makes a program ready; whether the peer has it.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn prepare(&mut self, program: &str) -> Result<bool, PeerError> {
        let built = self.model.build(&self.workshop, program);
        let (path, outcome) = match built {
            Ok(path) => (path.clone(), Ok(path.is_some())),
            Err(error) => (None, Err(error)),
        };
        self.ready.push((program.to_owned(), path));
        outcome
    }

    /// Whether [`prepare`](Self::prepare) has made a program ready that has not [failed](Self::drop_program) since.
    pub fn has(&self, program: &str) -> bool {
        self.path(program).is_some()
    }

    /// Does without a program from now on.
    pub fn drop_program(&mut self, program: &str) {
        self.ready.retain(|(name, _)| name != program);
    }

    fn path(&self, program: &str) -> Option<&Path> {
        let ready = self.ready.iter().find(|(name, _)| name == program);
        ready.and_then(|(_, path)| path.as_deref())
    }

    /// Runs a program that is ready, in so many processes; `each` gets every line that it prints, except the one with the
    /// peer's title. Returns how long it took.
    ///
    /// # Errors
    /// If it fails, or takes longer than `limit`.
    ///
    /// # Panics
    /// If the program is not ready.
    pub fn run(
        &mut self,
        program: &str,
        processes: usize,
        arguments: &[String],
        limit: Duration,
        mut each: impl FnMut(&str),
    ) -> Result<Duration, Failure> {
        let file = self.path(program).expect("the program has been prepared");
        let mut command = self.model.run(file, program, processes);
        command.args(arguments);
        let mut title = None;
        let outcome = watch(&mut command, limit, |line| match line.strip_prefix("# ") {
            Some(text) => title = Some(text.to_owned()),
            None => each(line),
        });
        self.title = title.or(self.title.take());
        self.model.tidy();
        outcome
    }
}

/// `cobench peers`: operations and kernels beside all peers.
///
/// # Errors
/// If something of our own fails. What a peer does not achieve is only told.
pub fn run(options: &Micro) -> Result<(), Box<dyn Error>> {
    let mut peers = find(&options.peers, options.peers_are_named);
    micro::report(options, &mut peers)?;
    kernels::peers::report(options, &mut peers)
}

/// Looks for peers, and tells which are skipped and why.
pub fn find(peers: &[Peer], are_named: bool) -> Vec<Installed> {
    let find = |&peer: &Peer| {
        let skip = |error| skip(peer.name(), &error);
        Installed::find(peer, are_named).map_err(skip).ok()
    };
    peers.iter().filter_map(find).collect()
}

/// Makes a program of a peer ready, or tells why that cannot be.
pub fn prepare(peer: &mut Installed, program: &str) {
    if let Err(error) = peer.prepare(program) {
        skip(peer.peer.name(), &error);
    }
}

fn skip(name: &str, error: &PeerError) {
    eprintln!("cobench: {name} is skipped: {error}");
}

/// Tells why a program of a peer is not run again.
pub fn give_up(peer: &mut Installed, program: &str, reason: &(impl Display + ?Sized)) {
    peer.drop_program(program);
    let name = peer.peer.name();
    eprintln!("cobench: {program} of {name} is not run again: {reason}");
}

/// The arguments of [`OPERATIONS`].
pub fn to_measure(processes: usize, budget: Duration, only: &[String]) -> Vec<String> {
    let batch = batch(!fit(processes));
    let mut arguments = vec![
        budget.as_millis().to_string(),
        batch.as_micros().to_string(),
    ];
    arguments.extend_from_slice(only);
    arguments
}
