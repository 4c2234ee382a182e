//! Lamellar: Rust with active messages, a package of its own that cargo builds.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::workshop::{Workshop, run, write};
use super::{EMPTY, Model, Peer, PeerError};

/// The peer, and what was there before it ran.
#[derive(Debug)]
pub struct Lamellar {
    is_named: bool,
    before: BTreeSet<OsString>,
}

/// Where processes share memory.
const SHARED_MEMORY: &str = "/dev/shm";

/// What the names of Lamellar's files there begin with.
const PREFIX: &str = "lamellar_";

/// The program that cargo builds.
const PROGRAM: &str = "coarray-peer-lamellar";

/// Cargo's folder. Lamellar cannot be built where no part of the path has this name.
const TARGET: &str = "target";

impl Lamellar {
    /// Lamellar, which is built only if the user has named it.
    pub fn new(is_named: bool) -> Self {
        Self {
            is_named,
            before: shared(),
        }
    }
}

impl Model for Lamellar {
    fn folder(&self) -> &'static str {
        "lamellar"
    }

    fn look(&self) -> Result<String, PeerError> {
        let cargo = Command::new("cargo")
            .arg("--version")
            .stdin(Stdio::null())
            .output();
        match cargo {
            Ok(output) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            }
            _ => Err(PeerError::Missing {
                program: "cargo",
                advice: "install Rust from https://rustup.rs",
            }),
        }
    }

    fn prepare(&self, workshop: &Workshop) -> Result<(), PeerError> {
        let folder = workshop.lasting();
        let mark = folder.join("built");
        let own_mark = format!("{:016x}\n", workshop.mark());
        if fs::read_to_string(&mark).is_ok_and(|mark| mark == own_mark) {
            return Ok(());
        }
        if !self.is_named {
            return Err(PeerError::NotBuilt {
                peer: Peer::Lamellar.name(),
                time: "some minutes",
            });
        }
        eprintln!("cobench: building lamellar, which takes some minutes the first time");
        workshop.unpack(&folder)?;
        let mut cargo = Command::new("cargo");
        cargo
            .args(["build", "--release", "--locked", "--manifest-path"])
            .arg(folder.join("lamellar/Cargo.toml"))
            .arg("--target-dir")
            .arg(folder.join(TARGET));
        run(&mut cargo, "lamellar")?;
        fs::write(&mark, own_mark).map_err(|error| write(&mark, error))
    }

    fn build(&self, workshop: &Workshop, program: &str) -> Result<Option<PathBuf>, PeerError> {
        let has_it = workshop.source(&format!("src/{program}.rs")).is_some() || program == EMPTY;
        let file = workshop
            .lasting()
            .join(TARGET)
            .join("release")
            .join(PROGRAM);
        Ok(has_it.then_some(file))
    }

    /// The one program does everything, and starts its processes by itself.
    fn run(&self, file: &Path, program: &str, processes: usize) -> Command {
        let mut command = Command::new(file);
        command.args([&processes.to_string(), program]);
        command
    }

    /// Files of Lamellar in shared memory outlive its processes, if these fail. Those that were there before are not
    /// ours, nor those that somebody still uses.
    fn tidy(&self) {
        let new: Vec<OsString> = shared().difference(&self.before).cloned().collect();
        if new.is_empty() {
            return;
        }
        let used = used();
        for name in new {
            let file = Path::new(SHARED_MEMORY).join(name);
            if !used.iter().any(|used| Path::new(used) == file) {
                // Somebody else's cannot be removed.
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// The names of Lamellar's files in shared memory.
fn shared() -> BTreeSet<OsString> {
    let entries = fs::read_dir(SHARED_MEMORY).into_iter().flatten();
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    names
        .filter(|name| name.to_string_lossy().starts_with(PREFIX))
        .collect()
}

/// The files of Lamellar that processes have mapped.
fn used() -> BTreeSet<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten();
    let maps =
        processes.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("maps")).ok());
    let mut used = BTreeSet::new();
    for map in maps {
        let files = map
            .lines()
            .filter_map(|line| line.find(SHARED_MEMORY).map(|at| &line[at..]));
        used.extend(files.map(|file| file.trim_end_matches(" (deleted)").to_owned()));
    }
    used
}
