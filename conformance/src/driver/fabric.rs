//! The fabrics: which are available, and how a job on one is started.

use std::fmt;
use std::path::Path;
use std::process::Command;

/// How much memory each image gets for its coarrays. The clauses about memory need to know.
const HEAP: &str = "64M";

/// A backend that carries images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Threads of one process.
    Threads,
    /// Processes that share memory.
    Processes,
    /// Processes that an MPI launcher starts.
    Mpi,
    /// Processes that an OpenSHMEM launcher starts.
    Shmem,
    /// Threads that count as nodes of a network.
    Simulated,
    /// Processes that the program itself starts, on a fabric of its own.
    Own,
}

impl Backend {
    const ALL: [Self; 6] = [
        Self::Threads,
        Self::Processes,
        Self::Mpi,
        Self::Shmem,
        Self::Simulated,
        Self::Own,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Processes => "processes",
            Self::Mpi => "mpi",
            Self::Shmem => "shmem",
            Self::Simulated => "simulated",
            Self::Own => "own",
        }
    }

    /// Whether this program, and so the one beside it, was built with this backend.
    const fn is_built_in(self) -> bool {
        match self {
            Self::Threads | Self::Processes | Self::Own => true,
            Self::Mpi => cfg!(feature = "mpi"),
            Self::Shmem => cfg!(feature = "shmem"),
            Self::Simulated => cfg!(feature = "simulated"),
        }
    }

    /// The launcher of its jobs: the variable that names it, and the default.
    const fn launcher(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Threads | Self::Processes | Self::Simulated | Self::Own => None,
            Self::Mpi => Some(("CONFORMANCE_MPIRUN", "mpirun")),
            Self::Shmem => Some(("CONFORMANCE_SHMEMRUN", "shmemrun")),
        }
    }
}

/// A backend, and how it is used: a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fabric {
    backend: Backend,
    /// Whether images that share memory reach each other by load and store.
    is_direct: bool,
}

/// Follows the name of a backend that is used indirectly.
const INDIRECT: &str = "/indirect";

impl Fabric {
    /// The simulated network.
    pub const SIMULATED: Self = Self {
        backend: Backend::Simulated,
        is_direct: true,
    };

    /// All of them.
    fn all() -> Vec<Self> {
        let ways = |backend| [true, false].map(|is_direct| Self { backend, is_direct });
        let all = Backend::ALL.into_iter().flat_map(ways);
        // Nodes of the simulated network never reach each other directly.
        let is_of_use = |fabric: &Self| fabric.backend != Backend::Simulated || fabric.is_direct;
        all.filter(is_of_use).collect()
    }

    /// Those that the program beside this one may have.
    #[must_use]
    pub fn of_the_library() -> Vec<Self> {
        let mut all = Self::all();
        all.retain(|fabric| fabric.backend != Backend::Own);
        all
    }

    /// The fabric of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::all()
            .into_iter()
            .find(|fabric| fabric.to_string() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::all().iter().map(Self::to_string).collect();
            format!("there is no fabric {name}; there are {}", names.join(", "))
        })
    }

    /// Checks that jobs on it can be started.
    ///
    /// # Errors
    /// Why not.
    pub fn is_there(self) -> Result<(), String> {
        if !self.backend.is_built_in() {
            let name = self.backend.name();
            return Err(format!("built without the feature `{name}`"));
        }
        let Some(launcher) = self.launcher() else {
            return Ok(());
        };
        match launcher.first() {
            Some(program) if is_installed(program) => Ok(()),
            Some(program) => Err(format!("`{program}` is not installed")),
            None => Err("no launcher is named".into()),
        }
    }

    /// The launcher of its jobs and the options for it, if it has one.
    fn launcher(self) -> Option<Vec<String>> {
        let (variable, default) = self.backend.launcher()?;
        let words = std::env::var(variable).unwrap_or_else(|_| default.into());
        Some(words.split_whitespace().map(String::from).collect())
    }

    /// The command that starts `program` on this number of images.
    #[must_use]
    pub fn command(self, program: &Path, images: usize) -> Command {
        let mut command = match self.launcher() {
            None => Command::new(program),
            Some(words) => {
                let (launcher, options) = words.split_first().expect("a launcher");
                let mut command = Command::new(launcher);
                command.args(options);
                if is_open_mpi(launcher) {
                    // There may be more images than cores, and the user may be root.
                    command
                        .arg("--oversubscribe")
                        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
                }
                command.arg("-n").arg(images.to_string()).arg(program);
                command
            }
        };
        match self.backend {
            Backend::Own => command.env_remove("COARRAY_FABRIC"),
            backend => command.env("COARRAY_FABRIC", backend.name()),
        };
        command
            .env("COARRAY_IMAGES", images.to_string())
            .env("COARRAY_HEAP", HEAP)
            .env(
                "COARRAY_SHARED_MEMORY",
                if self.is_direct { "1" } else { "0" },
            )
            .env_remove("COARRAY_LABEL")
            .env_remove("COARRAY_FAULT_TOLERANT")
            .env_remove("COARRAY_TUNING_FILE")
            .env_remove("RUST_BACKTRACE");
        command
    }
}

impl fmt::Display for Fabric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.is_direct { "" } else { INDIRECT };
        formatter.write_str(self.backend.name())?;
        formatter.write_str(how)
    }
}

/// Whether a program is where the shell would find it.
fn is_installed(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether a launcher is Open MPI's, which needs an option to allow more images than cores.
fn is_open_mpi(launcher: &str) -> bool {
    let said = Command::new(launcher).arg("--version").output();
    said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("Open"))
}
