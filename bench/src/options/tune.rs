//! The options of `cobench tune`.

use std::path::PathBuf;

use program::command_line::{Error, Long, read};

use super::values::{fabric, image_counts};
use super::{Command, Fabric, Words};

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

/// Reads the options of `cobench tune`.
pub fn tune(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Tune {
        images: vec![2, 4, 8],
        fabric: Fabric::default(),
        output: "collectives.toml".into(),
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_counts(arguments)?,
            Long("fabric") => options.fabric = fabric(arguments)?,
            Long("output") => options.output = arguments.path()?,
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Tune(options)))
}
