//! Jobs whose images a cluster has started, on any number of machines: MPI, OpenSHMEM, or a fabric of another crate.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity};

use crate::profile;
use crate::report;
use crate::trace::TraceFile;
use crate::trace::beside::RemoveAtEnd;
use crate::trace::of_node::{NodeTimeline, records_of_node};
use coarray_collectives::TUNING;
use coarray_fabric::memory::nodes::Nodes;
use coarray_fabric::system::process_manager::ask_to_abort;
use coarray_fabric::transport::cluster::Cluster;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::observed::Observed;
use coarray_fabric::transport::watchdog::Watchdog;
use coarray_runtime::{
    Ending, Failure, ImageProfile, Job, JobMemory, Panic, Profile, Settings, cores,
    is_about_the_end, run_image,
};

/// How long an image with a failure waits for lower ones to report theirs.
const REPORT_TIMEOUT: Duration = Duration::from_millis(200);

/// How long messages about the end of the job may take to leave.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// The interval of polling.
const NAP: Duration = Duration::from_micros(500);

/// How long images wait for the reporting one to end the job.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a fabric may take to attach a GiB of each part.
const ATTACH_TIMEOUT_PER_GIB: Duration = Duration::from_secs(1);

/// How a job ended, for one image.
pub(crate) enum End<R> {
    /// At the end of the program.
    Finished(R),
    /// With a failure, which has been reported.
    Failed(Failure),
}

/// Watches the start until it is dropped.
pub(crate) type StartWatch = Option<mpsc::Sender<()>>;

/// Collective. Runs `body` as the image that this process is, whose start `watch` has watched so far.
///
/// # Errors
/// Why the images cannot start; the same on all images where they can agree on it.
pub(crate) fn run<R>(
    cluster: &dyn Cluster,
    settings: &Settings,
    watch: StartWatch,
    body: impl Fn() -> Result<R, Panic>,
) -> Result<End<R>, String> {
    let settings = &mut settings.clone();
    if cluster.image() == 0 {
        // All others add to it.
        drop(TraceFile::begin(settings));
    }
    let settings = agree(cluster, settings);
    let nodes = divide(cluster, settings.direct);
    let leader = nodes.of(cluster.image());
    let trace = settings
        .trace
        .as_deref()
        .filter(|_| leader == cluster.image());
    let _records = trace.map(|path| RemoveAtEnd::of(path, leader));
    let mut region = share_region(cluster, &nodes, &settings)?;
    let fabric = if nodes.share_all() {
        None
    } else {
        let attached = cluster.attach(&mut region, &nodes);
        let succeeded = u64::from(attached.is_ok());
        let is_attached = gather_words(cluster, [succeeded])
            .iter()
            .all(|&[ok]| ok == 1);
        match attached {
            Ok(fabric) if is_attached => Some(fabric),
            Ok(_) => return Err("another image cannot reach the memory of all images".into()),
            Err(error) => return Err(error),
        }
    };
    let fabric = fabric.map(|fabric| watch_over(fabric, cluster.image(), &settings));
    let job = Arc::new(Job::on_nodes(region, &settings, nodes));
    let image = cluster.image();
    let path = settings.trace.clone();
    let gather = |mine| gather_words(cluster, mine);
    let timeline = path.map(|path| NodeTimeline::new(path, &job, image, cluster.node(), gather));
    drop(watch);
    // SAFETY: the fabric gives each process a number of its own, and the fabric was attached to this region.
    let ending = unsafe { run_image(&job, image, fabric.clone(), &TUNING, body) };
    match ending {
        Ending::Finished(result) => {
            let own = || job.region.profile(image);
            let all = profile::gather(&settings, own, |mine| cluster.gather(mine));
            if let Some(all) = all.filter(|_| image == 0) {
                tell_profile(&job, &settings, all);
            }
            if let Some(timeline) = timeline {
                // All have ended when they have come here.
                cluster.gather(&[0]);
                if job.nodes.of(image) == image {
                    timeline.write(&job);
                }
            }
            drop(fabric);
            cluster.detach();
            // Not earlier: the fabric accesses its memory until it is detached.
            drop(job);
            Ok(End::Finished(result))
        }
        Ending::Failed(failure) => Ok(End::Failed(failure)),
        Ending::Ended => Ok(End::Failed(settle(
            &job,
            image,
            fabric.as_deref(),
            &settings,
            timeline.as_ref(),
        ))),
    }
}

