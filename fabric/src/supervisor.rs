//! Runs a job whose images are processes: merges what they print, ends all of them when one fails, and
//! tells why.
//!
//! One thread does it all in a loop around `poll`, and waits for nothing else.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::Signal;

use crate::children::Children;
use crate::control::Stage;
use crate::outlet;
use crate::output::{Display, Lines, Source, Stream};
use crate::region::Region;
use crate::settings::Settings;
use crate::signals::{Arrival, Signals};
use crate::startup::{self, StartError};
use crate::terminal;
use crate::verdict::{Death, Verdict};

/// Bytes that may wait for the readers of our output. While more do, the images wait.
const BACKLOG: usize = 256 << 10;

/// A signal repeated within this time is the same request: `timeout` and batch systems signal the
/// process first, then its whole group.
const SAME_REQUEST: Duration = Duration::from_millis(200);

/// How often to look whether others became images after one left that never was: nothing tells us.
const STAGES_CHECK: Duration = Duration::from_millis(50);

/// Runs `program` as all images of a job, to the end. Returns what this process should exit with; a
/// failure has been reported.
///
/// To be called before the program starts threads: they would receive the signals meant for the loop.
pub(crate) fn supervise(program: &Path, arguments: &[OsString], settings: &Settings) -> ExitCode {
    match Job::start(program, arguments, settings) {
        Ok(mut job) => {
            job.run();
            job.conclude()
        }
        Err(error) => {
            tell(&format!("coarray: {error}\n"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes to our standard error at once. If that cannot be written, there is nobody to tell.
fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[derive(Debug)]
struct Job {
    /// Goes first when a job is dropped: the rest is for its sake.
    children: Children,
    signals: Signals,
    region: Region,
    lines: Lines,
    buffer: Vec<u8>,
    /// Why the job must end, once it must.
    verdict: Option<Verdict>,
    /// The request to end that was passed on to the images, and when.
    interrupted: Option<(Signal, Instant)>,
    /// An image that ended well without ever having been one.
    stranger: Option<usize>,
    /// All images have ended and all they wrote has been read.
    over: bool,
}

impl Job {
    fn start(program: &Path, arguments: &[OsString], settings: &Settings) -> Result<Self, StartError> {
        let region = startup::create_region(settings)?;
        let signals = Signals::block().map_err(StartError::Signals)?;
        let children = startup::start_images(program, arguments, &region, &signals, settings)?;
        let display = Display { label: settings.label, terminals: terminal::own() };
        Ok(Self {
            children,
            signals,
            region,
            lines: Lines::new(settings.images, display),
            buffer: vec![0; 64 << 10],
            verdict: None,
            interrupted: None,
            stranger: None,
            over: false,
        })
    }

    fn run(&mut self) {
        loop {
            if !self.over && !self.children.any_lives() {
                self.read_the_rest();
            }
            self.write();
            if self.over && self.lines.is_written() {
                return;
            }
            let readable = self.wait();
            while let Some(arrival) = self.signals.next() {
                self.answer(arrival);
            }
            for source in readable {
                self.read(source);
            }
            self.lines.pass_prompts(Instant::now());
            self.look_for_stranger();
        }
    }

    /// Waits until there is something to do. Returns what can be read.
    fn wait(&self) -> Vec<Source> {
        let mut events = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let mut sources = Vec::new();
        for stream in Stream::ALL {
            if self.lines.backlog(stream) < BACKLOG {
                for (image, process) in self.children.iter().enumerate() {
                    if let Some(pipe) = process.pipe(stream) {
                        events.push(PollFd::new(pipe, PollFlags::IN));
                        sources.push(Source { image, stream });
                    }
                }
            }
        }
        for stream in Stream::ALL {
            if self.lines.backlog(stream) > 0 {
                events.push(PollFd::from_borrowed_fd(outlet::descriptor(stream), PollFlags::OUT));
            }
        }
        match poll(&mut events, self.timeout().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => panic!("poll refuses our {} descriptors: {error}", events.len()),
        }
        let ready = events[1..].iter().map(|event| !event.revents().is_empty());
        sources.into_iter().zip(ready).filter_map(|(source, ready)| ready.then_some(source)).collect()
    }

    fn timeout(&self) -> Option<Timespec> {
        let prompt = self.lines.due().map(|due| due.saturating_duration_since(Instant::now()));
        let stages = self.stranger.map(|_| STAGES_CHECK);
        let shortest = prompt.into_iter().chain(stages).min()?;
        Some(shortest.try_into().expect("it is short"))
    }

    fn answer(&mut self, Arrival { signal, by_terminal }: Arrival) {
        if signal == Signal::CHILD {
            self.reap();
        } else if self.over {
            // Only the readers of our output keep us: a second way to say that nobody wants it.
            self.lines.discard();
            self.end(Verdict::Interrupted(signal));
        } else if let Some((_, since)) = self.interrupted {
            if since.elapsed() > SAME_REQUEST {
                self.end(Verdict::Interrupted(signal));
            }
        } else {
            self.interrupted = Some((signal, Instant::now()));
            if !by_terminal {
                self.children.send(signal);
            }
        }
    }

    fn reap(&mut self) {
        for image in 0..self.children.len() {
            if let Some(status) = self.children[image].reap() {
                self.judge(image, status);
            }
        }
    }

    fn judge(&mut self, image: usize, status: ExitStatus) {
        let stage = self.region.control(image).stage();
        match (Death::of(status, stage), self.interrupted) {
            (Some(_), Some((signal, _))) => self.end(Verdict::Interrupted(signal)),
            (Some(death), None) => self.end_by(image, death),
            (None, _) if stage == Stage::Absent => self.stranger = Some(image),
            (None, _) => {}
        }
    }

    /// An image that left before it was one is nobody to wait for: unless all are like it, the others
    /// would wait forever.
    fn look_for_stranger(&mut self) {
        let Some(stranger) = self.stranger else { return };
        let images = 0..self.children.len();
        if images.into_iter().any(|image| self.region.control(image).stage() != Stage::Absent) {
            self.end_by(stranger, Death::NeverCame);
        }
    }

    fn end_by(&mut self, image: usize, death: Death) {
        self.end(Verdict::Died { image, process: self.children[image].id(), death });
    }

    /// Ends the job. The first reason counts: the images that die of this are no news.
    fn end(&mut self, verdict: Verdict) {
        self.verdict.get_or_insert(verdict);
        self.children.send(Signal::KILL);
    }

    /// Reads once what a source has written, and returns how much that was.
    fn read(&mut self, source: Source) -> usize {
        let Some(pipe) = self.children[source.image].pipe(source.stream) else { return 0 };
        match rustix::io::read(pipe, &mut self.buffer) {
            Ok(length) if length > 0 => {
                self.lines.feed(source, &self.buffer[..length], Instant::now());
                length
            }
            Err(Errno::AGAIN | Errno::INTR) => 0,
            Ok(_) | Err(_) => {
                self.close(source);
                0
            }
        }
    }

    fn close(&mut self, source: Source) {
        self.children[source.image].close(source.stream);
        self.lines.finish(source);
    }

    /// Reads what the images left in their pipes, but does not wait for processes they left behind,
    /// which may hold the pipes open.
    fn read_the_rest(&mut self) {
        for stream in Stream::ALL {
            for image in 0..self.children.len() {
                let source = Source { image, stream };
                let Some(pipe) = self.children[image].pipe(stream) else { continue };
                let mut left = ioctl_fionread(pipe).unwrap_or(0) as usize;
                while left > 0 {
                    match self.read(source) {
                        0 => break,
                        length => left = left.saturating_sub(length),
                    }
                }
                self.close(source);
            }
        }
        self.over = true;
    }

    fn write(&mut self) {
        for stream in Stream::ALL {
            let ready = self.lines.ready(stream);
            if let Err(error) = outlet::write_what_fits(stream, ready) {
                ready.clear();
                self.end(match error.kind() {
                    io::ErrorKind::BrokenPipe => Verdict::Unread,
                    _ => Verdict::Unwritable(error),
                });
            }
        }
    }

    /// Reports how the job ended.
    fn conclude(mut self) -> ExitCode {
        let told = self.region.job().failure.get().map(Verdict::Failed);
        let Some(verdict) = told.or(self.verdict.take()) else { return ExitCode::SUCCESS };
        if let Some(report) = verdict.report() {
            let new_line = if self.lines.is_line_open(Stream::Error) { "\n" } else { "" };
            tell(&format!("{new_line}{report}"));
        }
        ExitCode::from(verdict.exit_code())
    }
}
