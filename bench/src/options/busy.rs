//! The options of `cobench busy`.

use super::engines::round_count;
use super::values::{bad_value, image_count, list};
use super::words::Words;
use super::{Command, OptionsError};

/// Options of `cobench busy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Numbers of images.
    pub images: Vec<usize>,
    /// How many programs compute beside them.
    pub loops: Vec<usize>,
    /// How often each program is started; if it is not said, as often as it takes.
    pub rounds: Option<usize>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// The word of a process that only computes, which no user writes; its value is the process that starts it.
pub const LOOP: &str = "loop";

/// Most loops that can be asked for.
const MAX_LOOPS: usize = 64;

/// Reads the options of `cobench busy`.
pub fn busy(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Busy {
        images: vec![2, 3, 4, 8],
        loops: vec![0, 1, 2, 4],
        rounds: None,
        json: false,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => {
                let value = words.value(&option)?;
                options.images = list(&value, |word| image_count(&option, word))?;
            }
            "--loops" => {
                let value = words.value(&option)?;
                options.loops = list(&value, |word| loop_count(&option, word))?;
            }
            "--rounds" => options.rounds = Some(round_count(&option, &words.value(&option)?)?),
            "--json" => options.json = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "busy";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Busy(options))
}

fn loop_count(option: &str, text: &str) -> Result<usize, OptionsError> {
    match text.parse() {
        Ok(loops) if loops <= MAX_LOOPS => Ok(loops),
        _ => {
            let expected = format!("a number of loops up to {MAX_LOOPS}");
            Err(bad_value(option, text, expected))
        }
    }
}