/// A watchdog for the start, until the result is dropped: MPI and OpenSHMEM, in which images wait for each other until all have
/// their memory, do not notice a lost node. The limit is the peer timeout, plus time in proportion to the heap.
pub(crate) fn watch_start(image: usize, settings: &Settings) -> StartWatch {
    let limit = settings.peer_timeout? + ATTACH_TIMEOUT_PER_GIB * (settings.heap >> 30) as u32;
    let (watch, is_over) = mpsc::channel();
    std::thread::spawn(move || {
        if is_over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            give_up(
                image,
                format!(
                    "has waited at the start for {:.1} s for all images to get their memory (COARRAY_PEER_TIMEOUT, and 1 s for each GiB \
                     of COARRAY_HEAP): a node or the way to it is lost, or an image there does not go on",
                    limit.as_secs_f64()
                ),
            );
        }
    });
    Some(watch)
}

/// Ends the job from a watchdog's thread. The image's own thread hangs in the fabric, so the launcher is asked to abort.
fn give_up(image: usize, text: String) -> ! {
    report(&Failure {
        image,
        code: 1,
        text,
    });
    ask_to_abort(1);
    std::process::exit(1)
}

/// Puts a watchdog around the fabric, if there is a peer timeout.
fn watch_over(fabric: Rc<dyn Fabric>, image: usize, settings: &Settings) -> Rc<dyn Fabric> {
    let Some(limit) = settings.peer_timeout else {
        return fabric;
    };
    let is_late = move || {
        give_up(
            image,
            format!(
                "has waited for the fabric to complete an operation on another node for {:.1} s (COARRAY_PEER_TIMEOUT): that \
                 node or the way to it is lost, or an image there computes for longer than that without calling the library",
                limit.as_secs_f64()
            ),
        )
    };
    Rc::new(Observed::new(fabric, Watchdog::new(limit, is_late)))
}

/// Collective. Settings for all images: the smallest heap, and shared memory and a timeline if all want them, and a profile if all want the same.
fn agree(cluster: &dyn Cluster, settings: &Settings) -> Settings {
    let wishes = [
        settings.heap as u64,
        u64::from(settings.direct),
        u64::from(settings.keep_going),
        settings.profile as u64,
        u64::from(settings.trace.is_some()),
    ];
    let all = gather_words(cluster, wishes);
    if cluster.image() == 0 && all.iter().any(|&[_, _, keep_going, ..]| keep_going == 1) {
        eprintln!(
            "coarray: the job ends when an image fails: the fabric `{}` cannot go on without it",
            settings.fabric.name()
        );
    }
    let heap = all.iter().map(|&[heap, ..]| heap).min();
    Settings {
        images: cluster.images(),
        heap: heap.map_or(settings.heap, |heap| heap as usize),
        direct: all.iter().all(|&[_, direct, ..]| direct == 1),
        profile: match all
            .iter()
            .all(|&[.., profile, _]| profile == settings.profile as u64)
        {
            true => settings.profile,
            false => Profile::Off,
        },
        trace: match all.iter().all(|&[.., is_traced]| is_traced == 1) {
            true => settings.trace.clone(),
            false => None,
        },
        keep_going: false,
        ..settings.clone()
    }
}

/// Collective. Which images share memory; none do without `direct`.
fn divide(cluster: &dyn Cluster, direct: bool) -> Nodes {
    let mine = if direct {
        cluster.node()
    } else {
        cluster.image()
    };
    let all = gather_words(cluster, [mine as u64]);
    Nodes::separate(all.into_iter().map(|[node]| node as usize))
}

