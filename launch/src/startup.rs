//! Everything that can go wrong before the first image runs, said in one line each.

use std::ffi::OsString;
use std::fs::read_dir;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::children::Children;
use crate::processes::image_command;
use crate::signals::Signals;
#[cfg(feature = "simulated")]
use coarray_fabric::memory::nodes::Nodes;
#[cfg(feature = "simulated")]
use coarray_fabric::memory::region::RegionOwner;
use coarray_fabric::system::display_size::Bytes;
use coarray_fabric::transport::fabric::Fabric;
#[cfg(feature = "simulated")]
use coarray_fabric::transport::simulated::{Exchange, Simulated};
use coarray_runtime::{Failure, Job, JobMemory, Settings, USAGE, cores};

/// Descriptors of a supervisor for each image: its two pipes.
const FILES_PER_IMAGE: usize = 2;

/// Descriptors for everything else: the memory, the signals, and what starting an image takes for a moment.
const OTHER_FILES: usize = 20;

/// The descriptors of the program itself, if they cannot be counted.
const OPEN_FILES: usize = 44;

/// Why a job does not start.
#[derive(Debug)]
pub(crate) enum StartError {
    Region {
        images: usize,
        heap: usize,
        source: io::Error,
    },
    Files {
        images: usize,
        needed: usize,
        limit: u64,
    },
    Signals(io::Error),
    Leftovers(io::Error),
    Program(ProgramError),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Region {
                images,
                heap,
                source,
            } => write!(
                formatter,
                "cannot reserve a heap of {} for each of {images} images: {source}; set \
                 COARRAY_HEAP or COARRAY_IMAGES to less",
                Bytes(*heap)
            ),
            Self::Files {
                images,
                needed,
                limit,
            } => write!(
                formatter,
                "{images} images need {needed} open files, but the limit is {limit} \
                 (`ulimit -n`)"
            ),
            Self::Signals(what) => write!(formatter, "cannot receive signals: {what}"),
            Self::Leftovers(what) => {
                write!(formatter, "cannot see to what images leave behind: {what}")
            }
            Self::Program(error) => std::fmt::Display::fmt(error, formatter),
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Region { source, .. } => Some(source),
            Self::Signals(source) => Some(source),
            Self::Leftovers(source) => Some(source),
            Self::Program(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ProgramError> for StartError {
    fn from(error: ProgramError) -> Self {
        Self::Program(error)
    }
}

/// Why a program does not start.
#[derive(Debug)]
pub(crate) struct ProgramError {
    pub(crate) program: PathBuf,
    /// As which image, if others could be started before.
    pub(crate) image: usize,
    pub(crate) source: io::Error,
}

impl std::fmt::Display for ProgramError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            program,
            image,
            source,
        } = self;
        write!(
            formatter,
            "cannot start {}{}: {}",
            program.display(),
            again(*image),
            reason(program, source)
        )
    }
}

impl std::error::Error for ProgramError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

fn again(image: usize) -> String {
    if image == 0 {
        String::new()
    } else {
        format!(" once more, as image {image}")
    }
}

fn reason(program: &Path, error: &io::Error) -> String {
    let searched = !program.as_os_str().as_bytes().contains(&b'/');
    match error.kind() {
        io::ErrorKind::NotFound if searched && program.is_file() => {
            format!("it is not in PATH; ./{} is here", program.display())
        }
        io::ErrorKind::NotFound if searched => "it is not in PATH".into(),
        io::ErrorKind::WouldBlock => {
            format!("{error}; no more processes are allowed (`ulimit -u`)")
        }
        _ => error.to_string(),
    }
}

impl StartError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Program(error) => error.exit_code(),
            _ => USAGE,
        }
    }
}

impl ProgramError {
    /// The exit code of a shell that cannot start the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.source.kind() {
            io::ErrorKind::NotFound => 127,
            // The program is fine, but there can be no more processes.
            io::ErrorKind::WouldBlock => USAGE,
            _ => 126,
        }
    }
}

