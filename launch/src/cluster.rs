//! Jobs whose images a cluster has started, on any number of machines: MPI, OpenSHMEM, or a fabric of another crate.

mod agreement;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::cluster::agreement::{agree, divide, gather_words, machine, share_region};
use crate::profile;
use crate::report;
use crate::trace::TraceFile;
use crate::trace::beside::RemoveAtEnd;
use crate::trace::of_node::NodeTimeline;
use coarray_collectives::TUNING;
use coarray_fabric::system::process_manager::ask_to_abort;
use coarray_fabric::transport::cluster::Cluster;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::observed::Observed;
use coarray_fabric::transport::watchdog::Watchdog;
use coarray_runtime::{
    Ending, Failure, ImageProfile, Job, Panic, Settings, cores, is_about_the_end, run_image,
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
    let machine = machine(cluster);
    let mut region = share_region(cluster, &nodes, &settings, machine.has_cores_for_all())?;
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
    let job = Arc::new(Job::on_nodes(region, &settings, nodes).on_machine(machine));
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
