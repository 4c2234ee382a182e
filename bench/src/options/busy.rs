//! The options of `cobench busy`.

use program::command_line::{Error, Long, read};

use super::values::{image_counts, numbers, round_count};
use super::{Command, Words};

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
pub fn busy(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Busy {
        images: vec![2, 3, 4, 8],
        loops: vec![0, 1, 2, 4],
        rounds: None,
        json: false,
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_counts(arguments)?,
            Long("loops") => options.loops = numbers(arguments, 0..=MAX_LOOPS)?,
            Long("rounds") => options.rounds = Some(round_count(arguments)?),
            Long("json") => options.json = true,
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Busy(options)))
}

/// Reads the number of the process that starts a loop.
pub(super) fn parent(words: Words) -> Result<Option<Command>, Error> {
    let number = words.first().and_then(|word| word.to_str()?.parse().ok());
    let number = number.ok_or("expected the number of a process")?;
    Ok(Some(Command::Loop(number)))
}