/// Makes sure that the pipes of `images` images can be open at once.
pub(crate) fn allow_files(images: usize) -> Result<(), StartError> {
    let open = read_dir("/proc/self/fd").map_or(OPEN_FILES, Iterator::count);
    let needed = FILES_PER_IMAGE * images + OTHER_FILES + open;
    let wanted = needed as u64;
    let mut limits = getrlimit(Resource::Nofile);
    if limits.current.is_none_or(|limit| limit >= wanted) {
        return Ok(());
    }
    if let Some(limit) = limits.maximum.filter(|&limit| limit < wanted) {
        return Err(StartError::Files {
            images,
            needed,
            limit,
        });
    }
    limits.current = Some(wanted);
    // Raising the soft limit up to the hard one cannot fail. If it did, starting the images would report the error.
    let _ = setrlimit(Resource::Nofile, limits);
    Ok(())
}

/// The memory of the whole job.
pub(crate) fn create_region(settings: &Settings) -> Result<JobMemory, StartError> {
    let Settings { images, heap, .. } = *settings;
    let is_traced = settings.trace.is_some();
    let region =
        JobMemory::create(images, heap, images <= cores(), is_traced).map_err(|source| {
            StartError::Region {
                images,
                heap,
                source,
            }
        })?;
    if settings.keep_going {
        region.job().keep_going();
    }
    Ok(region)
}

/// The job of images that are threads; one for each simulated node.
pub(crate) struct Jobs {
    by_node: Vec<Arc<Job>>,
    #[cfg(feature = "simulated")]
    exchange: Option<Arc<Exchange>>,
}

/// The job of threads, with the memory for it.
pub(crate) fn create_jobs(settings: &Settings) -> Result<Jobs, StartError> {
    let nodes = settings.simulated_nodes.min(settings.images);
    #[cfg(feature = "simulated")]
    if nodes > 1 {
        return simulate(settings, nodes);
    }
    debug_assert!(nodes <= 1);
    Ok(Jobs {
        by_node: vec![Arc::new(Job::new(create_region(settings)?, settings))],
        #[cfg(feature = "simulated")]
        exchange: None,
    })
}

#[cfg(feature = "simulated")]
fn simulate(settings: &Settings, nodes: usize) -> Result<Jobs, StartError> {
    let each = settings.images.div_ceil(nodes);
    let lowest = || (0..settings.images).map(|image| image / each * each);
    if settings.keep_going {
        eprintln!(
            "coarray: the job ends when an image fails: simulated nodes cannot go on without it"
        );
    }
    let settings = &Settings {
        keep_going: false,
        ..settings.clone()
    };
    let job = |_| {
        let region = create_region(settings)?;
        Ok(Arc::new(Job::on_nodes(
            region,
            settings,
            Nodes::separate(lowest()),
        )))
    };
    let by_node: Vec<Arc<Job>> = (0..settings.images.div_ceil(each))
        .map(job)
        .collect::<Result<_, StartError>>()?;
    let regions = by_node
        .iter()
        .map(|job| Arc::clone(job) as Arc<dyn RegionOwner>);
    let exchange = Exchange::new(regions.collect(), settings.images, settings.simulated_fault);
    Ok(Jobs {
        by_node,
        exchange: Some(Arc::new(exchange)),
    })
}

impl Jobs {
    /// The job as the node of that image knows it.
    pub(crate) fn of(&self, image: usize) -> &Arc<Job> {
        let [one] = &self.by_node[..] else {
            let node = self.by_node[0].nodes.position(image);
            return &self.by_node[node];
        };
        one
    }

    /// The fabric of that image to other nodes, if there are any.
    pub(crate) fn fabric(&self, image: usize) -> Option<Rc<dyn Fabric>> {
        #[cfg(feature = "simulated")]
        if let Some(exchange) = &self.exchange {
            return Some(Rc::new(Simulated::new(Arc::clone(exchange), image)));
        }
        let _ = image;
        None
    }

    /// Why the job failed, if it did.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let reporters = self.by_node.iter().filter(|job| job.is_reporter());
        let others = self.by_node.iter().filter(|job| !job.is_reporter());
        reporters
            .chain(others)
            .find_map(|job| job.region.job().failure.get())
    }
}

/// Starts all images. If one cannot be started, the others are killed.
pub(crate) fn start_images(
    program: &Path,
    arguments: &[OsString],
    region: &JobMemory,
    signals: &Signals,
    settings: &Settings,
) -> Result<Children, StartError> {
    let mut children = Children::default();
    for image in 0..settings.images {
        image_command(program, arguments, image, region, settings)
            .and_then(|mut command| {
                signals.restore_in(&mut command);
                children.start(command)
            })
            .map_err(|source| ProgramError {
                program: program.into(),
                image,
                source,
            })?;
    }
    Ok(children)
}
