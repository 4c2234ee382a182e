//! The options of `cobench scale`.

use std::path::PathBuf;

use super::values::{fabric, image_count, list, name_of};
use super::words::Words;
use super::{Command, Fabric, OptionsError, cores};
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
pub fn scale(words: &mut Words) -> Result<Command, OptionsError> {
    let mut options = Scale {
        images: cores(),
        fabric: Fabric::default(),
        only: Vec::new(),
        json: false,
        plot: None,
        quick: false,
    };
    while let Some(option) = words.option() {
        match option.as_str() {
            "--images" => options.images = image_count(&option, &words.value(&option)?)?,
            "--fabric" => options.fabric = fabric(&words.value(&option)?)?,
            "--only" => options.only = list(&words.value(&option)?, program)?,
            "--json" => options.json = true,
            "--plot" => options.plot = Some(words.value(&option)?.into()),
            "--quick" => options.quick = true,
            "--help" | "-h" => return Ok(Command::Help),
            _ => {
                let command = "scale";
                return Err(OptionsError::Unknown { command, option });
            }
        }
        words.end(&option)?;
    }
    Ok(Command::Scale(options))
}

fn program(text: &str) -> Result<String, OptionsError> {
    let names: Vec<&str> = Workload::all().map(Workload::name).collect();
    name_of("--only", text, &names)
}
