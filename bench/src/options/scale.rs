//! The options of `cobench scale`.

use std::path::PathBuf;

use program::command_line::{Error, Long, read};

use super::values::{fabric, image_count, names};
use super::{Command, Fabric, Words, cores};
use crate::scale::workload::Workload;

/// Options of `cobench scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Most images.
    pub images: usize,
    /// What images are.
    pub fabric: Fabric,
    /// The programs to run; all if there are none.
    pub only: Vec<String>,
    /// Print JSON.
    pub json: bool,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
    /// One round with small problems.
    pub quick: bool,
}

/// Reads the options of `cobench scale`.
pub fn scale(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Scale {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        json: false,
        plot: None,
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_count(arguments)?,
            Long("fabric") => options.fabric = fabric(arguments)?,
            Long("only") => options.only = names(arguments, Workload::all().map(Workload::name))?,
            Long("json") => options.json = true,
            Long("plot") => options.plot = Some(arguments.path()?),
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Scale(options)))
}
