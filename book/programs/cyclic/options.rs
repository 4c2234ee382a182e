//! The command line of `cyclic`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What `cyclic --help` prints.
pub(crate) const HELP: &str = "\
A cyclic cellular automaton on a torus, divided among images.

usage: cyclic [--size ROWSxCOLUMNS] [--generations N] [--seed S] [--png FILE] [--npy FILE] [--vti FILE]
              [--checkpoint FOLDER] [--every N] [--quiet]

  --size ROWSxCOLUMNS  cells (default: 240x240)
  --generations N      how many generations to compute (default: 200)
  --seed S             a number that says with which noise to begin (default: 1)
  --png FILE           write a picture of the last generation
  --npy FILE           write its cells for NumPy
  --vti FILE           write its cells for ParaView
  --checkpoint FOLDER  go on from the checkpoint there, if there is one; save there
  --every N            after how many generations to save, and to say how far it is (default: 50);
                       the last one is always saved
  --quiet              say nothing but the result

Images: one for each core, or COARRAY_IMAGES=N, or start it with `coarun -n N cyclic ...`.";

/// What the user asks for.
pub(crate) struct Options {
    pub(crate) size: [usize; 2],
    pub(crate) generations: u64,
    pub(crate) seed: u64,
    pub(crate) png: Option<PathBuf>,
    pub(crate) npy: Option<PathBuf>,
    pub(crate) vti: Option<PathBuf>,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) every: u64,
    pub(crate) quiet: bool,
    pub(crate) help: bool,
}

impl Options {
    /// Reads a command line, without the program's name.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut options = Self {
            size: [240, 240],
            generations: 200,
            seed: 1,
            png: None,
            npy: None,
            vti: None,
            checkpoint: None,
            every: 50,
            quiet: false,
            help: false,
        };
        while let Some(word) = words.next() {
            let word = word.to_string_lossy().into_owned();
            // `--option=value` is as good as `--option value`.
            let (option, mut attached) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => {
                    (option.to_owned(), Some(OsString::from(value)))
                }
                _ => (word, None),
            };
            let mut value = || {
                let value = attached.take().or_else(|| words.next());
                value.ok_or(format!("{option} needs a value"))
            };
            match option.as_str() {
                "--size" => {
                    options.size = read(&option, &value()?, "ROWSxCOLUMNS, such as 240x320", size)?
                }
                "--generations" => {
                    options.generations = read(&option, &value()?, "a number", number)?
                }
                "--seed" => options.seed = read(&option, &value()?, "a number", number)?,
                "--every" => {
                    options.every = read(&option, &value()?, "a positive number", positive)?
                }
                "--png" => options.png = Some(value()?.into()),
                "--npy" => options.npy = Some(value()?.into()),
                "--vti" => options.vti = Some(value()?.into()),
                "--checkpoint" => options.checkpoint = Some(value()?.into()),
                "--quiet" => options.quiet = true,
                "--help" | "-h" => options.help = true,
                _ => {
                    return Err(format!(
                        "unknown option {option}; cyclic --help lists them all"
                    ));
                }
            }
            if attached.is_some() {
                return Err(format!("{option} takes no value"));
            }
        }
        // Better now than at the end of a long computation.
        let files = [&options.png, &options.npy, &options.vti];
        if let Some(file) = files.into_iter().flatten().find(|file| !has_folder(file)) {
            return Err(format!("{}: there is no such folder", file.display()));
        }
        Ok(options)
    }
}

fn has_folder(file: &Path) -> bool {
    let folder = file.parent();
    folder.is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}

/// The value of an option, as `understand` understands it.
fn read<T>(
    option: &str,
    value: &OsStr,
    expected: &str,
    understand: impl Fn(&str) -> Option<T>,
) -> Result<T, String> {
    let value = value.to_string_lossy();
    understand(&value).ok_or_else(|| format!("{option} {value}: expected {expected}"))
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

fn positive(text: &str) -> Option<u64> {
    number(text).filter(|&number| number > 0)
}

fn size(text: &str) -> Option<[usize; 2]> {
    let (rows, columns) = text.split_once('x')?;
    let side = |text| usize::try_from(positive(text)?).ok();
    Some([side(rows)?, side(columns)?])
}