/// Collective. The region of this node: its leader creates it, and the others open the leader's descriptor.
fn share_region(
    cluster: &dyn Cluster,
    nodes: &Nodes,
    settings: &Settings,
) -> Result<JobMemory, String> {
    let me = cluster.image();
    let leader = nodes.of(me);
    let have_cores = have_cores_for_all(cluster);
    let is_traced = settings.trace.is_some();
    let made = (leader == me)
        .then(|| JobMemory::create(settings.images, settings.heap, have_cores, is_traced));
    let here: Vec<usize> = (0..settings.images)
        .filter(|&image| nodes.share(me, image))
        .collect();
    let trace = settings.trace.as_deref().filter(|_| leader == me);
    let records = trace.and_then(|path| records_of_node(path, leader, here.len()));
    let descriptor = |region: &JobMemory| region.file().as_raw_fd() as u64 + 1;
    let descriptors = [
        made.as_ref()
            .and_then(|made| made.as_ref().ok())
            .map_or(0, descriptor),
        records.as_ref().map_or(0, descriptor),
    ];
    let all = gather_words(
        cluster,
        [
            u64::from(std::process::id()),
            descriptors[0],
            descriptors[1],
        ],
    );
    let [process, descriptor, recorded] = all[leader];
    let borrowed = |descriptor| {
        let file = borrow_region([process, descriptor])?;
        // SAFETY: the leader of the node made it for this job, and waits until all of the node have mapped it.
        unsafe { JobMemory::attach(file) }
    };
    let region = made
        .unwrap_or_else(|| borrowed(descriptor))
        .and_then(|mut region| {
            let records = match recorded {
                0 => None,
                _ if leader == me => records,
                _ => Some(borrowed(recorded)?),
            };
            if let Some(records) = records {
                region.record_in(records, &here);
            }
            Ok(region)
        });
    // The leader keeps its descriptor open until all have mapped the file.
    let have_it = gather_words(cluster, [u64::from(region.is_ok())]);
    match (region, have_it.iter().position(|&[has_it]| has_it == 0)) {
        (Ok(region), None) => Ok(region),
        (Ok(_), Some(image)) => Err(format!(
            "image {image} cannot get the memory that it shares with its node; see its report"
        )),
        (Err(error), _) if leader == me => Err(format!(
            "cannot reserve a heap of {} for each of {} images: {error}; set COARRAY_HEAP to less",
            coarray_fabric::system::display_size::Bytes(settings.heap),
            settings.images
        )),
        (Err(error), _) => Err(format!(
            "image {me} cannot open the memory of image {leader}, which is on the same machine: {error}; if the two are in \
             different containers, set COARRAY_SHARED_MEMORY=0"
        )),
    }
}

/// The cores that an image may use, one bit each.
type Cores = [u64; CpuSet::MAX_CPU / u64::BITS as usize];

/// Collective. Whether each image on this machine has a core: launchers bind each image to some.
fn have_cores_for_all(cluster: &dyn Cluster) -> bool {
    let mut mine = Cores::default();
    // Without an answer there is no core.
    if let Ok(cores) = sched_getaffinity(None) {
        for core in (0..CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)) {
            mine[core / 64] |= 1 << (core % 64);
        }
    }
    // Images of a machine share its cores also if they are to share no memory.
    let machines = gather_words(cluster, [cluster.node() as u64]);
    let here = machines[cluster.image()];
    let all = machines.into_iter().zip(gather_words(cluster, mine));
    cores_suffice(
        all.filter(|&(machine, _)| machine == here)
            .map(|(_, cores)| cores),
    )
}

/// Whether images that may use these cores are no more than the cores together.
fn cores_suffice(of_images: impl Iterator<Item = Cores>) -> bool {
    let (images, all) = of_images.fold((0_u32, Cores::default()), |(images, all), cores| {
        (
            images + 1,
            std::array::from_fn(|word| all[word] | cores[word]),
        )
    });
    images <= all.iter().map(|word| word.count_ones()).sum()
}

