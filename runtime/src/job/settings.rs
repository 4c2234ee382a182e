//! Settings from the environment: `COARRAY_IMAGES`, `COARRAY_HEAP`, `COARRAY_FABRIC`, `COARRAY_BIND`, `COARRAY_LABEL`,
//! `COARRAY_FAULT_TOLERANT`, `COARRAY_SHARED_MEMORY`, `COARRAY_CROSS_MEMORY`, `COARRAY_PEER_TIMEOUT`, `COARRAY_WAIT`,
//! `COARRAY_PROFILE`, `COARRAY_PROFILE_JSON`, `COARRAY_PROFILE_HTML`, `COARRAY_PROFILE_SVG`,
//! `COARRAY_TRACE`, `COARRAY_CHECK`.

mod choices;
mod profile_files;

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

pub use choices::{Bind, FabricKind, Profile, Wait};
pub use profile_files::ProfileFiles;

use crate::check::policy::Check;
use crate::job::job_memory::largest_heap;
use crate::job::settings::choices::SIMULATED;
use crate::schedule::Scheduler;
use coarray_fabric::system::available_memory as memory;
use coarray_fabric::system::display_size::Bytes;
use coarray_fabric::system::limits::MAX_IMAGES;
use coarray_fabric::system::process_manager;
#[cfg(feature = "simulated")]
use coarray_fabric::transport::simulated::Fault;

/// The settings of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of images.
    pub images: usize,
    /// Bytes of heap to reserve for each image.
    pub heap: usize,
    /// The fabric.
    pub fabric: FabricKind,
    /// Where images run.
    pub bind: Bind,
    /// How images wait.
    pub wait: Wait,
    /// What it reports of where its time went.
    pub profile: Profile,
    /// And in which files.
    pub profile_files: ProfileFiles,
    /// The file for a timeline of what its images did; none if nobody wants it.
    pub trace: Option<PathBuf>,
    /// What is checked of it; nothing if none.
    pub check: Option<Check>,
    /// Whether each line of output starts with the number of its image.
    pub label: bool,
    /// Whether the job goes on when an image dies.
    pub keep_going: bool,
    /// Whether corefs may use loads and stores. If not, every access uses the fabric: for tests.
    pub direct: bool,
    /// Whether images read long values of collectives where they are in the memory of other processes.
    pub cross_memory: bool,
    /// How many images count as one node: for tests of what passes between nodes.
    pub node_images: usize,
    /// How many nodes without shared memory the images that are threads form; 0 if they all share memory. For tests.
    pub simulated_nodes: usize,
    /// The longest time that images of other nodes may take to answer while one waits for them.
    pub peer_timeout: Option<Duration>,
    /// What decides which of the images, that are threads then, runs; none if the system does.
    pub scheduler: Option<Arc<Scheduler>>,
    /// The fault of the network between those nodes.
    #[cfg(feature = "simulated")]
    pub simulated_fault: Fault,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    name: &'static str,
    value: String,
    expected: String,
}

impl std::fmt::Display for SettingError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            value,
            expected,
        } = self;
        write!(formatter, "{name}={value}: {expected}")
    }
}

impl std::error::Error for SettingError {}

impl Settings {
    /// Settings for `images` images, and all else from the environment.
    ///
    /// # Errors
    /// If a variable has a value that its setting does not allow.
    pub fn with_images(images: usize) -> Result<Self, SettingError> {
        if !(1..=MAX_IMAGES).contains(&images) {
            return Err(SettingError {
                name: "images",
                value: images.to_string(),
                expected: format!("the number of images must be between 1 and {MAX_IMAGES}"),
            });
        }
        let profile_files = ProfileFiles::from_environment();
        let trace = trace();
        Ok(Self {
            images,
            heap: variable("COARRAY_HEAP")?
                .map_or_else(|| default_heap(images, trace.is_some()), |Bytes(heap)| heap),
            fabric: variable("COARRAY_FABRIC")?.unwrap_or_else(noticed),
            simulated_nodes: simulated_nodes()?,
            peer_timeout: variable("COARRAY_PEER_TIMEOUT")?.and_then(|Seconds(limit)| limit),
            scheduler: None,
            #[cfg(feature = "simulated")]
            simulated_fault: variable("COARRAY_SIMULATED_FAULT")?.unwrap_or_default(),
            bind: variable("COARRAY_BIND")?.unwrap_or_default(),
            wait: variable("COARRAY_WAIT")?.unwrap_or_default(),
            profile: variable("COARRAY_PROFILE")?.unwrap_or_else(|| profile_files.profile()),
            profile_files,
            trace,
            check: check()?,
            label: variable("COARRAY_LABEL")?.is_some_and(|Switch(on)| on),
            keep_going: variable("COARRAY_FAULT_TOLERANT")?.is_some_and(|Switch(on)| on),
            direct: variable("COARRAY_SHARED_MEMORY")?.is_none_or(|Switch(on)| on),
            cross_memory: variable("COARRAY_CROSS_MEMORY")?.is_none_or(|Switch(on)| on),
            node_images: images,
        })
    }

