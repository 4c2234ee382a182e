//! The options of `cobench micro` and `cobench peers`.

use std::path::PathBuf;

use super::values::{fabric, image_count, list, name_of, peer};
use super::words::Words;
use super::{Command, Fabric, OptionsError, cores};
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
pub fn micro(words: &mut Words) -> Result<Command, OptionsError> {
    let options = read(words, "micro", Vec::new(), Vec::new())?;
    Ok(options.map_or(Command::Help, Command::Micro))
}

/// Reads the options of `cobench peers`.
pub fn peers(words: &mut Words) -> Result<Command, OptionsError> {
    let kernels = KERNELS.map(|kernel| kernel.name.to_owned()).to_vec();
    let options = read(words, "peers", Peer::ALL.to_vec(), kernels)?;
    Ok(options.map_or(Command::Help, Command::Peers))
}

/// The options; none if the user asks for help.
fn read(
    words: &mut Words,
    command: &'static str,
    peers: Vec<Peer>,
    kernels: Vec<String>,
) -> Result<Option<Micro>, OptionsError> {
    let mut options = Micro {
        images: cores(),
        fabric: Fabric::default(),
        operations: operations::names().map(str::to_owned).collect(),
        kernels,
        peers,
        peers_are_named: false,
        json: false,
        plot: None,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--only" => options.keep(&words.value(&option)?)?,
            "--peer" => {
                options.peers = list(&words.value(&option)?, peer)?;
                options.peers_are_named = true;
            }
            "--json" => options.json = true,
            "--plot" => options.plot = Some(words.value(&option)?.into()),
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(None),
            _ => return Err(OptionsError::Unknown { command, option }),
        }
        words.end(&option)?;
    }
    Ok(Some(options))
}

impl Micro {
    /// Keeps the named operations and kernels only.
    fn keep(&mut self, names: &str) -> Result<(), OptionsError> {
        let all: Vec<&str> = self
            .operations
            .iter()
            .chain(&self.kernels)
            .map(String::as_str)
            .collect();
        let wanted = list(names, |name| name_of("--only", name, &all))?;
        self.operations.retain(|name| wanted.contains(name));
        self.kernels.retain(|name| wanted.contains(name));
        Ok(())
    }
}
