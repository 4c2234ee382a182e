//! The command line of `conform`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::prelude::*;

use crate::clause::Clause;
use crate::clauses;
use crate::driver::fabric::Fabric;
use crate::request::{count, select};

/// The text of `conform --help`.
pub const HELP: &str = "\
Tries the clauses of the coarray library's promises on every fabric that is there, and prints a table.

usage: conform [--fabrics NAMES] [--images COUNTS] [--only IDS] [--limit SECONDS] [--require NAMES]
       conform --broken [--only IDS] [--limit SECONDS]

  --fabrics NAMES   some of threads, processes, mpi, shmem, simulated, and these with /indirect, by which nothing is
                    reached by load and store; default: all. And own, for a program with a fabric of its own
  --images COUNTS   numbers of images, such as 1,2,3,4,7,8; default: 2,4
  --only IDS        only these clauses and sections, such as 5.2,6
  --limit SECONDS   time that one job may take; default: 120
  --require NAMES   fail if one of these fabrics is not there
  --broken          try networks that are broken deliberately: the clauses about what is broken must fail
  --conformance PROGRAM
                    the program with the clauses; default: the one beside this one. To try a fabric, write one that
                    calls coarray_conformance::session::serve
  --help            this text

A fabric is there if the program was built with its feature and its launcher is installed. Other launchers, and options
for them, are named by CONFORMANCE_MPIRUN and CONFORMANCE_SHMEMRUN, as in \"mpirun --mca btl tcp,self\"; `-n COUNT` and the
program are added. The exit code is 0 if all clauses are ok on all fabrics that are there, and 1 if not.
";

/// How long one job may take, unless the command line says otherwise.
const LIMIT: Duration = Duration::from_secs(120);

/// The settings from the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// The columns of the table.
    pub fabrics: Vec<Fabric>,
    /// The numbers of images with which each is tried.
    pub images: Vec<usize>,
    /// The rows.
    pub clauses: Vec<&'static Clause>,
    /// How long one job may take.
    pub limit: Duration,
    /// Fabrics that must be available.
    pub required: Vec<Fabric>,
    /// Whether to try broken networks instead.
    pub broken: bool,
    /// The program `conformance`.
    pub program: PathBuf,
}

impl Options {
    /// Understands the arguments; none if they ask for help.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Option<Self>, lexopt::Error> {
        let mut options = Self {
            fabrics: Fabric::of_the_library(),
            images: vec![2, 4],
            clauses: clauses::all().collect(),
            limit: LIMIT,
            required: Vec::new(),
            broken: false,
            program: beside_this_program()?,
        };
        let mut parser = lexopt::Parser::from_args(words.collect::<Vec<_>>());
        while let Some(option) = parser.next()? {
            match option {
                Long("help") | Short('h') => return Ok(None),
                Long("fabrics") => {
                    options.fabrics = list(&parser.value()?.string()?, Fabric::from_name)?
                }
                Long("images") => {
                    options.images =
                        list(&parser.value()?.string()?, |text| count("--images", text))?;
                }
                Long("only") => options.clauses = select(&parser.value()?.string()?)?,
                Long("limit") => {
                    options.limit =
                        Duration::from_secs(count("--limit", &parser.value()?.string()?)? as u64);
                }
                Long("require") => {
                    options.required = list(&parser.value()?.string()?, Fabric::from_name)?
                }
                Long("broken") => options.broken = true,
                Long("conformance") => options.program = parser.value()?.into(),
                _ => return Err(option.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

fn list<T>(text: &str, item: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    text.split(',').map(|text| item(text.trim())).collect()
}

fn beside_this_program() -> Result<PathBuf, String> {
    let this = std::env::current_exe();
    let this = this.map_err(|error| format!("cannot find this program's own file: {error}"))?;
    Ok(this.with_file_name("conformance"))
}
