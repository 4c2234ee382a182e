//! A job: the state that its images in one process share.

pub(crate) mod backoff;
pub(crate) mod backtrace;
pub(crate) mod contention;
pub(crate) mod control;
pub(crate) mod death;
pub(crate) mod image_failed;
pub(crate) mod job_memory;
pub(crate) mod process;
pub(crate) mod report;
pub(crate) mod settings;
pub(crate) mod unwinding;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::check::Checked;
use crate::check::races::RACED;
use crate::check::record::CheckRecord;
use crate::job::contention::Usage;
use crate::job::control::{Failure, OWN_WORDS};
use crate::job::job_memory::JobMemory;
use crate::job::report::PANIC_CODE;
use crate::job::settings::{Bind, FabricKind, Profile, Settings, Wait, cores};
use crate::lockfree::eventcount::SpinPolicy;
use crate::schedule::Scheduler;
use coarray_fabric::memory::locality::Registration;
use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::memory::region::{Dimensions, Region, RegionOwner};
use coarray_fabric::system::parked::Threads;
use coarray_fabric::system::scheduler;

/// How long an image that ends the job may take to say why, before others stop waiting for that.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A running job.
#[derive(Debug)]
pub struct Job {
    /// Fields are dropped in this order: this one before the region is unmapped.
    _claim: Registration,
    /// The memory that its images share.
    pub region: JobMemory,
    pub(crate) wait: Wait,
    /// The spinning and yielding of an image whose core no other program wants.
    pub(crate) patience: SpinPolicy,
    /// Whether corefs may use loads and stores.
    pub(crate) direct: bool,
    /// Whether images read each other's memory where they are processes.
    pub(crate) cross_memory: bool,
    pub(crate) bind: Bind,
    /// Whether its images record where they wait, for a profile or a timeline.
    pub(crate) is_profiled: bool,
    /// Whether its images count what they move.
    pub(crate) counts: bool,
    /// What they keep of their accesses, if these are checked.
    pub(crate) checked: Option<Arc<Checked>>,
    /// Which of its images share memory.
    pub nodes: Nodes,
    pub(crate) fabric: FabricKind,
    /// The threads of this process that belong to it.
    pub threads: Threads,
    /// The longest time that images of other nodes may take to answer while one waits for them.
    pub(crate) peer_timeout: Option<Duration>,
    /// Decides which image runs, if not the system does.
    pub(crate) scheduler: Option<Arc<Scheduler>>,
    /// Whether this process noticed the recorded failure first, and so reports it.
    is_reporter: AtomicBool,
    /// The lowest image of other nodes that reports the end of the job; too large a number for none.
    told_by: AtomicUsize,
    /// What a cluster has told about this machine.
    machine: Option<Machine>,
}

/// A machine that a cluster has started images on. They share its cores also if they are to share no memory.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The processes of these images.
    pub processes: Vec<u32>,
    /// On how many cores they may run.
    pub cores: u32,
}

impl Machine {
    /// Whether each image has a core.
    #[must_use]
    pub fn has_cores_for_all(&self) -> bool {
        self.processes.len() <= self.cores as usize
    }
}

impl Job {
    /// A job whose images all share memory.
    pub fn new(region: JobMemory, settings: &Settings) -> Self {
        let images = region.dimensions().images;
        let nodes = Nodes::counted(images, settings.node_images);
        Self::on_nodes(region, settings, nodes)
    }

    /// The job of one node, with a region of its own.
    pub fn on_nodes(region: JobMemory, settings: &Settings, nodes: Nodes) -> Self {
        let dimensions = region.dimensions();
        let patience = patience(
            settings.wait,
            nodes.share_all(),
            dimensions.have_cores_for_all,
        );
        // Of images that are threads of this process.
        let check = settings.check.as_ref();
        let checked = check
            .filter(|_| settings.fabric == FabricKind::Threads)
            .map(|check| {
                let (heap, bytes) = (region.heap_offset(), region.heap_bytes());
                Arc::new(Checked::new(dimensions.images, heap, bytes, check))
            });
        let is_profiled = settings.profile == Profile::Waits || region.is_traced();
        Self {
            _claim: Registration::new(region.addresses(), !nodes.share_all()),
            region,
            wait: settings.wait,
            patience,
            // A store is seen by nobody.
            direct: settings.direct && settings.profile != Profile::Puts && checked.is_none(),
            cross_memory: settings.cross_memory && settings.fabric != FabricKind::Threads,
            bind: settings.bind,
            is_profiled,
            counts: settings.profile == Profile::Puts,
            checked,
            nodes,
            fabric: settings.fabric,
            threads: Threads::default(),
            peer_timeout: settings.peer_timeout,
            scheduler: settings.scheduler.clone(),
            is_reporter: AtomicBool::new(false),
            told_by: AtomicUsize::new(usize::MAX),
            machine: None,
        }
    }

    /// This job, whose images a cluster has started on this machine.
    #[must_use]
    pub fn on_machine(self, machine: Machine) -> Self {
        Self {
            machine: Some(machine),
            ..self
        }
    }

    /// What all images of this machine have used of their cores; none if it is not known which they are.
    #[cold]
    pub(crate) fn usage(&self) -> Option<Usage> {
        let time = |process: Option<u32>| process.and_then(scheduler::time_of_process);
        if let Some(machine) = &self.machine {
            let times = machine.processes.iter().map(|&process| time(Some(process)));
            return Some(Usage {
                used: times.sum::<Option<Duration>>()?,
                cores: machine.cores.min(machine.processes.len() as u32),
            });
        }
        let Dimensions {
            images,
            have_cores_for_all,
            ..
        } = self.region.dimensions();
        let used = match self.fabric {
            FabricKind::Threads => time(Some(std::process::id())),
            _ => (0..images)
                .map(|image| time(self.region.control(image).process()))
                .sum(),
        };
        Some(Usage {
            used: used?,
            // Each may be bound to its own, if it has one.
            cores: if have_cores_for_all {
                images
            } else {
                images.min(cores())
            } as u32,
        })
    }

