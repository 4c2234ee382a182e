//! Runs of one program, until one fails; and the shortest schedule that fails in the same way.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Debug;
use std::mem::take;
use std::sync::Arc;

use super::one_core::OnOneCore;
use super::tell;
use crate::checked;
use crate::threads::{self, Stragglers};
use coarray_runtime::{
    Accesses, Anchored, Check, Exploration, FabricKind, Generator, History, Line, Profile,
    ProfileFiles, SchedulePlan, Scheduler, Settings, Strategy, Wait, shorten, shrink,
};

/// How often a failing schedule is run at most to find a shorter one.
const MOST_RUNS: u32 = 1000;

/// One schedule of so many is by [`WALK`] where the others are by PCT: what takes many switches at the right moments is found sooner by either than by one alone.
const ONE_OF: u32 = 4;

/// At one chance of so many another image goes on.
const WALK: Strategy = Strategy::Walk(8);

/// What is explored, and how.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) images: usize,
    pub(super) schedules: u32,
    pub(super) strategy: Strategy,
    pub(super) delays_puts: bool,
    pub(super) same_result: bool,
    pub(super) racy_too: bool,
    pub(super) every_access: bool,
    pub(super) keeps_going: bool,
    pub(super) seed: u64,
}

impl Options {
    pub(super) fn new(images: usize) -> Self {
        Self {
            images,
            schedules: 100,
            strategy: Strategy::Pct(3),
            delays_puts: true,
            same_result: false,
            racy_too: false,
            every_access: false,
            keeps_going: false,
            seed: 0,
        }
    }
}

/// Explores schedules of one program.
pub(super) struct Explorer<'a, R, F> {
    options: &'a Options,
    settings: Settings,
    body: &'a F,
    /// The results of the first schedule.
    expected: Option<Vec<R>>,
    /// The puts and gets at which images may switch.
    accesses: Accesses,
    _on_one_core: OnOneCore,
}

/// What came of a run.
pub(super) struct Outcome<R> {
    pub(super) plan: SchedulePlan,
    anchored: Vec<Anchored>,
    choices: Vec<Anchored>,
    steps: u64,
    chances: u64,
    raced: HashSet<Line>,
    pub(super) history: History,
    result: Result<Vec<R>, String>,
}

impl<R> Outcome<R> {
    fn tell(&self, trouble: &str, heading: &str) -> String {
        tell::failure(&self.plan, &self.history, trouble, heading)
    }
}

impl<'a, R: Debug + PartialEq + Send, F: Fn() -> R + Sync> Explorer<'a, R, F> {
    #[track_caller]
    pub(super) fn new(options: &'a Options, body: &'a F) -> Self {
        let settings = Settings::with_images(options.images)
            .map_err(|error| error.to_string())
            .map(|settings| Settings {
                fabric: FabricKind::Threads,
                keep_going: options.keeps_going,
                // Nobody spins for what cannot happen meanwhile.
                wait: Wait::Sleep,
                profile: Profile::Off,
                profile_files: ProfileFiles::default(),
                trace: None,
                // It is what notes synchronisations, at which images switch.
                check: Some(Check {
                    permits: options.racy_too,
                    ..Check::default()
                }),
                simulated_nodes: 0,
                ..settings
            })
            .and_then(|settings| checked::adapt(settings, false));
        Self {
            options,
            settings: match settings {
                Ok(settings) => settings,
                Err(error) => panic!("{error}"),
            },
            body,
            expected: None,
            accesses: match options.every_access {
                true => Accesses::All,
                false => Accesses::At(HashSet::new()),
            },
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
            choices: scheduler.take_choices(),
            steps: scheduler.steps(),
            chances: scheduler.chances(),
            raced: scheduler.take_raced(),
            history: scheduler.take_history(),
            result,
        }
    }

    fn run_plan(&self, plan: &SchedulePlan) -> Outcome<R> {
        self.run(Scheduler::replay(plan, &self.accesses))
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
            images: self.options.images,
            deviations: Vec::new(),
        }
    }

    /// Runs the plain schedule first, if results are to be the same; returns what failed.
    fn begin(&mut self) -> Option<String> {
        let plain = self.plain();
        let outcome = self.run_plan(&plain);
        match self.trouble(&outcome) {
            Some(trouble) => Some(outcome.tell(&trouble, "the plain schedule fails")),
            None => {
                self.expected = outcome.result.ok();
                None
            }
        }
    }

    pub(super) fn replay(mut self, plan: &SchedulePlan) -> Option<String> {
        if self.options.same_result
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
        Some(outcome.tell(&trouble, "this schedule fails"))
    }

    pub(super) fn explore(mut self) -> Option<String> {
        let (mut steps, mut chances) = (0, 0);
        let mut seeds = Generator::new(self.options.seed);
        for number in 1..=self.options.schedules {
            let mut outcome = match number {
                1 => self.run_plan(&self.plain()),
                _ => {
                    let strategy = match self.options.strategy {
                        Strategy::Pct(_) if number % ONE_OF == ONE_OF - 1 => WALK,
                        strategy => strategy,
                    };
                    let exploration = Exploration {
                        strategy,
                        seed: seeds.draw(),
                        steps,
                        chances,
                        delays_puts: self.options.delays_puts,
                    };
                    self.run(Scheduler::new(
                        self.options.images,
                        &exploration,
                        &self.accesses,
                    ))
                }
            };
            (steps, chances) = (outcome.steps, outcome.chances);
            self.accesses.add(take(&mut outcome.raced));
            if let Some(trouble) = self.trouble(&outcome) {
                return Some(self.tell(number, outcome, &trouble));
            }
            if self.options.same_result && self.expected.is_none() {
                self.expected = outcome.result.ok();
            }
        }
        None
    }

    /// Finds the shortest schedule that fails as this one does, and tells of it.
    fn tell(&self, number: u32, outcome: Outcome<R>, trouble: &str) -> String {
        let of = self.options.schedules;
        let again = self.run_plan(&outcome.plan);
        let kind = tell::kind(trouble);
        if let Some(text) = tell::not_repeatable(&outcome.history, &again.history) {
            return format!("schedule {number} of {of} fails, {text}\n{trouble}");
        }
        let run = |deviations: &[Anchored]| {
            let images = self.options.images;
            self.run(Scheduler::follow(images, deviations, &self.accesses))
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
        let left = shorten(left, MOST_RUNS, |deviations| {
            let outcome = run(deviations);
            (is_alike(&outcome), outcome.choices)
        });
        // By steps, as it is repeated.
        let last = match run(&left).plan {
            plan if is_alike(&self.run_plan(&plan)) => self.run_plan(&plan),
            _ => again,
        };
        let trouble = self.trouble(&last).unwrap_or_else(|| trouble.into());
        let heading = tell::heading(number, of, &last.plan, &outcome.plan);
        last.tell(&trouble, &heading)
    }
}
