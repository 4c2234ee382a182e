//! The options of `cobench engines`.

use super::values::{bad_value, engine, image_count, list, operations};
use super::words::Words;
use super::{Command, OptionsError, cores};
use crate::engines::engine::Engine;

/// Options of `cobench engines`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engines {
    /// Number of images.
    pub images: usize,
    /// How often each program is started; if it is not said, as often as it takes.
    pub rounds: Option<usize>,
    /// The engines to measure.
    pub engines: Vec<Engine>,
    /// The operations to measure; all if there are none.
    pub only: Vec<String>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// Reads the options of `cobench engines`.
pub fn engines(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Engines {
        images: cores(),
        rounds: None,
        engines: vec![Engine::Mpi, Engine::Shmem],
        only: Vec::new(),
        json: false,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--rounds" => options.rounds = Some(round_count(&option, &words.value(&option)?)?),
            "--engine" => options.engines = list(&words.value(&option)?, engine)?,
            "--only" => options.only = operations(&words.value(&option)?)?,
            "--json" => options.json = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "engines";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Engines(options))
}

/// Most rounds that can be asked for; they would take a day.
const MAX_ROUNDS: usize = 10_000;

/// A number of rounds.
pub(super) fn round_count(option: &str, text: &str) -> Result<usize, OptionsError> {
    match text.parse() {
        Ok(rounds) if (1..=MAX_ROUNDS).contains(&rounds) => Ok(rounds),
        _ => {
            let expected = format!("a number of rounds from 1 to {MAX_ROUNDS}");
            Err(bad_value(option, text, expected))
        }
    }
}
