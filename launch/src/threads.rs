//! Jobs whose images are threads of this process.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit};

use crate::checked;
use crate::lost_images::LostImages;
use crate::profile;
use crate::startup::{Jobs, StartError, create_jobs};
use crate::trace::{TraceFile, Traced, tell};
use coarray_collectives::TUNING;
use coarray_runtime::{Ending, Failure, Job, Panic, Settings, cores, declare_failed, run_image};

/// What to do about images that compute on after the job has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stragglers {
    /// Join them: they borrow from the caller.
    Join,
    /// Call this with the failure after so much time; it ends the process.
    Abandon(Duration, fn(&Failure) -> !),
}

/// Why a job failed.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) failure: Failure,
    /// Whether it was reported already, as for images that were lost one by one.
    pub(crate) is_told: bool,
}

/// The stack size of images: that of a process's first thread (`ulimit -s`), so that values that fit on the stack of a process also fit here. 8 MiB
/// if there is no limit.
fn stack_size() -> usize {
    let limit = getrlimit(Resource::Stack).current.unwrap_or(8 << 20);
    usize::try_from(limit).unwrap_or(usize::MAX).min(1 << 30)
}

/// Runs `body` on each image; returns what it returned, in the order of the images that finished, or
/// the first failure if that ended the job or no image finished.
pub(crate) fn run<R: Send>(
    settings: &Settings,
    body: impl Fn() -> Result<R, Panic> + Sync,
    stragglers: Stragglers,
) -> Result<Result<Vec<R>, Lost>, StartError> {
    let results: Vec<Mutex<Option<R>>> = (0..settings.images).map(|_| Mutex::new(None)).collect();
    let locked = |index: usize| {
        results[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let run_one = |jobs: &Jobs, index: usize| {
        // SAFETY: `run_all` gives each number once, and the fabric is made for these jobs.
        let ending =
            unsafe { run_image(jobs.of(index), index, jobs.fabric(index), &TUNING, &body) };
        match ending {
            Ending::Finished(result) => {
                *locked(index) = Some(result);
                Ending::Finished(())
            }
            Ending::Ended => Ending::Ended,
            Ending::Failed(failure) => Ending::Failed(failure),
        }
    };
    let ended = run_all(settings, &run_one, stragglers)?;
    Ok(ended.map(|()| {
        (0..results.len())
            .filter_map(|index| locked(index).take())
            .collect()
    }))
}

/// Calls `run_one` in a thread for each image of the jobs; compiled once, for all programs.
fn run_all(
    settings: &Settings,
    run_one: &(dyn Fn(&Jobs, usize) -> Ending<()> + Sync),
    stragglers: Stragglers,
) -> Result<Result<(), Lost>, StartError> {
    let settings = &mut settings.clone();
    let mut trace = TraceFile::begin(settings);
    let settings = &*settings;
    let jobs = create_jobs(settings)?;
    // This thread belongs to the job: it only waits for the images.
    jobs.of(0).threads.enter();
    coarray_runtime::watch_exits();
    let (done, finished) = mpsc::channel();
    let mut lost = LostImages::new(settings.images);
    thread::scope(|scope| {
        let mut images = Vec::new();
        for index in 0..settings.images {
            let (jobs, done) = (&jobs, done.clone());
            let image = thread::Builder::new()
                .name(format!("image {index}"))
                .stack_size(stack_size())
                .spawn_scoped(scope, move || {
                    let ending = run_one(jobs, index);
                    // An error means that nothing waits any more.
                    let _ = done.send(index);
                    ending
                });
            match image {
                Ok(image) => images.push(Some(image)),
                Err(error) => {
                    images.push(None);
                    if let Some(scheduler) = &settings.scheduler {
                        // The others wait until all have come.
                        let _ = scheduler.finish(index);
                    }
                    jobs.of(index).fail(&Failure {
                        image: index,
                        code: 1,
                        text: format!("could not be started as a thread: {error}"),
                    });
                }
            }
        }
        drop(done);
        let at_end = || tell_of_run(&jobs, settings, trace.as_mut());
        each_that_ends(&jobs, &finished, stragglers, at_end, |index| {
            // Only a joined thread has dropped its thread-local variables, which may be coarrays.
            let ending = images[index].take().map(ScopedJoinHandle::join);
            if let Some(Ok(Ending::Failed(failure))) = ending {
                // An explored run is one of many.
                let is_told = settings.scheduler.is_none();
                lose(jobs.of(index), failure, &mut lost, is_told);
            }
        });
    });
    tell_of_run(&jobs, settings, trace.as_mut());
    let races = jobs.of(0).races();
    let mut recorded = jobs.failure();
    if let (Some(races), Some(failure)) = (&races, &mut recorded) {
        match settings.scheduler {
            // It is one of many runs.
            Some(_) => failure.text += &format!("\n{races}"),
            // Why the job failed comes last.
            None => coarray_runtime::report(races),
        }
    }
    let status = recorded.or_else(|| lost.status());
    let is_told = jobs.failure().is_none() && status.is_some() && lost.are_told();
    Ok(match status.or(races) {
        Some(failure) => Err(Lost { failure, is_told }),
        None => Ok(()),
    })
}

/// Prints the profile of the job and what its check says, and writes its timeline, if there is to be one.
fn tell_of_run(jobs: &Jobs, settings: &Settings, trace: Option<&mut TraceFile>) {
    let images = 0..settings.images;
    let memory = |image| &jobs.of(image).region;
    if let Some(text) = profile::report_of(settings, Some(cores()), || {
        images
            .clone()
            .map(|image| (image, memory(image).profile(image)))
    }) {
        eprint!("{text}");
    }
    if let Some(text) = checked::report_of(settings, jobs.of(0)) {
        eprint!("{text}");
    }
    if let Some(trace) = trace {
        let process = Some(std::process::id());
        let images = images.map(|image| (image, memory(image), process));
        tell(&trace.write(&Traced::here(images)));
    }
}

/// Declares an image failed that accesses nothing any more, so that the others go on.
fn lose(job: &Arc<Job>, failure: Failure, lost: &mut LostImages, is_told: bool) {
    declare_failed(job, failure.image);
    let note = lost.add(failure);
    if let Some(note) = note.filter(|_| is_told) {
        eprint!("{note}");
    }
}

/// Calls `ended` for each image that ends, until all have ended; or `at_end` when those are abandoned that have not.
fn each_that_ends(
    jobs: &Jobs,
    finished: &mpsc::Receiver<usize>,
    stragglers: Stragglers,
    at_end: impl FnOnce(),
    mut ended: impl FnMut(usize),
) {
    const LOOK: Duration = Duration::from_millis(50);
    let mut deadline = None;
    loop {
        match finished.recv_timeout(LOOK) {
            Ok(index) => ended(index),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Stragglers::Abandon(grace, abandon) = stragglers
            && let Some(failure) = jobs.failure()
        {
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + grace);
            if Instant::now() >= deadline {
                at_end();
                abandon(&failure);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::embedded::Launch;
    use coarray_runtime::{ImageStatus, error_stop, fail_image, image_status, this_image};

    fn wait_for_loss_of(image: usize) {
        while image_status(image) != ImageStatus::Failed {
            thread::yield_now();
        }
    }

    #[test]
    fn if_every_image_fails_the_first_failure_counts() {
        let failure = Launch::new(2)
            .keep_going(true)
            .run(|| {
                if this_image() == 1 {
                    fail_image();
                }
                wait_for_loss_of(1);
                panic!("the moon is missing");
            })
            .unwrap_err();
        assert_eq!((failure.image, failure.code), (1, 1));
        assert!(
            failure.text.starts_with("called fail_image() at ") && failure.text.contains(file!()),
            "{failure}"
        );
    }

    #[test]
    fn an_image_is_declared_failed_when_it_is_unwound() {
        struct Guard<'a>(&'a AtomicBool);

        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }

        let unwound = AtomicBool::new(false);
        let failure = Launch::new(2)
            .keep_going(true)
            .run(|| {
                if this_image() == 0 {
                    let _guard = Guard(&unwound);
                    panic!("the moon is missing");
                }
                wait_for_loss_of(0);
                assert!(unwound.load(Ordering::Relaxed));
                error_stop(7)
            })
            .unwrap_err();
        assert_eq!((failure.image, failure.code), (1, 7), "{failure}");
    }

    #[test]
    fn an_image_is_declared_failed_when_its_thread_has_dropped_everything() {
        static DROPPED: AtomicBool = AtomicBool::new(false);

        struct Kept;

        impl Drop for Kept {
            fn drop(&mut self) {
                (0..1000).for_each(|_| thread::yield_now());
                DROPPED.store(true, Ordering::Relaxed);
            }
        }

        thread_local! {
            static KEPT: Kept = const { Kept };
        }
        let survivors = Launch::new(2).keep_going(true).run(|| {
            if this_image() == 1 {
                KEPT.with(|_| fail_image());
            }
            wait_for_loss_of(1);
            DROPPED.load(Ordering::Relaxed)
        });
        assert_eq!(survivors, Ok(vec![true]));
    }

    #[test]
    fn fail_image_ends_a_job_that_does_not_keep_going() {
        let failure = Launch::new(2).run(|| fail_image()).unwrap_err();
        assert_eq!(failure.code, 1);
        assert!(
            failure.text.starts_with("called fail_image() at "),
            "{failure}"
        );
    }

    #[test]
    #[should_panic(expected = "this thread is not an image")]
    fn a_thread_that_is_no_image_cannot_fail_as_one() {
        fail_image()
    }
}
