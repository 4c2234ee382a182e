//! Running the program as one image, from its start to its end.

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe, Location};
use std::rc::Rc;
use std::sync::Arc;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::call::Call;
use crate::call::operation::Operation;
use crate::call::tuning::Tuning;
use crate::collective::end_of_program::finish_program;
use crate::collective::tuning::publish_table;
use crate::image::Image;
use crate::image::scheduled::{Scheduled, Turns};
use crate::image::team::Team;
use crate::job::Job;
use crate::job::backtrace::__rust_begin_short_backtrace;
use crate::job::control::{Failure, Stage};
use crate::job::settings::Bind;
use crate::job::unwinding::{self, Fall, Panic};
use crate::lifecycle::dispatch::handle_message;
use crate::lifecycle::fork;
use coarray_fabric::transport::fabric::Fabric;
use coarray_fabric::transport::shared_memory::SharedMemory;

/// How an image ended.
#[derive(Debug)]
pub enum Ending<R> {
    /// At the end of the program, with this result.
    Finished(R),
    /// With the job, whose failure is recorded.
    Ended,
    /// Alone: the other images go on.
    Failed(Failure),
}

/// Runs the program as one image to its end, which all images reach together.
///
/// In a fault-tolerant job the caller declares an image that [failed](Ending::Failed).
///
/// `fabric` connects images on other nodes, if there are any.
///
/// # Safety
/// No other thread of any process is or was this image of the job. The fabric reaches the parts of the images of this
/// job.
pub unsafe fn run_image<R>(
    job: &Arc<Job>,
    index: usize,
    fabric: Option<Rc<dyn Fabric>>,
    tuning: &'static Tuning,
    body: impl Fn() -> Result<R, Panic>,
) -> Ending<R> {
    let (process, result) = (std::process::id(), Cell::new(None));
    let to_end = || {
        let outcome = __rust_begin_short_backtrace(&body);
        fork::end_copy(process, 0);
        let outcome = outcome?;
        finish_program(
            &Team::current(),
            &Call::plain(Operation::End, Location::caller()),
        );
        result.set(Some(outcome));
        Ok(())
    };
    // SAFETY: as the caller vouches.
    let ending = unsafe { run_to_end(job, index, fabric, tuning, process, &to_end) };
    match ending {
        Ending::Finished(()) => result.take().map_or(Ending::Ended, Ending::Finished),
        Ending::Ended => Ending::Ended,
        Ending::Failed(failure) => Ending::Failed(failure),
    }
}

/// As [`run_image`], of a program that finishes by itself, in the process with this number: compiled once, for all programs.
///
/// # Safety
/// As [`run_image`].
unsafe fn run_to_end(
    job: &Arc<Job>,
    index: usize,
    fabric: Option<Rc<dyn Fabric>>,
    tuning: &'static Tuning,
    process: u32,
    to_end: &dyn Fn() -> Result<(), Panic>,
) -> Ending<()> {
    let fail = |text: String, code| {
        job.fail(&Failure {
            image: index,
            code,
            text,
        })
    };
    // First, so that it is dropped last.
    let mut turns = Scheduled::new(job, index).map(Turns::begin);
    if job.bind == Bind::Core
        && let Err(error) = bind_to_core(index)
    {
        fail(format!("could not be bound to a core: {error}"), 1);
        return Ending::Ended;
    }
    let fabric = fabric.unwrap_or_else(|| Rc::new(SharedMemory::new(job.clone())));
    let image = match Image::new(Arc::clone(job), index, fabric, handle_message, tuning) {
        Ok(image) => Rc::new(image),
        Err(error) => {
            fail(
                format!(
                    "could not get its memory: {error}; set COARRAY_HEAP lower or use fewer images"
                ),
                1,
            );
            return Ending::Ended;
        }
    };
    let presence = Rc::clone(&image).enter();
    if let Some(recording) = image.recording() {
        recording.begin();
    }
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        if index == 0 {
            publish_table(&image);
        }
        to_end()
    }));
    let falls = matches!(&outcome, Err(payload) if payload.is::<Fall>());
    let panic = match outcome {
        Ok(Ok(())) => {
            image.control(index).set_stage(Stage::Finished);
            drop(presence);
            return Ending::Finished(());
        }
        Ok(Err(panic)) => panic,
        Err(payload) => match unwinding::of_panic(&*payload) {
            Some(panic) => panic,
            None => return Ending::Ended,
        },
    };
    let failure = Failure {
        image: index,
        code: panic.code,
        text: panic.text.clone(),
    };
    if std::process::id() != process {
        eprintln!(
            "coarray: a process that image {index} forked {}",
            failure.text
        );
        fork::end_copy(process, failure.code.into());
    }
    // It has come to its end, whatever destructors did meanwhile.
    image.control(index).note_panic(None);
    // In an explored job a panic is what is looked for.
    let may_fail = falls || job.scheduler.is_none();
    if may_fail && job.region.job().keeps_going() && !job.has_ended() {
        panic.tell_backtrace(index);
        image.control(index).last_words.set(&failure.text);
        if let Some(turns) = &mut turns {
            turns.keep();
        }
        return Ending::Failed(failure);
    }
    image.fail_after(&failure, || {
        // A controlled run is one of many.
        if job.scheduler.is_none() {
            panic.tell_backtrace(index);
        }
    });
    Ending::Ended
}

/// Binds the calling thread to one of the cores that it may use: number `image`, round robin.
///
/// Threads inherit the cores of the thread that creates them, so an unbound thread must create an image that is a
/// thread.
fn bind_to_core(image: usize) -> io::Result<()> {
    let usable = sched_getaffinity(None)?;
    let cores: Vec<usize> = (0..CpuSet::MAX_CPU)
        .filter(|&core| usable.is_set(core))
        .collect();
    let mut chosen = CpuSet::new();
    chosen.set(cores[image % cores.len()]);
    Ok(sched_setaffinity(None, &chosen)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_bound_round_robin() {
        let usable = sched_getaffinity(None).unwrap();
        let count = usable.count() as usize;
        let bound = |image: usize| {
            let cores = std::thread::spawn(move || {
                bind_to_core(image).unwrap();
                sched_getaffinity(None).unwrap()
            });
            cores.join().unwrap()
        };
        let first = bound(0);
        assert_eq!(first.count(), 1);
        assert_eq!(first, bound(count));
        assert_eq!(first == bound(1), count == 1);
    }
}
