//! Runs a job whose images are processes: merges what they print, ends all of them when one fails
//! (unless the job keeps going without it), and tells why.
//!
//! It is one thread with a loop around `poll`, which never blocks elsewhere.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::mem;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use crate::children::{Children, Ended, ImageProcess};
use crate::job_status::JobStatus;
use crate::leftovers::Leftovers;
use crate::lost_images::LostImages;
use crate::output::Source;
use crate::processes;
use crate::profile;
use crate::pump::Pump;
use crate::signals::{Received, Signals};
use crate::startup::{self, StartError};
use crate::trace::{TraceFile, Traced};
use coarray_runtime::{Death, JobMemory, Settings, Stage, cores};

/// A signal repeated within this time is the same request: `timeout` and batch systems signal the
/// process first, then its whole group.
const SAME_REQUEST: Duration = Duration::from_millis(200);

/// How long the readers of our output may take after a signal has asked for the end.
const READERS: Duration = Duration::from_secs(2);

/// How long the parent of an image that has ended may take to end, too, and so tell how the image ended.
const EXPLANATION: Duration = Duration::from_millis(300);

/// The interval of checking whether processes became images, after one exited that never did: nothing notifies us.
const STAGES_CHECK: Duration = Duration::from_millis(50);

/// Runs `program` as all images of a job, to the end. Returns what this process should exit with; a
/// failure has been reported.
///
/// To be called before the program starts threads: they would receive the signals meant for the
/// loop.
pub(crate) fn supervise(program: &Path, arguments: &[OsString], settings: &Settings) -> ExitCode {
    match Job::start(program, arguments, settings) {
        Ok(mut job) => {
            job.run();
            job.exit_code()
        }
        Err(error) => {
            tell(&format!("coarray: {error}\n"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes to our standard error at once. An error there cannot be reported.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[derive(Debug)]
struct Job {
    /// Dropped first, which kills the images that are left; they use the rest.
    children: Children,
    signals: Signals,
    leftovers: Leftovers,
    /// For a job within a job: readable when the image that started it has ended, and it must end, too.
    superior: Option<OwnedFd>,
    region: JobMemory,
    pump: Pump,
    /// Why the job must end, once it must.
    status: Option<JobStatus>,
    /// The first request to end, which the images got too, and when it came.
    interrupted: Option<(Received, Instant)>,
    /// Processes that exited successfully without ever becoming an image.
    strangers: Vec<usize>,
    /// Images that ended before their parent process, and the time at which that must have told how.
    unexplained: Vec<(usize, Instant)>,
    lost: LostImages,
    /// Processes that images left behind are killed at once.
    urgent: bool,
    /// All images have ended, and what they wrote has been read.
    over: bool,
    /// The end of the job has been reported.
    is_reported: bool,
    settings: Settings,
    trace: Option<TraceFile>,
}

impl Job {
    fn start(
        program: &Path,
        arguments: &[OsString],
        settings: &Settings,
    ) -> Result<Self, StartError> {
        startup::allow_files(settings.images)?;
        let settings = &mut settings.clone();
        let trace = TraceFile::begin(settings);
        let region = startup::create_region(settings)?;
        let signals = Signals::block().map_err(StartError::Signals)?;
        let leftovers = Leftovers::adopt().map_err(StartError::Leftovers)?;
        let children = startup::start_images(program, arguments, &region, &signals, settings)?;
        Ok(Self {
            children,
            signals,
            leftovers,
            superior: processes::superior(),
            region,
            pump: Pump::new(settings),
            status: None,
            interrupted: None,
            strangers: Vec::new(),
            unexplained: Vec::new(),
            lost: LostImages::new(settings.images),
            urgent: false,
            over: false,
            is_reported: false,
            settings: settings.clone(),
            trace,
        })
    }

    fn run(&mut self) {
        loop {
            if !self.over && !self.children.any_lives() && self.leftovers.are_gone(self.urgent) {
                self.pump.read_the_rest(&mut self.children);
                self.over = true;
                self.judge_the_job();
                self.tell_profile();
            }
            self.write();
            if self.over && (self.pump.is_done() || self.gives_up_readers()) {
                return;
            }
            let readable = self.wait();
            while let Some(arrival) = self.signals.next() {
                self.answer(arrival);
            }
            for source in readable {
                self.pump.read(source, &mut self.children);
            }
            self.look_for_strangers();
            self.look_for_unexplained();
        }
    }

    /// Waits until there is something to do. Returns what can be read.
    fn wait(&mut self) -> Vec<Source> {
        let sources = self.pump.sources(&self.children);
        let mut events = vec![PollFd::new(&self.signals, PollFlags::IN)];
        events.extend(
            sources
                .iter()
                .map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN)),
        );
        let ends = self
            .children
            .iter()
            .filter_map(ImageProcess::handle)
            .chain(&self.superior);
        events.extend(ends.map(|end| PollFd::new(end, PollFlags::IN)));
        let ends = 1 + sources.len()..events.len();
        let outlets = self.pump.outlets();
        events.extend(outlets.map(|stdout| PollFd::new(stdout, PollFlags::OUT)));

        match poll(&mut events, self.timeout().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("cannot poll {} descriptors: {error}", events.len()),
        }
        let is_ready = |event: &PollFd<'_>| !event.revents().is_empty();
        let ready = sources.iter().zip(&events[1..]);
        let ready = ready.filter(|(_, event)| is_ready(event));
        let readable = ready.map(|(&(source, _), _)| source).collect();
        let has_any_ended = events[ends.clone()].iter().any(is_ready);
        let is_orphaned = self.superior.is_some() && events[ends].last().is_some_and(is_ready);
        if is_orphaned {
            self.superior = None;
            self.urgent = true;
            self.end(JobStatus::Orphaned);
        }
        if has_any_ended {
            self.reap();
        }
        readable
    }

    fn timeout(&self) -> Option<Timespec> {
        let now = Instant::now();
        let prompt = self
            .pump
            .due()
            .map(|due| due.saturating_duration_since(now));
        let stages = (!self.strangers.is_empty()).then_some(STAGES_CHECK);
        let dues = self.unexplained.iter().map(|&(_, due)| due);
        let dues = dues.chain(self.leftovers.due());
        let readers = self.interrupted.filter(|_| self.over);
        let dues = dues.chain(readers.map(|(_, since)| since + READERS));
        let dues = dues.map(|due| due.saturating_duration_since(now));
        let shortest = prompt.into_iter().chain(stages).chain(dues).min()?;
        Some(shortest.try_into().expect("a fraction of a second"))
    }

    fn answer(&mut self, arrival: Received) {
        let signal = arrival.signal;
        if signal == Signal::CHILD {
            self.reap();
        } else if arrival.is_warning() {
            self.children.warn(signal);
        } else if self.over {
            // Only unread output keeps us. A repeated request means that nobody wants it.
            self.pump.discard_output();
            self.interrupted.get_or_insert((arrival, Instant::now()));
            self.end(JobStatus::Interrupted(signal));
            self.report();
        } else if let Some((_, since)) = self.interrupted {
            if since.elapsed() > SAME_REQUEST {
                self.urgent = true;
                self.end(JobStatus::Interrupted(signal));
            }
        } else {
            self.interrupted = Some((arrival, Instant::now()));
            if !arrival.by_key {
                self.children.send(signal);
            }
        }
    }

    fn reap(&mut self) {
        for image in 0..self.children.len() {
            let claimant = self.region.control(image).process();
            let claimant = claimant.and_then(|process| Pid::from_raw(process as i32));
            match self.children[image].look(claimant) {
                Some(Ended::All(status)) => self.judge(image, status),
                Some(Ended::Inner) => self.unexplained.push((image, Instant::now() + EXPLANATION)),
                None => {}
            }
        }
        self.leftovers.reap(&self.children);
    }

    fn judge(&mut self, image: usize, status: ExitStatus) {
        self.unexplained.retain(|&(other, _)| other != image);
        let stage = self.region.control(image).stage();
        if stage == Stage::Failed {
            return;
        }
        let death = Death::of(status, stage, self.children[image].is_wrapped());
        match (death, self.interrupted) {
            (Some(_), Some((request, _))) => self.end(JobStatus::Interrupted(request.signal)),
            (Some(death), None) => self.lose(image, death),
            (None, _) if stage == Stage::Absent => self.strangers.push(image),
            (None, _) => {}
        }
    }

    /// An image that left before it was one is nobody to wait for: unless all are like it, the
    /// others would wait forever.
    fn look_for_strangers(&mut self) {
        if self.strangers.is_empty() {
            return;
        }
        let mut stages = (0..self.children.len()).map(|image| self.region.control(image).stage());
        // A process may fail before it becomes an image.
        if stages.any(|stage| !matches!(stage, Stage::Absent | Stage::Failed)) {
            for stranger in mem::take(&mut self.strangers) {
                self.lose(stranger, Death::NeverCame);
            }
        }
    }

    /// Takes an image for lost that ended in the middle of the program without a record of why.
    fn look_for_unexplained(&mut self) {
        let now = Instant::now();
        let is_over = |&mut (_, due): &mut (usize, Instant)| due <= now;
        let images: Vec<_> = self.unexplained.extract_if(.., is_over).collect();
        for (image, _) in images {
            if self.region.control(image).stage() != Stage::Finished {
                self.children[image].give_up();
                self.lose(image, Death::Unseen);
            }
        }
    }

    /// An image that has been reaped ended as it must not: so does the job, unless it keeps going.
    fn lose(&mut self, image: usize, death: Death) {
        let process = self.children[image].id();
        let (job, control) = (self.region.job(), self.region.control(image));
        let ends = self.status.is_some() || self.interrupted.is_some() || job.has_ended();
        if ends || !job.keeps_going() {
            return self.end(JobStatus::Died {
                image,
                process,
                death,
            });
        }
        job.declare_failed(control);
        let failure = death.failure(image, process, control.last_words.get());
        if let Some(note) = self.lost.add(failure) {
            self.pump.note(image, &note, &mut self.children);
        }
    }

    /// Ends the job. The first reason counts: other images end as its consequence.
    fn end(&mut self, status: JobStatus) {
        self.status.get_or_insert(status);
        self.children.send(Signal::KILL);
    }

    fn write(&mut self) {
        if let Err(error) = self.pump.write() {
            self.end(match error.kind() {
                io::ErrorKind::BrokenPipe => JobStatus::Unread,
                _ => JobStatus::Unwritable(error),
            });
            if self.over {
                self.report();
            }
        }
    }

    /// Determines how the job ended, and reports it before the output of the images has been read.
    fn judge_the_job(&mut self) {
        let told = self.region.job().failure.get();
        let seen = self.status.take();
        let lost = self.lost.status().map(JobStatus::Failed);
        // The losses were told one by one.
        self.is_reported =
            told.is_none() && seen.is_none() && lost.is_some() && self.lost.are_told();
        self.status = JobStatus::of(told, seen.or(lost));
        self.report();
    }

    /// Tells where the time of the job went, and writes its timeline, if that was asked for.
    fn tell_profile(&mut self) {
        let images = 0..self.settings.images;
        let region = &self.region;
        let profiles = || images.clone().map(|image| (image, region.profile(image)));
        let mut text =
            profile::report_of(&self.settings, Some(cores()), profiles).unwrap_or_default();
        if let Some(trace) = &mut self.trace {
            let process = |image| region.control(image).process();
            let traced = images.map(|image| (image, region, process(image)));
            text += &trace.write(&Traced::here(traced));
        }
        if !text.is_empty() {
            self.pump.conclude(&text, false);
        }
    }

    /// Reports how the job ended, once.
    fn report(&mut self) {
        let Some(status) = self.status.as_ref().filter(|_| !self.is_reported) else {
            return;
        };
        self.is_reported = true;
        if let Some(report) = status.report() {
            let pressed = |(request, _): (Received, Instant)| request.by_key;
            let shows_key = io::stderr().is_terminal() && self.interrupted.is_some_and(pressed);
            self.pump.conclude(&report, shows_key);
        }
    }

    /// Whether the end was requested so long ago that readers of our output who have not read by now never will.
    fn gives_up_readers(&self) -> bool {
        self.interrupted
            .is_some_and(|(_, since)| since.elapsed() > READERS)
    }

    fn exit_code(&self) -> ExitCode {
        let status = self.status.as_ref();
        status.map_or(ExitCode::SUCCESS, |status| {
            ExitCode::from(status.exit_code())
        })
    }
}