    /// All settings from the environment; by default one image for each usable core.
    ///
    /// # Errors
    /// If a variable has a value that its setting does not allow.
    pub fn from_environment() -> Result<Self, SettingError> {
        let images = variable("COARRAY_IMAGES")?.map_or_else(cores, |ImageCount(images)| images);
        Self::with_images(images)
    }

    /// Lets images fail without ending the job, unless the environment says whether they may.
    pub fn keeping_going(self) -> Result<Self, SettingError> {
        let keep_going = variable("COARRAY_FAULT_TOLERANT")?.is_none_or(|Switch(on)| on);
        Ok(Self { keep_going, ..self })
    }
}

fn trace() -> Option<PathBuf> {
    path("COARRAY_TRACE")
}

fn path(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)?;
    (!path.is_empty()).then(|| path.into())
}

fn check() -> Result<Option<Check>, SettingError> {
    let check = variable("COARRAY_CHECK")?.and_then(|Checks(check)| check);
    let record = path(Check::RECORD);
    Ok(check.map(|check| Check { record, ..check }))
}

/// The fabric whose launcher started this process, or else the default.
fn noticed() -> FabricKind {
    let fabric = process_manager::mark().and_then(|_| FabricKind::of_launcher());
    fabric.unwrap_or_default()
}

fn simulated_nodes() -> Result<usize, SettingError> {
    match std::env::var_os("COARRAY_FABRIC") {
        Some(fabric) if cfg!(feature = "simulated") && fabric == SIMULATED => {
            let nodes = variable("COARRAY_SIMULATED_NODES")?;
            Ok(nodes.map_or(2, |ImageCount(nodes)| nodes))
        }
        _ => Ok(0),
    }
}

/// Cores this process may use.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Three quarters of the memory, divided among the images of this machine, or what the limits allow if that is less; at
/// least a mebibyte each.
fn default_heap(images: usize, is_traced: bool) -> usize {
    const UNKNOWN_MACHINE: usize = 4 << 30;
    let total = memory::memory().map_or(UNKNOWN_MACHINE, |memory| memory.total);
    let here = process_manager::local_peers().unwrap_or(images);
    (total / 4 * 3 / here)
        .min(largest_heap(images.max(here), is_traced))
        .max(1 << 20)
}

/// Renamed settings: the new name, and the former one, which is read where the new one is not set.
pub const RENAMED: [(&str, &str); 4] = [
    ("COARRAY_PEER_TIMEOUT", "COARRAY_SILENCE"),
    ("COARRAY_SHARED_MEMORY", "COARRAY_DIRECT"),
    ("COARRAY_FAULT_TOLERANT", "COARRAY_KEEP_GOING"),
    ("COARRAY_TUNING_FILE", "COARRAY_COLLECTIVES"),
];

/// The value of a setting, and the name under which it is set.
pub(crate) fn value_of(name: &'static str) -> Option<(&'static str, OsString)> {
    let former = RENAMED.iter().filter(|(new, _)| *new == name);
    let mut names = [name].into_iter().chain(former.map(|(_, old)| *old));
    names.find_map(|name| Some((name, std::env::var_os(name)?)))
}

fn variable<T: FromStr<Err = String>>(name: &'static str) -> Result<Option<T>, SettingError> {
    let Some((name, value)) = value_of(name) else {
        return Ok(None);
    };
    let value = value.to_string_lossy().into_owned();
    match value.parse() {
        Ok(setting) => Ok(Some(setting)),
        Err(expected) => Err(SettingError {
            name,
            value,
            expected,
        }),
    }
}

/// A number of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageCount(
    /// 1 to [`MAX_IMAGES`].
    pub usize,
);

impl FromStr for ImageCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().parse() {
            Ok(images) if (1..=MAX_IMAGES).contains(&images) => Ok(Self(images)),
            _ => Err(format!(
                "expected a number of images between 1 and {MAX_IMAGES}"
            )),
        }
    }
}

/// What is checked; nothing if it is off.
struct Checks(Option<Check>);

impl FromStr for Checks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" | "off" => Ok(Self(None)),
            _ => text.parse().map(|check| Self(Some(check))),
        }
    }
}

/// A time; none for 0.
struct Seconds(Option<Duration>);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.trim().parse().ok();
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map(|time| Self(Some(time).filter(|time| !time.is_zero())))
            .ok_or_else(|| "expected a number of seconds, or 0 for no limit".into())
    }
}

struct Switch(bool);

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "1" => Ok(Self(true)),
            "0" | "" => Ok(Self(false)),
            _ => Err("expected 1 or 0".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_counts_are_positive() {
        assert_eq!("7".parse(), Ok(ImageCount(7)));
        for wrong in ["0", "-3", "many", "1048577", ""] {
            assert!(wrong.parse::<ImageCount>().is_err(), "{wrong}");
        }
    }
}
