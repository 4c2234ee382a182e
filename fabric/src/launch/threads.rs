//! The engine whose images are threads of this process.

use std::panic::{self, AssertUnwindSafe, Location};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::call::{Call, Operation};
use crate::control::{Failure, Stage};
use crate::failure;
use crate::image::Image;
use crate::job::Job;
use crate::launch::processes::bind_to_core;
use crate::launch::settings::{Bind, Settings};
use crate::launch::startup::{StartError, create_region};
use crate::team::Team;

/// The exit code of Rust programs that panic.
const PANIC_CODE: u8 = 101;

/// What to do about images that do not notice that the job has ended, because they only compute.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stragglers {
    /// Wait for them: they borrow from the caller.
    Join,
    /// Call this with the failure after so much time; it ends the process.
    Abandon(Duration, fn(&Failure) -> !),
}

/// Runs `body` on each image; returns what it returned, in the order of the images, or the first
/// failure.
pub(crate) fn run<R: Send>(
    settings: &Settings,
    body: impl Fn() -> R + Sync,
    stragglers: Stragglers,
) -> Result<Result<Vec<R>, Failure>, StartError> {
    let region = create_region(settings)?;
    let job = Arc::new(Job::new(region, settings));
    let (done, finished) = mpsc::channel();
    let mut results: Vec<Option<R>> = Vec::new();
    thread::scope(|scope| {
        let mut images = Vec::new();
        for index in 0..settings.images {
            let (job, body, done) = (&job, &body, done.clone());
            let image = thread::Builder::new()
                .name(format!("image {index}"))
                .spawn_scoped(scope, move || {
                    let result = run_image(job, index, body);
                    // The receiver is gone only if nobody waits any more.
                    let _ = done.send(());
                    result
                });
            match image {
                Ok(image) => images.push(image),
                Err(error) => {
                    job.fail(&Failure {
                        image: index,
                        code: 1,
                        text: format!("could not be started as a thread: {error}"),
                    });
                }
            }
        }
        if let Stragglers::Abandon(grace, abandon) = stragglers {
            wait_for_all(&job, &finished, images.len(), grace, abandon);
        }
        results = images
            .into_iter()
            .map(|image| image.join().unwrap_or(None))
            .collect();
    });
    if let Some(failure) = job.region.job().failure.get() {
        return Ok(Err(failure));
    }
    Ok(Ok(results.into_iter().flatten().collect()))
}

/// Runs the program as one image to its end, which all images reach together; `None` after a failure,
/// which is then on record.
pub(crate) fn run_image<R>(job: &Arc<Job>, index: usize, body: impl Fn() -> R) -> Option<R> {
    let fail = |text: String, code| {
        job.fail(&Failure {
            image: index,
            code,
            text,
        })
    };
    if job.bind == Bind::Core
        && let Err(error) = bind_to_core(index)
    {
        fail(format!("could not be bound to a core: {error}"), 1);
        return None;
    }
    let image = match Image::new(Arc::clone(job), index) {
        Ok(image) => Rc::new(image),
        Err(error) => {
            fail(
                format!(
                    "could not get its memory: {error}; set COARRAY_HEAP lower or use fewer images"
                ),
                1,
            );
            return None;
        }
    };
    let presence = Rc::clone(&image).enter();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        let result = body();
        Team::current().finish(&Call::plain(Operation::End, Location::caller()));
        result
    }));
    match outcome {
        Ok(result) => {
            image.control(index).set_stage(Stage::Finished);
            drop(presence);
            Some(result)
        }
        Err(payload) => {
            if let Some(panic) = failure::of_panic(&*payload)
                && fail(panic.text, PANIC_CODE)
                && let Some(backtrace) = panic.backtrace
            {
                eprintln!("backtrace of image {index}:\n{backtrace}");
            }
            None
        }
    }
}

fn wait_for_all(
    job: &Job,
    finished: &mpsc::Receiver<()>,
    images: usize,
    grace: Duration,
    abandon: fn(&Failure) -> !,
) {
    const LOOK: Duration = Duration::from_millis(50);
    let mut left = images;
    let mut deadline = None;
    while left > 0 {
        match finished.recv_timeout(LOOK) {
            Ok(()) => left -= 1,
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(failure) = job.region.job().failure.get() {
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + grace);
            if left > 0 && Instant::now() >= deadline {
                abandon(&failure);
            }
        }
    }
}
