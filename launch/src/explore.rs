//! Running a program in many schedules, each of which can be repeated.

mod one_core;
mod tell;

use std::env;
use std::fmt::Debug;
use std::sync::Arc;

use self::one_core::OnOneCore;
use crate::threads::{self, Stragglers};
use coarray_runtime::{
    Anchored, Check, Exploration, FabricKind, Generator, History, Profile, ProfileFiles,
    SchedulePlan, Scheduler, Settings, Strategy, Wait, shrink,
};

/// The variable with a schedule to be repeated.
const REPLAY: &str = "COARRAY_SCHEDULE";

/// About how many steps the first run may have.
const FIRST_STEPS: u64 = 100;

/// How often a failing schedule is run at most to find a shorter one.
const MOST_RUNS: u32 = 1000;

/// How schedules of a program are explored, on images that are threads of this process.
///
/// One image runs at a time. Others may go on at its synchronisations: barriers, posts and waits of events, locks, fences, atomic operations.
/// Puts may arrive as late as the [memory model](https://docs.rs/coarray/latest/coarray/memory_model/) permits. Time is virtual: nobody
/// sleeps, and waits with a time limit end as soon as nobody can do anything else.
///
/// The same seed gives the same schedules in every build, if the program does the same in the same schedule. What is not controlled: threads that it
/// starts, locks and channels of the standard library between images (an image that holds one across a synchronisation blocks all), the real time,
/// files, and random numbers without a seed.
///
/// # Examples
/// A sum that loses what another image adds in between:
/// ```should_panic
/// use coarray::prelude::*;
/// use coarray::testing::Explore;
///
/// Explore::new(2).schedules(100).run(|| {
///     let sum = Coarray::new(Coatomic::new(0));
///     let before = sum.at(0).load();
///     sum.at(0).store(before + 1);
///     sync_all();
///     assert_eq!(sum.at(0).load(), 2);
/// });
/// ```
///
/// # Source
/// M. Musuvathi and others, *Finding and reproducing Heisenbugs in concurrent programs* (CHESS), OSDI 2008; S. Burckhardt and others, *A randomized
/// scheduler with probabilistic guarantees of finding bugs* (PCT), ASPLOS 2010.
#[derive(Clone, Debug)]
pub struct Explore {
    images: usize,
    schedules: u32,
    strategy: Strategy,
    delays_puts: bool,
    same_result: bool,
    racy_too: bool,
    every_access: bool,
    seed: u64,
}

impl Explore {
    /// Local. Schedules of so many images: 100 of them, by [PCT](Self::pct) of depth 3, with puts that arrive late.
    ///
    /// # Examples
    /// See [`Explore`].
    #[must_use]
    pub fn new(images: usize) -> Self {
        Self {
            images,
            schedules: 100,
            strategy: Strategy::Pct(3),
            delays_puts: true,
            same_result: false,
            racy_too: false,
            every_access: false,
            seed: 0,
        }
    }

    /// Local. How many schedules.
    ///
    /// # Examples
    /// See [`Explore`].
    #[must_use]
    pub fn schedules(mut self, schedules: u32) -> Self {
        self.schedules = schedules;
        self
    }

    /// Local. Images have random priorities, which change at `depth - 1` random steps: finds what takes so many steps in a certain order. This
    /// is the default, with 3.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(3).pct(2).run(|| assert_eq!(co_sum_of(1), 3));
    /// ```
    #[must_use]
    pub fn pct(mut self, depth: u32) -> Self {
        self.strategy = Strategy::Pct(depth);
        self
    }

    /// Local. At each step any image that can goes on.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(3).random().run(|| assert_eq!(co_sum_of(1), 3));
    /// ```
    #[must_use]
    pub fn random(mut self) -> Self {
        self.strategy = Strategy::Random;
        self
    }

    /// Local. At each step the next image that can goes on: a single schedule, which others differ from by late puts only.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(3).round_robin().schedules(1).run(|| assert_eq!(co_sum_of(1), 3));
    /// ```
    #[must_use]
    pub fn round_robin(mut self) -> Self {
        self.strategy = Strategy::RoundRobin;
        self
    }

    /// Local. Whether puts arrive late, and overtake each other, as a network may have it: the default.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(2).delay_puts(false).run(|| assert_eq!(co_sum_of(1), 2));
    /// ```
    #[must_use]
    pub fn delay_puts(mut self, delays: bool) -> Self {
        self.delays_puts = delays;
        self
    }

