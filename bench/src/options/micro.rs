//! The options of `cobench micro` and `cobench peers`.

use std::path::PathBuf;

use program::command_line::{self, Error, Long};

use super::values::{fabric, image_count, names, some_of};
use super::{Command, Fabric, Words, cores};
use crate::kernels::list::KERNELS;
use crate::operations;
use crate::peers::Peer;

/// Options of `cobench micro` and `cobench peers`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Micro {
    /// Number of images.
    pub images: usize,
    /// What images are.
    pub fabric: Fabric,
    /// The operations to measure.
    pub operations: Vec<String>,
    /// The kernels to measure.
    pub kernels: Vec<String>,
    /// The peers to measure as well.
    pub peers: Vec<Peer>,
    /// The user has named the peers.
    pub peers_are_named: bool,
    /// Print JSON.
    pub json: bool,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
    /// One short round.
    pub quick: bool,
}

/// Reads the options of `cobench micro`.
pub fn micro(words: Words) -> Result<Option<Command>, Error> {
    let options = read(words, Vec::new(), Vec::new())?;
    Ok(options.map(Command::Micro))
}

/// Reads the options of `cobench peers`.
pub fn peers(words: Words) -> Result<Option<Command>, Error> {
    let options = read(
        words,
        Peer::ALL.to_vec(),
        KERNELS.map(|kernel| kernel.name).to_vec(),
    )?;
    Ok(options.map(Command::Peers))
}

/// The options; none if the user asks for help.
fn read(
    words: Words,
    peers: Vec<Peer>,
    kernels: Vec<&'static str>,
) -> Result<Option<Micro>, Error> {
    let all: Vec<&str> = operations::names().chain(kernels.clone()).collect();
    let mut options = Micro {
        images: cores(),
        fabric: Fabric::default(),
        operations: operations::names().map(str::to_owned).collect(),
        kernels: kernels.into_iter().map(str::to_owned).collect(),
        peers,
        peers_are_named: false,
        json: false,
        plot: None,
        quick: false,
    };
    let goes_on = command_line::read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_count(arguments)?,
            Long("fabric") => options.fabric = fabric(arguments)?,
            Long("only") => options.keep(&names(arguments, all.clone())?),
            Long("peer") => {
                options.peers = some_of(arguments, Peer::ALL.map(|peer| (peer.name(), peer)))?;
                options.peers_are_named = true;
            }
            Long("json") => options.json = true,
            Long("plot") => options.plot = Some(arguments.path()?),
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(options))
}

impl Micro {
    /// Keeps the named operations and kernels only.
    fn keep(&mut self, wanted: &[String]) {
        self.operations.retain(|name| wanted.contains(name));
        self.kernels.retain(|name| wanted.contains(name));
    }
}
