//! The options of `cobench micro` and `cobench peers`.

use super::values::{fabric, image_count, list, operations, peer};
use super::words::Words;
use super::{Command, Fabric, OptionsError, cores};
use crate::peers::Peer;

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

/// Reads the options of `cobench micro`.
pub fn micro(words: &mut Words) -> Result<Command, OptionsError> {
    read(words, "micro", Vec::new())
}

/// Reads the options of `cobench peers`.
pub fn peers(words: &mut Words) -> Result<Command, OptionsError> {
    read(words, "peers", Peer::ALL.to_vec())
}

fn read(
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
