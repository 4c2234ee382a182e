//! The options of `cobench tune`.

use std::path::PathBuf;

use super::values::{fabric, image_count, list};
use super::words::Words;
use super::{Command, Fabric, OptionsError};

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
pub fn tune(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Tune {
        images: vec![2, 4, 8],
        fabric: Fabric::default(),
        output: "collectives.toml".into(),
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => {
                let value = words.value(&option)?;
                options.images = list(&value, |word| image_count(&option, word))?;
            }
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--output" => options.output = words.value(&option)?.into(),
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "tune";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Tune(options))
}
