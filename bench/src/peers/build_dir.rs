//! The folder beside this program where peers' programs are compiled.
//!
//! A program's name contains a hash of its sources and tools, so it is compiled once. Several processes may compile at
//! the same time: each does so in a folder of its own, and renames the program to its place.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use super::PeerError;

/// The sources in `bench/peers`: their paths in it, and their texts.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/peers.rs"));

/// The folder for the programs of one peer.
#[derive(Debug)]
pub struct BuildDir {
    folder: PathBuf,
    peer: &'static str,
    mark: u64,
}

impl BuildDir {
    /// The folder of `peer`, for these sources and `tools`.
    pub fn new(peer: &'static str, tools: &str) -> Result<Self, PeerError> {
        let executable = std::env::current_exe().map_err(|error| write("cobench", error))?;
        let folder = executable.with_file_name("peers");
        fs::create_dir_all(&folder).map_err(|error| write(&folder, error))?;
        let mut hasher = DefaultHasher::new();
        tools.hash(&mut hasher);
        for source in sources(peer) {
            source.hash(&mut hasher);
        }
        let mark = hasher.finish();
        Ok(Self { folder, peer, mark })
    }

    /// The peer's source of this name, if it has one.
    pub fn source(&self, name: &str) -> Option<&'static str> {
        let mut sources = sources(self.peer);
        let found = sources.find(|(path, _)| path.split_once('/') == Some((self.peer, name)));
        found.map(|(_, text)| text)
    }

    /// Writes the peer's sources below a folder.
    fn unpack(&self, folder: &Path) -> Result<(), PeerError> {
        for (path, text) in sources(self.peer) {
            let file = folder.join(path);
            let parent = file.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(|error| write(parent, error))?;
            fs::write(&file, text).map_err(|error| write(&file, error))?;
        }
        Ok(())
    }

    /// Compiles `program`, unless that is done: `compiler` gets the name of the output file, and runs in the folder
    /// with the sources.
    pub fn compile(
        &self,
        program: &str,
        compiler: impl FnOnce(&Path) -> Command,
    ) -> Result<PathBuf, PeerError> {
        let name = format!("{}-{program}-{:016x}", self.peer, self.mark);
        let place = self.folder.join(&name);
        if place.exists() {
            return Ok(place);
        }
        let own = self.folder.join(format!("{name}.{}", std::process::id()));
        let compiled = own.join(program);
        let outcome = self.unpack(&own).and_then(|()| {
            let mut compiler = compiler(&compiled);
            compiler.current_dir(own.join(self.peer));
            run(&mut compiler, &format!("{}/{program}", self.peer))?;
            fs::rename(&compiled, &place).map_err(|error| write(&place, error))
        });
        // A copy of what this program contains.
        let _ = fs::remove_dir_all(&own);
        outcome.map(|()| place)
    }
}

/// The sources of a peer: its folder, and for C also all headers, some of which peers share.
fn sources(peer: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_own = move |path: &str| path.split('/').next() == Some(peer);
    let is_in_c = |&(path, _): &(&str, &str)| is_own(path) && path.ends_with(".c");
    let needs_headers = SOURCES.iter().any(is_in_c);
    let is_part = move |path: &str| is_own(path) || (needs_headers && path.ends_with(".h"));
    SOURCES
        .iter()
        .copied()
        .filter(move |(path, _)| is_part(path))
}

/// Runs a compiler of `program`, quietly.
fn run(compiler: &mut Command, program: &str) -> Result<(), PeerError> {
    let fail = |reason| {
        let program = program.to_owned();
        Err(PeerError::Compile { program, reason })
    };
    match compiler.stdin(Stdio::null()).output() {
        Err(error) => fail(error.to_string()),
        Ok(output) if !output.status.success() => {
            fail(first_error(&String::from_utf8_lossy(&output.stderr)))
        }
        Ok(_) => Ok(()),
    }
}

/// The line to look at first.
fn first_error(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let error = lines.find(|line| line.to_lowercase().contains("error"));
    error.unwrap_or(first).trim().to_owned()
}

/// The error that a file cannot be written.
fn write(file: impl AsRef<Path>, source: io::Error) -> PeerError {
    let file = file.as_ref().to_owned();
    PeerError::Write { file, source }
}
