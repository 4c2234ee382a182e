//! The options of `cobench engines`.

use program::command_line::{Error, Long, read};

use super::values::{image_count, operations, round_count, some_of};
use super::{Command, Words, cores};
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
pub fn engines(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Engines {
        images: cores(),
        rounds: None,
        engines: vec![Engine::Mpi, Engine::Shmem],
        only: Vec::new(),
        json: false,
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_count(arguments)?,
            Long("rounds") => options.rounds = Some(round_count(arguments)?),
            Long("engine") => {
                let engines = Engine::ALL.map(|engine| (engine.name(), engine));
                options.engines = some_of(arguments, engines)?;
            }
            Long("only") => options.only = operations(arguments)?,
            Long("json") => options.json = true,
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Engines(options)))
}
