//! How MPI begins and ends.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use mpi_rma::mpi::environment::{
    Threading, Universe, initialize_with_threading, is_finalized, is_initialized, library_version,
};

use crate::system::process_manager::{pmi, pmix};

/// The variable that says how many threads MPI is to allow for.
const THREADS: &str = "COARRAY_MPI_THREADS";

/// The variable by which Open MPI chooses its components for windows.
const COMPONENTS: &str = "OMPI_MCA_osc";

/// The one of them that works over TCP, and refuses windows if several threads may use MPI at once.
const SINGLE_MINDED: &str = "pt2pt";

/// All of them but one, which crashes in `MPI_Compare_and_swap`.
const ALL_BUT_RDMA: &str = "^rdma";

/// How long MPI may take to end. All images have met before, so that it has nothing to wait for.
const LEAVE: Duration = Duration::from_secs(3);

/// MPI, initialised.
pub struct Environment {
    /// None if the application has initialised MPI, and finalises it. Dropped by [`leave`](Self::leave) only, since
    /// MPI would wait for the others.
    universe: Option<ManuallyDrop<Universe>>,
}

impl Environment {
    /// Initialises MPI, unless the application has.
    pub(crate) fn enter() -> Result<Self, String> {
        if is_finalized() {
            return Err("the application has finalised MPI already".into());
        }
        if is_initialized() {
            return Ok(Self::of_application());
        }
        avoid_what_crashes()?;
        let universe = initialize_with_threading(threading()?);
        Ok(Self {
            universe: universe.map(|(universe, _)| ManuallyDrop::new(universe)),
        })
    }

    /// MPI as the application has initialised it.
    pub fn of_application() -> Self {
        Self { universe: None }
    }

    /// Finalises MPI if this initialised it.
    ///
    /// Not where MPICH joins several nodes: in MPICH 4.0 over UCX's TCP a process that finalises often waits for ever for answers of
    /// others, who are further and do not answer any more. There the launcher is told instead, which is all that is left to do.
    pub(crate) fn leave(self, joins_nodes: bool) {
        if let Some(universe) = self.universe {
            if joins_nodes && !is_open_mpi() && pmi::finish() {
                return;
            }
            end_if_stuck(|| drop(ManuallyDrop::into_inner(universe)));
        }
    }
}

/// Ends this process with success if `finalize` does not return, which comes last in a program.
///
/// For MPICH under launchers that cannot be told as in [`Environment::leave`]. Open MPI's would take such an end for a failure.
fn end_if_stuck(finalize: impl FnOnce()) {
    if is_open_mpi() {
        return pmix::end_fabric(finalize);
    }
    // Nobody reads it if this fails.
    let _ = io::stdout().flush();
    let (returned, is_returned) = channel::<()>();
    let watcher = thread::spawn(move || {
        if is_returned.recv_timeout(LEAVE) == Err(RecvTimeoutError::Timeout) {
            // SAFETY: this only ends the process. Functions that are called at exit might wait for MPI, too.
            unsafe { libc::_exit(0) }
        }
    });
    finalize();
    drop(returned);
    // It has nothing to say.
    let _ = watcher.join();
}

/// Whether the library is Open MPI.
pub(crate) fn is_open_mpi() -> bool {
    library_version().is_ok_and(|version| version.contains("Open MPI"))
}

/// What MPI is asked for: as much as it can, or what it is known to need.
fn threading() -> Result<Threading, String> {
    let Some(wish) = env::var_os(THREADS) else {
        let components = env::var(COMPONENTS).unwrap_or_default();
        let is_single_minded = !components.starts_with('^') && components.contains(SINGLE_MINDED);
        return Ok(if is_single_minded {
            Threading::Serialized
        } else {
            Threading::Multiple
        });
    };
    match wish.to_str() {
        Some("multiple") => Ok(Threading::Multiple),
        Some("serialized") => Ok(Threading::Serialized),
        Some("funneled") => Ok(Threading::Funneled),
        Some("single") => Ok(Threading::Single),
        _ => Err(format!(
            "{THREADS}={}: expected `multiple`, `serialized`, `funneled` or `single`",
            wish.to_string_lossy()
        )),
    }
}

/// Keeps Open MPI 4 from using its component that crashes, unless the user has chosen components.
fn avoid_what_crashes() -> Result<(), String> {
    let is_concerned = library_version().is_ok_and(|version| version.contains("Open MPI v4"));
    if !is_concerned || env::var_os(COMPONENTS).is_some() {
        return Ok(());
    }
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads > 1 {
        return Err(format!(
            "this program started {threads} threads before its image: set {COMPONENTS}={ALL_BUT_RDMA} in the environment of \
             Open MPI, which cannot be done any more now, or start them later"
        ));
    }
    // SAFETY: this is the only thread, so that nobody reads or changes the environment meanwhile.
    unsafe { env::set_var(COMPONENTS, ALL_BUT_RDMA) };
    Ok(())
}
