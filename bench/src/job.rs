//! The job of images that measures, and prints the samples.

use std::rc::Rc;

use coarray::{error_stop_with, num_images, sync_all};
use coarray_runtime::Team;

use crate::baseline::Barrier;
use crate::busy;
use crate::operations::{OBSERVATIONS, OPERATIONS, Operation};
use crate::sample::{OWN, RATIO, RAW, tell};
use crate::stopwatch::{self, Action, Length, Stopwatch};
use crate::task::{Job, Task};
use crate::tune;

/// Collective. The program of every image of a job.
pub fn run() {
    let job = Job::parse(std::env::args_os().skip(2))
        .unwrap_or_else(|error| error_stop_with(2, format_args!("cobench: {error}")));
    match job.task {
        Task::Micro => {
            let barrier = barrier(&job);
            let stopwatch = stopwatch(&job, &barrier);
            micro(&job, &barrier, &stopwatch);
        }
        Task::Alone(images) => alone(&job, images),
        Task::Tune => match Team::current().is_on_one_node() {
            true => tune::measure(&stopwatch(&job, &barrier(&job))),
            false => tune::measure(&stopwatch_between_nodes(&job)),
        },
        Task::Busy => busy::job::run(job.budget),
        Task::Launch => {}
    }
}

fn barrier(job: &Job) -> Rc<Barrier> {
    Rc::new(Barrier::new(job.crowded))
}

fn stopwatch(job: &Job, barrier: &Rc<Barrier>) -> Stopwatch {
    let barrier = Rc::clone(barrier);
    Stopwatch::new(
        move || barrier.wait(),
        Length::Whole,
        stopwatch::batch(job.crowded),
        job.budget,
    )
}

fn wanted(job: &Job) -> impl Iterator<Item = &'static Operation> {
    OPERATIONS
        .iter()
        .filter(|operation| job.wants(operation.name))
}

/// Batches begin with `sync_all`, as those in C do with the barrier of their library: a fabric may need the help of
/// images that wait.
fn stopwatch_between_nodes(job: &Job) -> Stopwatch {
    Stopwatch::new(
        sync_all,
        Length::Longest,
        stopwatch::batch(job.crowded),
        job.budget,
    )
}

fn alone(job: &Job, images: usize) {
    if num_images() != images {
        error_stop_with(
            1,
            format_args!(
                "cobench: there should be {images} images, and there are {}; \
                 does the launcher belong to the library that this program was built with?",
                num_images()
            ),
        );
    }
    let stopwatch = stopwatch_between_nodes(job);
    let barrier = barrier(job);
    for operation in wanted(job) {
        for &bytes in operation.sizes {
            let trial = (operation.prepare)(bytes, &barrier);
            let times = stopwatch.compare(&mut [trial.own]);
            tell(operation.name, bytes, OWN, times.concat());
        }
    }
}

fn micro(job: &Job, barrier: &Rc<Barrier>, stopwatch: &Stopwatch) {
    for operation in wanted(job) {
        for &bytes in operation.sizes {
            let trial = (operation.prepare)(bytes, barrier);
            let (needs, parts): (Vec<f64>, Vec<Action>) = trial
                .bound
                .into_iter()
                .map(|part| (part.times, part.action))
                .unzip();
            let mut actions = vec![trial.own];
            // By itself, as the programs of peers measure theirs: what takes turns with it fills the same caches.
            let own = stopwatch.compare(&mut actions).concat();
            actions.extend(parts);
            let times = stopwatch.compare(&mut actions);
            let bound = |turn: usize| -> f64 {
                let parts = times[1..].iter().zip(&needs);
                parts.map(|(times, need)| need * times[turn]).sum()
            };
            let raw: Vec<f64> = (0..times[0].len()).map(bound).collect();
            let ratio = times[0]
                .iter()
                .zip(&raw)
                .map(|(own, raw)| own / raw)
                .collect();
            for (what, times) in [(OWN, own), (RAW, raw), (RATIO, ratio)] {
                tell(operation.name, bytes, what, times);
            }
        }
    }
    for observation in OBSERVATIONS {
        if job.wants(observation.name) {
            let seen = (observation.observe)();
            let ratio = seen.iter().map(|[own, raw]| own / raw).collect();
            let [own, raw] = [0, 1].map(|side: usize| seen.iter().map(|both| both[side]).collect());
            for (what, times) in [(OWN, own), (RAW, raw), (RATIO, ratio)] {
                tell(observation.name, 0, what, times);
            }
        }
    }
}
