//! Settings whose value is one of a few words.

use std::str::FromStr;

/// Threads that count as nodes of a network.
pub(super) const SIMULATED: &str = "simulated";

/// The fabric that carries the images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FabricKind {
    /// Each image is a process; heaps lie in shared memory. The default.
    #[default]
    Processes,
    /// Each image is a thread of one process.
    Threads,
    /// Each image is a process that the launcher of an installed MPI started, on any number of machines. Needs the
    /// feature `mpi`.
    Mpi,
    /// Each image is a process that the launcher of an installed OpenSHMEM started, on any number of machines. Needs
    /// the feature `shmem`.
    Shmem,
    /// Each image is a process that a fabric of another crate started. No setting chooses it: the program does.
    Own,
}

impl FabricKind {
    /// Its name in settings, and that of the feature that it needs, if any.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Processes => "processes",
            Self::Threads => "threads",
            Self::Mpi => "mpi",
            Self::Shmem => "shmem",
            Self::Own => "own",
        }
    }

    /// Whether this program was built with it.
    pub fn is_built_in(self) -> bool {
        match self {
            Self::Processes | Self::Threads => true,
            Self::Mpi => cfg!(feature = "mpi"),
            Self::Shmem => cfg!(feature = "shmem"),
            Self::Own => cfg!(feature = "cluster"),
        }
    }

    /// The fabric of a program that a launcher started without naming one: the one that it was built with.
    pub fn of_launcher() -> Option<Self> {
        [Self::Mpi, Self::Shmem]
            .into_iter()
            .find(|fabric| fabric.is_built_in())
    }
}

/// Where images run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bind {
    /// Wherever the operating system puts them.
    #[default]
    None,
    /// Image `i` on the `i`-th usable core, round robin.
    Core,
}

/// How an image waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// It spins, yields to other images, or sleeps, by what was best lately.
    #[default]
    Adaptive,
    /// It spins for milliseconds before it sleeps: for cores that no other program wants.
    Spin,
    /// It sleeps at once.
    Sleep,
}

impl Wait {
    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Spin => "spin",
            Self::Sleep => "sleep",
        }
    }
}

/// What a job reports at its end of where its time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Nothing.
    #[default]
    Off,
    /// Where images waited, for how long, and who came last.
    Waits,
    /// What images moved: every put, get and atomic operation is counted, by line of the program and by image. Then none is a plain store, so
    /// no times are told.
    Puts,
}

impl Profile {
    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Waits => "waits",
            Self::Puts => "puts",
        }
    }
}

/// The one of these that has that name.
fn named<T: Copy, const N: usize>(
    text: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
    expected: &str,
) -> Result<T, String> {
    let known = all.into_iter().find(|&one| name(one) == text);
    known.ok_or_else(|| expected.into())
}

impl FromStr for FabricKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if cfg!(feature = "simulated") && text == SIMULATED {
            return Ok(Self::Threads);
        }
        let all = [Self::Processes, Self::Threads, Self::Mpi, Self::Shmem];
        let expected = "expected `processes`, `threads`, `mpi` or `shmem`";
        named(text, all, Self::name, expected)
    }
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "core" => Ok(Self::Core),
            _ => Err("expected `none` or `core`".into()),
        }
    }
}

impl FromStr for Wait {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Adaptive, Self::Spin, Self::Sleep];
        named(
            text,
            all,
            Self::name,
            "expected `adaptive`, `spin` or `sleep`",
        )
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Off, Self::Waits, Self::Puts];
        let expected = "expected `waits`, `puts`, or `off` for no report";
        named(text, all, Self::name, expected)
    }
}
