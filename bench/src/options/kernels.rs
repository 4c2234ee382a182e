//! The options of `cobench kernels`.

use super::values::{fabric, image_count, kernel, list};
use super::words::Words;
use super::{Command, Fabric, OptionsError, cores};

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
pub fn kernels(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Kernels {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        json: false,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--only" => options.only = list(&words.value(&option)?, kernel)?,
            "--json" => options.json = true,
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "kernels";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Kernels(options))
}