fn borrow_region([process, descriptor]: [u64; 2]) -> io::Result<File> {
    let number = descriptor.checked_sub(1);
    let number = number.ok_or_else(|| io::Error::other("it has none"))?;
    File::options()
        .read(true)
        .write(true)
        .open(format!("/proc/{process}/fd/{number}"))
}

fn gather_words<const N: usize>(cluster: &dyn Cluster, mine: [u64; N]) -> Vec<[u64; N]> {
    let bytes: Vec<u8> = mine.iter().flat_map(|word| word.to_le_bytes()).collect();
    let all = cluster.gather(&bytes);
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a word has 8 bytes"));
    let (words, _) = all.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|bytes| word(bytes)).collect();
    let (rows, _) = words.as_chunks::<N>();
    rows.to_vec()
}

/// Reports the failure that ended the job once: by the lowest of the images that recorded one first on their nodes. Returns it.
fn settle(
    job: &Job,
    me: usize,
    fabric: Option<&dyn Fabric>,
    settings: &Settings,
    timeline: Option<&NodeTimeline>,
) -> Failure {
    let failure = loop {
        match job.region.job().failure.get() {
            Some(failure) => break failure,
            None => std::thread::yield_now(),
        }
    };
    if job.is_reporter() {
        let is_lower = || job.is_told_by_lower(me);
        if me > 0 && fabric.is_some() {
            listen(job, fabric, REPORT_TIMEOUT, is_lower);
        }
        if !is_lower() {
            report(&failure);
            // Those of other nodes may be unreachable.
            let here = (0..settings.images).filter(|&image| job.nodes.share(me, image));
            let here = here.map(|image| (image, job.region.profile(image)));
            tell_profile(job, settings, here);
            if let Some(timeline) = timeline {
                timeline.write(job);
            }
            listen(job, fabric, DRAIN_TIMEOUT, || false);
            return failure;
        }
    } else if let Some(timeline) = timeline
        && job.nodes.of(me) == me
        && !job.nodes.share(me, failure.image)
    {
        // That of another node cannot read the records of this one.
        timeline.write(job);
    }
    listen(job, fabric, END_TIMEOUT, || false);
    failure
}

/// Tells where the time of these images went, if that was asked for.
fn tell_profile(
    job: &Job,
    settings: &Settings,
    profiles: impl Iterator<Item = (usize, ImageProfile)>,
) {
    // Launchers bind each image to some cores, so it does not see those of others.
    let is_crowded = !job.region.dimensions().have_cores_for_all && job.nodes.share_all();
    let cores = is_crowded.then(cores);
    if let Some(text) = profile::report_of(settings, cores, || profiles) {
        eprint!("{text}");
    }
}

/// Receives messages for that time, or until `is_enough`.
fn listen(job: &Job, fabric: Option<&dyn Fabric>, longest: Duration, is_enough: impl Fn() -> bool) {
    let end = Instant::now() + longest;
    while !is_enough() && Instant::now() < end {
        // SAFETY: the job has ended, so no image relies on the effect of a message; messages about the end are handled below.
        while let Some(message) = fabric.and_then(|fabric| unsafe { fabric.receive() }) {
            if is_about_the_end(&message.bytes) {
                job.be_told_by(message.from);
            }
        }
        std::thread::sleep(NAP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_that_are_bound_have_a_core_each_if_the_cores_differ() {
        let cores =
            |bits: u64| -> Cores { std::array::from_fn(|word| if word == 0 { bits } else { 0 }) };
        let suffice = |all: &[u64]| cores_suffice(all.iter().map(|&bits| cores(bits)));
        assert!(suffice(&[0b01, 0b10]) && suffice(&[0b11, 0b11]) && suffice(&[0b1]));
        assert!(!suffice(&[0b01, 0b01]) && !suffice(&[0b11, 0b11, 0b11]) && !suffice(&[0]));
    }
}
