//! The same operations and kernels in other languages and libraries.
//!
//! A peer's programs lie in `bench/peers/`, are compiled with the peer's compiler into a folder beside this program
//! ([`build_dir`]), and print lines as a [job](crate::job) or a kernel does. How each is compiled and started is a
//! [`Toolchain`].

mod build_dir;
mod error;
mod fortran;
mod toolchain;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use build_dir::BuildDir;
pub use error::PeerError;
use toolchain::Toolchain;
pub use toolchain::start;

use crate::peer::Peer;
use crate::runner::{Effort, Failure, fit, watch};
use crate::sample::Line;
use crate::stopwatch::batch;

fn toolchain(peer: Peer) -> &'static Toolchain {
    match peer {
        Peer::Mpi => &toolchain::MPI,
        Peer::MpiRma => &toolchain::MPI_RMA,
        Peer::Shmem => &toolchain::SHMEM,
        Peer::Caf => &toolchain::CAF,
    }
}

/// The program of a peer that times operations, as a [job](crate::job) does.
pub const OPERATIONS: &str = "operations";

/// The program of a peer that times each single operation, beside programs that compute.
pub const BUSY: &str = "busy";

/// The program of a peer that only begins and ends.
pub const EMPTY: &str = "empty";

/// A peer that is installed.
pub struct Installed {
    /// Which one.
    pub peer: Peer,
    /// Its name and version, as soon as one of its programs has printed them.
    pub title: Option<String>,
    build_dir: BuildDir,
    ready: Vec<(String, Option<PathBuf>)>,
}

impl Installed {
    /// Looks for a peer's compiler and launcher.
    ///
    /// # Errors
    /// If anything is missing, with what to install.
    pub fn find(peer: Peer) -> Result<Self, PeerError> {
        let toolchain = toolchain(peer);
        let versions = toolchain.versions()?;
        Ok(Self {
            peer,
            title: None,
            build_dir: BuildDir::new(toolchain.folder, &versions)?,
            ready: Vec::new(),
        })
    }

    /// Compiles a program. Returns whether the peer has it.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub fn prepare(&mut self, program: &str) -> Result<bool, PeerError> {
        let built = toolchain(self.peer).build(&self.build_dir, program);
        let (path, outcome) = match built {
            Ok(path) => (path.clone(), Ok(path.is_some())),
            Err(error) => (None, Err(error)),
        };
        self.ready.push((program.to_owned(), path));
        outcome
    }

    /// Whether [`prepare`](Self::prepare) has compiled a program that has not been [dropped](Self::drop_program) since.
    pub fn has(&self, program: &str) -> bool {
        self.path(program).is_some()
    }

    /// Does not run a program again.
    pub fn drop_program(&mut self, program: &str) {
        self.ready.retain(|(name, _)| name != program);
    }

    fn path(&self, program: &str) -> Option<&Path> {
        let ready = self.ready.iter().find(|(name, _)| name == program);
        ready.and_then(|(_, path)| path.as_deref())
    }

    /// Runs a compiled program in `processes` processes. `each` gets every line that it prints, except the one with the
    /// peer's title. Returns how long it took.
    ///
    /// # Errors
    /// If it fails, or takes longer than `limit`.
    ///
    /// # Panics
    /// If the program is not compiled.
    pub fn run(
        &mut self,
        program: &str,
        processes: usize,
        arguments: &[String],
        limit: Duration,
        mut each: impl FnMut(&str),
    ) -> Result<Duration, Failure> {
        let file = self.path(program).expect("the program has been prepared");
        let toolchain = toolchain(self.peer);
        let mut command = toolchain.command(file, program, processes);
        command.args(arguments);
        let mut title = None;
        let outcome = watch(&mut command, limit, |line| match line.strip_prefix("# ") {
            Some(text) => title = Some(text.to_owned()),
            None => each(line),
        });
        self.title = title.or(self.title.take());
        outcome
    }

    /// Runs [`OPERATIONS`] to measure those in `only`; `each` gets every line of samples.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn measure(
        &mut self,
        processes: usize,
        effort: Effort,
        only: &[String],
        rows: usize,
        mut each: impl FnMut(Line),
    ) -> Result<(), Failure> {
        let batch = batch(!fit(processes));
        let mut arguments = vec![
            effort.budget.as_millis().to_string(),
            batch.as_micros().to_string(),
        ];
        arguments.extend_from_slice(only);
        let limit = effort.patience(rows);
        self.run(OPERATIONS, processes, &arguments, limit, |line| {
            if let Some(line) = Line::parse(line) {
                each(line);
            }
        })?;
        Ok(())
    }
}

/// Looks for peers, and reports which are skipped and why.
pub fn find(peers: &[Peer]) -> Vec<Installed> {
    let find = |&peer: &Peer| {
        let skip = |error| skip(peer.name(), &error);
        Installed::find(peer).map_err(skip).ok()
    };
    peers.iter().filter_map(find).collect()
}

/// Compiles a program of a peer, or reports why that fails.
pub fn prepare(peer: &mut Installed, program: &str) {
    if let Err(error) = peer.prepare(program) {
        skip(peer.peer.name(), &error);
    }
}

fn skip(name: &str, error: &PeerError) {
    eprintln!("cobench: {name} is skipped: {error}");
}

/// Reports why a program of a peer is not run again.
pub fn give_up(peer: &mut Installed, program: &str, reason: &(impl Display + ?Sized)) {
    peer.drop_program(program);
    let name = peer.peer.name();
    eprintln!("cobench: {program} of {name} is not run again: {reason}");
}
