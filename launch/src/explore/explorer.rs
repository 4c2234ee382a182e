//! Runs of one program, until one fails; and the shortest schedule that fails in the same way.

use std::fmt::Debug;
use std::sync::Arc;

use super::Explore;
use super::one_core::OnOneCore;
use super::tell;
use crate::threads::{self, Stragglers};
use coarray_runtime::{
    Anchored, Check, Exploration, FabricKind, Generator, History, Profile, ProfileFiles,
    SchedulePlan, Scheduler, Settings, Wait, shrink,
};

/// About how many steps the first run may have.
const FIRST_STEPS: u64 = 100;

/// How often a failing schedule is run at most to find a shorter one.
const MOST_RUNS: u32 = 1000;

/// Explores schedules of one program.
pub(super) struct Explorer<'a, R, F> {
    explore: &'a Explore,
    settings: Settings,
    body: &'a F,
    /// The results of the first schedule.
    expected: Option<Vec<R>>,
    _on_one_core: OnOneCore,
}

/// What came of a run.
pub(super) struct Outcome<R> {
    pub(super) plan: SchedulePlan,
    anchored: Vec<Anchored>,
    steps: u64,
    pub(super) history: History,
    result: Result<Vec<R>, String>,
}

impl<'a, R: Debug + PartialEq + Send, F: Fn() -> R + Sync> Explorer<'a, R, F> {
    #[track_caller]
    pub(super) fn new(explore: &'a Explore, body: &'a F) -> Self {
        let settings = match Settings::with_images(explore.images) {
            Ok(settings) => settings,
            Err(error) => panic!("{error}"),
        };
        Self {
            explore,
            settings: Settings {
                fabric: FabricKind::Threads,
                keep_going: false,
                // Nobody spins for what cannot happen meanwhile.
                wait: Wait::Sleep,
                profile: Profile::Off,
                profile_files: ProfileFiles::default(),
                trace: None,
                // It is what notes synchronisations, at which images switch.
                check: Some(Check {
                    permits: explore.racy_too,
                    ..Check::default()
                }),
                simulated_nodes: 0,
                ..settings
            },
            body,
            expected: None,
            _on_one_core: OnOneCore::begin(),
        }
    }

    pub(super) fn run(&self, scheduler: Scheduler) -> Outcome<R> {
        let scheduler = Arc::new(scheduler);
        let settings = Settings {
            scheduler: Some(Arc::clone(&scheduler)),
            ..self.settings.clone()
        };
        let body = self.body;
        let result = match threads::run(&settings, || Ok(body()), Stragglers::Join) {
            Ok(Ok(results)) => Ok(results),
            Ok(Err(lost)) => Err(lost.failure.to_string()),
            Err(error) => Err(format!("coarray: the job was not started: {error}")),
        };
        Outcome {
            plan: scheduler.plan(),
            anchored: scheduler.anchored(),
            steps: scheduler.steps(),
            history: scheduler.take_history(),
            result,
        }
    }

    fn run_plan(&self, plan: &SchedulePlan) -> Outcome<R> {
        self.run(Scheduler::replay(plan, self.explore.every_access))
    }

    /// Why a run has failed, if it has.
    fn trouble(&self, outcome: &Outcome<R>) -> Option<String> {
        match (&outcome.result, &self.expected) {
            (Err(text), _) => Some(text.clone()),
            (Ok(results), Some(expected)) if results != expected => Some(format!(
                "the results differ from those of the plain schedule:\n{}",
                tell::differences(expected, results)
            )),
            _ => None,
        }
    }

    fn plain(&self) -> SchedulePlan {
        SchedulePlan {
            images: self.explore.images,
            deviations: Vec::new(),
        }
    }

    /// Runs the plain schedule first, if results are to be the same; returns what failed.
    fn begin(&mut self) -> Option<String> {
        let plain = self.plain();
        let outcome = self.run_plan(&plain);
        match self.trouble(&outcome) {
            Some(trouble) => Some(tell::failure(
                &outcome,
                &trouble,
                "the plain schedule fails",
            )),
            None => {
                self.expected = outcome.result.ok();
                None
            }
        }
    }

    pub(super) fn replay(mut self, plan: &SchedulePlan) -> Option<String> {
        if self.explore.same_result
            && let Some(failed) = self.begin()
        {
            return Some(failed);
        }
        let outcome = self.run_plan(plan);
        let trouble = self.trouble(&outcome)?;
        let outcome = Outcome {
            plan: plan.clone(),
            ..outcome
        };
        Some(tell::failure(&outcome, &trouble, "this schedule fails"))
    }

    pub(super) fn explore(mut self) -> Option<String> {
        let mut steps = FIRST_STEPS;
        let mut seeds = Generator::new(self.explore.seed);
        for number in 1..=self.explore.schedules {
            let outcome = match number {
                1 => self.run_plan(&self.plain()),
                _ => self.run(Scheduler::new(
                    self.explore.images,
                    &Exploration {
                        strategy: self.explore.strategy,
                        seed: seeds.draw(),
                        steps,
                        delays_puts: self.explore.delays_puts,
                        every_access: self.explore.every_access,
                    },
                )),
            };
            steps = outcome.steps;
            if let Some(trouble) = self.trouble(&outcome) {
                return Some(self.tell(number, outcome, &trouble));
            }
            if self.explore.same_result && self.expected.is_none() {
                self.expected = outcome.result.ok();
            }
        }
        None
    }

    /// Finds the shortest schedule that fails as this one does, and tells of it.
    fn tell(&self, number: u32, outcome: Outcome<R>, trouble: &str) -> String {
        let of = self.explore.schedules;
        let again = self.run_plan(&outcome.plan);
        let kind = tell::kind(trouble);
        if let Some(text) = tell::not_repeatable(&outcome.history, &again.history) {
            return format!("schedule {number} of {of} fails, {text}\n{trouble}");
        }
        let run = |deviations: &[Anchored]| {
            let (images, every_access) = (self.explore.images, self.explore.every_access);
            self.run(Scheduler::follow(images, deviations, every_access))
        };
        let is_alike = |outcome: &Outcome<R>| {
            let trouble = self.trouble(outcome);
            trouble.is_some_and(|text| tell::kind(&text) == kind)
        };
        let fails = |deviations: &[Anchored]| is_alike(&run(deviations));
        let mut left = shrink(outcome.anchored.clone(), MOST_RUNS, fails);
        for index in 0..left.len() {
            // To be late without an end is simpler.
            let before = left[index];
            if let Anchored::Delay { until, .. } = &mut left[index] {
                *until = None;
                if !fails(&left) {
                    left[index] = before;
                }
            }
        }
        // By steps, as it is repeated.
        let last = match run(&left).plan {
            plan if is_alike(&self.run_plan(&plan)) => self.run_plan(&plan),
            _ => again,
        };
        let trouble = self.trouble(&last).unwrap_or_else(|| trouble.into());
        let heading = tell::heading(number, of, &last.plan, &outcome.history);
        tell::failure(&last, &trouble, &heading)
    }
}
