//! Running a program in many schedules, each of which can be repeated.

mod explorer;
mod one_core;
mod tell;

use std::env;
use std::fmt::Debug;

use self::explorer::{Explorer, Options};
use self::tell::REPLAY;
use coarray_runtime::{SchedulePlan, Strategy};

/// How schedules of a program are explored, on images that are threads of this process.
///
/// One image runs at a time. Others may go on at its synchronisations: barriers, posts and waits of events, locks, fences, atomic operations. When
/// accesses raced in a schedule, and may, others may go on at the puts and gets of these lines in all that follow, too. Puts may arrive as late as the
/// [memory model](https://docs.rs/coarray/latest/coarray/memory_model/) permits, those with `_async` also after their image has waited for them. Atomic
/// operations with `_async`, each item of a list by itself, take effect some time before they are waited for or completed otherwise, and so do the puts and posts
/// of `put_notify_async`. Gets with `_async` get when they are waited for. Time is virtual: nobody sleeps, and waits with a time limit end as soon as nobody can do
/// anything else.
///
/// An image that fails makes its schedule fail, unless the job is to [keep going](Self::keep_going).
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
/// scheduler with probabilistic guarantees of finding bugs* (PCT), ASPLOS 2010; B. Blum and G. Gibson, *Stateless model checking with data-race
/// preemption points* (QuickSand), OOPSLA 2016.
#[derive(Clone, Debug)]
pub struct Explore(Options);

impl Explore {
    /// Local. Schedules of so many images: 100 of them, by [PCT](Self::pct) of depth 3, with puts that arrive late.
    ///
    /// # Examples
    /// See [`Explore`].
    #[must_use]
    pub fn new(images: usize) -> Self {
        Self(Options::new(images))
    }

    /// Local. How many schedules.
    ///
    /// # Examples
    /// See [`Explore`].
    #[must_use]
    pub fn schedules(mut self, schedules: u32) -> Self {
        self.0.schedules = schedules;
        self
    }

    /// Local. Images have random priorities, which change at `depth - 1` random steps: finds what takes so many steps in a certain order. This
    /// is the default, with 3. In every fourth schedule the image that runs goes on instead, and at one step of eight another one does.
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
        self.0.strategy = Strategy::Pct(depth);
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
        self.0.strategy = Strategy::Random;
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
        self.0.strategy = Strategy::RoundRobin;
        self
    }

    /// Local. Whether puts and asynchronous atomic operations are late, and overtake each other, as a network may have it: the default.
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
        self.0.delays_puts = delays;
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
        self.0.same_result = true;
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
        self.0.racy_too = true;
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
        self.0.seed = seed;
        self
    }

    /// Local. Images may switch at every put and get, and not only at lines that have raced.
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
        self.0.every_access = true;
        self
    }

    /// Local. Whether the job goes on without images that call [`fail_image`](https://docs.rs/coarray/latest/coarray/failure/fn.fail_image.html). When the others learn
    /// that one has failed is a matter of the schedule, and so is what of its last puts has arrived. One that panics makes its schedule fail all the same.
    ///
    /// # Examples
    /// ```
    /// use coarray::failure::{fail_image, try_sync_all};
    /// use coarray::prelude::*;
    /// use coarray::testing::Explore;
    ///
    /// Explore::new(3).keep_going(true).run(|| {
    ///     if this_image() == 1 {
    ///         fail_image();
    ///     }
    ///     assert_eq!(try_sync_all().unwrap_err().images, [1]);
    /// });
    /// ```
    #[must_use]
    pub fn keep_going(mut self, keeps_going: bool) -> Self {
        self.0.keeps_going = keeps_going;
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
        let explorer = Explorer::new(&self.0, &body);
        let failed = match asked {
            Some(text) => match text.parse::<SchedulePlan>() {
                Ok(plan) if plan.images != self.0.images => return,
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