    /// Local. Whatever the schedule, the results must be equal.
    ///
    /// # Examples
    /// The order in which images arrive is not always the same:
    /// ```should_panic
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(3).same_result().run(|| {
    ///     let arrived = Coarray::new(Coatomic::new(0));
    ///     arrived.at(0).fetch_add(1)
    /// });
    /// ```
    #[must_use]
    pub fn same_result(mut self) -> Self {
        self.same_result = true;
        self
    }

    /// Local. Races do not make a schedule fail.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(2).racy_too().run(|| {
    ///     let mut last = Coarray::new(0);
    ///     last.open().at(0).put(this_image());
    ///     assert!(*last < 2);
    /// });
    /// ```
    #[must_use]
    pub fn racy_too(mut self) -> Self {
        self.racy_too = true;
        self
    }

    /// Local. The schedules of another seed than 0.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(2).seed(7).run(|| assert_eq!(co_sum_of(1), 2));
    /// ```
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Local. Images may switch at every put and get, too.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(2).every_access().run(|| assert_eq!(co_sum_of(1), 2));
    /// ```
    #[must_use]
    pub fn every_access(mut self) -> Self {
        self.every_access = true;
        self
    }

    /// Local. Runs `body` on all images in each schedule. With `COARRAY_SCHEDULE` in the environment, only that one is run, if it has as many images.
    ///
    /// # Panics
    /// If an image panics or the job fails in another way, or results [differ](Self::same_result): with the fewest
    /// deviations from the plain schedule, in which each image goes on until it is blocked, that do so, and with the schedule to set
    /// `COARRAY_SCHEDULE` to.
    ///
    /// If a failing schedule does something else when it is run again.
    ///
    /// # Examples
    /// See [`Explore`].
    #[track_caller]
    pub fn run<R: Debug + PartialEq + Send>(self, body: impl Fn() -> R + Sync) {
        let asked = env::var(REPLAY).ok();
        let explorer = Explorer::new(&self, &body);
        let failed = match asked {
            Some(text) => match text.parse::<SchedulePlan>() {
                Ok(plan) if plan.images != self.images => return,
                Ok(plan) => explorer.replay(&plan),
                Err(error) => panic!("{REPLAY}={text}: {error}"),
            },
            None => explorer.explore(),
        };
        if let Some(text) = failed {
            panic!("{text}");
        }
    }
}

/// Local. Runs `body` on so many images in so many schedules, as [`Explore`] does if nothing else is asked of it.
///
/// # Panics
/// As [`Explore::run`].
///
/// # Examples
/// A queue of one place, with credits, has no schedule that loses a value:
/// ```
/// use coarray::prelude::*;
/// use coarray::testing::explore;
///
/// explore(2, 50, || {
///     let (full, empty) = (Coarray::new(Coevent::new()), Coarray::new(Coevent::new()));
///     let mut place = Coarray::new(0);
///     let place = place.open();
///     for value in 1..4 {
///         if this_image() == 0 {
///             place.at(1).put(value);
///             full.at(1).post();
///             empty.wait();
///         } else {
///             full.wait();
///             assert_eq!(place.here().get(), value);
///             empty.at(0).post();
///         }
///     }
/// });
/// ```
///
/// # Source
/// As [`Explore`].
#[track_caller]
pub fn explore<R: Debug + PartialEq + Send>(
    images: usize,
    schedules: u32,
    body: impl Fn() -> R + Sync,
) {
    Explore::new(images).schedules(schedules).run(body);
}

/// Explores schedules of one program.
struct Explorer<'a, R, F> {
    explore: &'a Explore,
    settings: Settings,
    body: &'a F,
    /// The results of the first schedule.
    expected: Option<Vec<R>>,
    _on_one_core: OnOneCore,
}

/// What came of a run.
struct Outcome<R> {
    plan: SchedulePlan,
    anchored: Vec<Anchored>,
    steps: u64,
    history: History,
    result: Result<Vec<R>, String>,
}

impl<'a, R: Debug + PartialEq + Send, F: Fn() -> R + Sync> Explorer<'a, R, F> {
    #[track_caller]
    fn new(explore: &'a Explore, body: &'a F) -> Self {
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

    fn run(&self, scheduler: Scheduler) -> Outcome<R> {
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

    fn replay(mut self, plan: &SchedulePlan) -> Option<String> {
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

    fn explore(mut self) -> Option<String> {
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
