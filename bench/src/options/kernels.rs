//! The options of `cobench kernels`.

use program::command_line::{Error, Long, read};

use super::values::{fabric, image_count, names};
use super::{Command, Fabric, Words, cores};
use crate::kernels::list::KERNELS;

/// Options of `cobench kernels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernels {
    /// Number of images.
    pub images: usize,
    /// What images are.
    pub fabric: Fabric,
    /// The kernels to run; all if there are none.
    pub only: Vec<String>,
    /// Print JSON.
    pub json: bool,
    /// One short round.
    pub quick: bool,
}

/// Reads the options of `cobench kernels`.
pub fn kernels(words: Words) -> Result<Option<Command>, Error> {
    let mut options = Kernels {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        json: false,
        quick: false,
    };
    let goes_on = read(words, |option, arguments| {
        match option {
            Long("images") => options.images = image_count(arguments)?,
            Long("fabric") => options.fabric = fabric(arguments)?,
            Long("only") => {
                options.only = names(arguments, KERNELS.map(|kernel| kernel.name))?;
            }
            Long("json") => options.json = true,
            Long("quick") => options.quick = true,
            _ => return Err(option.unexpected()),
        }
        Ok(())
    })?;
    Ok(goes_on.then_some(Command::Kernels(options)))
}