    /// What the images of this process were found to race on, as the failure of a job that has no other one.
    #[must_use]
    pub fn races(&self) -> Option<Failure> {
        let checked = self.checked.as_ref().filter(|it| !it.policy.permits)?;
        let summary = checked.races.summary()?;
        Some(Failure {
            image: 0,
            code: RACED,
            text: format!("{OWN_WORDS}coarray: {summary}"),
        })
    }

    /// What the check leaves for the process that has asked for it.
    #[must_use]
    pub fn check_record(&self) -> CheckRecord {
        let checked = self.checked.as_ref();
        checked.map(|checked| checked.record()).unwrap_or_default()
    }

    /// Where what was got in the job came from, if that is to be told: some lines for people.
    #[must_use]
    pub fn origins(&self) -> Option<String> {
        let checked = self.checked.as_ref()?;
        checked.origins.as_ref()?.report(&checked.sites)
    }

    /// Ends the job because of `failure`; false if it already ended for another reason.
    pub fn fail(&self, failure: &Failure) -> bool {
        self.fail_after(failure, || ())
    }

    /// As [`fail`](Self::fail), but calls `prepare` before others learn of the end; later there is no time.
    pub(crate) fn fail_after(&self, failure: &Failure, prepare: impl FnOnce()) -> bool {
        let first = self.settle(failure, prepare);
        if first {
            self.is_reporter.store(true, Ordering::Relaxed);
        }
        first
    }

    /// Ends the job because of a `failure` on another node; false if it already ended for another reason.
    pub(crate) fn learn(&self, failure: &Failure) -> bool {
        self.settle(failure, || ())
    }

    fn settle(&self, failure: &Failure, prepare: impl FnOnce()) -> bool {
        let record = &self.region.job().failure;
        let first = record.claim();
        if first {
            prepare();
            record.write(&self.with_panic(failure));
        } else {
            // The first image may still print its backtrace, which the end of the job would truncate.
            record.wait(END_TIMEOUT);
        }
        self.region.job().end();
        first
    }

    /// The failure, as a consequence of the panic of an image that entered a collective operation while it unwound, if
    /// one did.
    fn with_panic(&self, failure: &Failure) -> Failure {
        let images = 0..self.region.dimensions().images;
        let panic = |image| Some((image, self.region.control(image).panic()?));
        match images.into_iter().find_map(panic) {
            Some((image, text)) => Failure {
                image,
                code: PANIC_CODE,
                text: format!(
                    "{text}\n  a destructor then called a collective operation: {failure}"
                ),
            },
            None => failure.clone(),
        }
    }

    /// Records that an image of another node reports the end of the job.
    pub fn be_told_by(&self, image: usize) {
        self.told_by.fetch_min(image, Ordering::Relaxed);
    }

    /// Whether an image of another node with a lower number than `image` reports the end of the job.
    #[cfg(feature = "cluster")]
    pub fn is_told_by_lower(&self, image: usize) -> bool {
        self.told_by.load(Ordering::Relaxed) < image
    }

    /// Whether this process noticed the recorded failure first, and so reports it.
    #[must_use]
    pub fn is_reporter(&self) -> bool {
        self.is_reporter.load(Ordering::Relaxed)
    }

    /// The failure of the job, which has ended.
    pub(crate) fn reason(&self) -> Failure {
        let reason = self.region.job().failure.wait(END_TIMEOUT);
        reason.unwrap_or_else(|| Failure {
            image: 0,
            code: 1,
            text: "or another one ended the job, and was killed before it said why".into(),
        })
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.region.job().has_ended()
    }
}

/// How long images spin and yield before they sleep, if no other program wants their cores.
fn patience(wait: Wait, share_all: bool, have_cores_for_all: bool) -> SpinPolicy {
    let [spins, yields] = match (wait, have_cores_for_all) {
        (Wait::Sleep, _) => [1, 0],
        // Messages of other images arrive only when the image polls.
        _ if !share_all => [0, 1000],
        (Wait::Spin, _) => [100_000, 200],
        (Wait::Adaptive, true) => [4000, 200],
        // Where images share cores, the awaited image most likely waits for this core. To be woken takes as long as some ten yields, and delays the
        // image that wakes, too.
        (Wait::Adaptive, false) => [1, 200],
    };
    SpinPolicy { spins, yields }
}

// SAFETY: both are fields, which never change.
unsafe impl RegionOwner for Job {
    fn region(&self) -> &Region {
        &self.region
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_images_of_a_machine_have_used_is_the_time_of_their_processes() {
        let settings = Settings {
            fabric: FabricKind::Mpi,
            ..Settings::with_images(3).unwrap()
        };
        let memory = JobMemory::create(3, 1 << 20, false, false).unwrap();
        let job = Job::on_nodes(memory, &settings, Nodes::separate(0..3));
        assert!(job.usage().is_none(), "no process is known");

        let own = std::process::id();
        let here = |processes, cores| Machine { processes, cores };
        let job = job.on_machine(here(vec![own, own], 8));
        let Usage { used, cores } = job.usage().unwrap();
        assert!(used > Duration::ZERO);
        assert_eq!(cores, 2);

        // Linux has no process with so large a number.
        let none = 1 << 24;
        let job = job.on_machine(here(vec![own, none], 8));
        assert!(job.usage().is_none(), "one is no process of this machine");
    }
}
