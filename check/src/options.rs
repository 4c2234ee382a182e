//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

pub(crate) const HELP: &str = "\
Finds collective calls that only some images of a program make, without running it

Usage: cargo coarray check [OPTIONS] [FILE]...

Arguments:
  [FILE]...              Programs of one file each, with their modules, instead of packages

Options:
  -p, --package NAME     Look at this package; may be given several times
      --workspace        Look at all packages of the workspace
      --manifest-path P  Look at the package of this Cargo.toml
  -h, --help             Print this
  -V, --version          Print the version

Whether images make the same calls is decided from the sources: a condition that depends on this_image()
must not decide about co_sum, sync_all, Coarray::new, x.open() and the like, by if, match, loops, return,
break or ?, here or in functions of the same package. A call on a team, by Team::change, is no matter.

A line, or one with nothing else above it, that has the comment
    // coarray-check: allow
is not reported, whether it has the condition or the call.

A result that is lost, as of co_sum(&mut count()), is a warning, but for files of tests.

Exit codes: 0 nothing found, 1 something found, 2 it could not look.
";

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) packages: Vec<String>,
    pub(crate) workspace: bool,
    pub(crate) manifest: Option<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
}

pub(crate) enum Request {
    Check(Options),
    Help,
    Version,
}

/// Reads the arguments, with or without the `coarray` that cargo puts before them.
pub(crate) fn read() -> Result<Request, lexopt::Error> {
    let mut parser = lexopt::Parser::from_env();
    let mut options = Options::default();
    let mut command = None;
    let mut first = true;
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Short('V') | Long("version") => return Ok(Request::Version),
            Short('p') | Long("package") => options.packages.push(parser.value()?.string()?),
            Long("workspace") => options.workspace = true,
            Long("manifest-path") => options.manifest = Some(parser.value()?.into()),
            Value(word) if first && word == "coarray" => {}
            Value(word) if command.is_none() => command = Some(word.string()?),
            Value(file) => options.files.push(file.into()),
            other => return Err(other.unexpected()),
        }
        first = false;
    }
    match command.as_deref() {
        Some("check") => {}
        Some(other) => return Err(format!("there is no command {other}: there is check").into()),
        None => return Ok(Request::Help),
    }
    if !options.files.is_empty()
        && (options.workspace || options.manifest.is_some() || !options.packages.is_empty())
    {
        return Err(
            "files are looked at by themselves: without --package, --workspace and --manifest-path"
                .into(),
        );
    }
    Ok(Request::Check(options))
}
