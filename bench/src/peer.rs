//! What `coarray` is compared with.

/// A library or language to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// C with two-sided and collective MPI.
    Mpi,
    /// C with one-sided MPI.
    MpiRma,
    /// C with OpenSHMEM.
    Shmem,
    /// Fortran with coarrays.
    Caf,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 4] = [Self::Mpi, Self::MpiRma, Self::Shmem, Self::Caf];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mpi => "mpi",
            Self::MpiRma => "mpi-rma",
            Self::Shmem => "shmem",
            Self::Caf => "caf",
        }
    }

    /// What samples of how many times as long it takes are filed under.
    pub fn speedup(self) -> String {
        format!("{} speedup", self.name())
    }
}
