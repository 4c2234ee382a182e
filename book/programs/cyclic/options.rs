//! The command line of `cyclic`.

use std::path::{Path, PathBuf};

use program::command_line::{Long, follow, refuse};

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
}

impl Options {
    /// The options of this image's command line; none after `--help`. An error in it ends the job.
    pub(crate) fn from_command_line() -> Option<Self> {
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
        };
        let goes_on = follow(HELP, |option, arguments| {
            match option {
                Long("size") => {
                    let form = "ROWSxCOLUMNS, such as 240x320";
                    options.size = arguments.extents(form, 1 << 20)?;
                }
                Long("generations") => {
                    options.generations = arguments.number("a number", |_| true)?
                }
                Long("seed") => options.seed = arguments.number("a number", |_| true)?,
                Long("every") => {
                    options.every = arguments.number("a positive number", |&n| n > 0)?
                }
                Long("png") => options.png = Some(arguments.path()?),
                Long("npy") => options.npy = Some(arguments.path()?),
                Long("vti") => options.vti = Some(arguments.path()?),
                Long("checkpoint") => options.checkpoint = Some(arguments.path()?),
                Long("quiet") => options.quiet = true,
                _ => return Err(option.unexpected()),
            }
            Ok(())
        });
        // Better now than at the end of a long computation.
        let files = [&options.png, &options.npy, &options.vti];
        if let Some(file) = files.into_iter().flatten().find(|file| !has_folder(file)) {
            refuse(format_args!("{}: there is no such folder", file.display()));
        }
        goes_on.then_some(options)
    }
}

fn has_folder(file: &Path) -> bool {
    let folder = file.parent();
    folder.is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}
