//! The forms of a collective operation: a function that ends the job when images have failed, one that returns an error
//! instead, and two methods of [`Collective`], which chooses the algorithm. The macro `forms` makes all four of one function.

use std::cell::Cell;
use std::ops::Range;
use std::panic::Location;
use std::rc::Rc;

use crate::by_fabric;
use crate::eager::may_post;
use crate::epoch::in_place::pays;
use crate::tuning::chosen;
use crate::{Algorithm, Kind};
use coarray_coref::Remote;
use coarray_runtime::{Barrier, Call, ImageFailed, Operation, Team};

/// A collective operation with options: an algorithm, a barrier, a name for reports.
///
/// All images must choose the same; otherwise the job ends with a report, as for other mismatches.
///
/// # Examples
/// ```
/// use coarray_collectives::{Algorithm, Collective};
/// use coarray_launch::run;
/// use coarray_runtime::this_image;
///
/// let sums = run(5, || {
///     let mut x = [this_image() as f64; 100];
///     Collective::new().algorithm(Algorithm::RecursiveDoubling).co_sum(&mut x);
///     x[99]
/// });
/// assert_eq!(sums, [10.0; 5]);
/// ```
///
/// # Source
/// Its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "it does nothing until one of its collective operations is called"]
pub struct Collective {
    algorithm: Option<Algorithm>,
    barrier: Option<Barrier>,
    behalf: Option<&'static str>,
}

impl Collective {
    /// Local. The options of the plain functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Local. Uses `algorithm` instead of the choice of the tuning table.
    ///
    /// An operation that does not have the algorithm panics, and names those that it has.
    ///
    /// # Examples
    /// See [`Collective`].
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        Self {
            algorithm: Some(algorithm),
            ..self
        }
    }

    /// Local. [`sync_all`](Self::sync_all) waits by `barrier` instead of that of the team.
    ///
    /// # Examples
    /// See [`sync_all`](Self::sync_all).
    pub fn barrier(self, barrier: Barrier) -> Self {
        Self {
            barrier: Some(barrier),
            ..self
        }
    }

    /// Local. Reports call the operation `name`: for libraries whose functions are made of several collective operations. With
    /// `#[track_caller]`, they name the line of the program that called the function, too.
    ///
    /// # Examples
    /// A report would have *normalise at src/main.rs:3:5* instead of *co_sum of f64* and a line that the user has not written.
    /// ```
    /// use coarray_collectives::Collective;
    ///
    /// #[track_caller]
    /// fn normalise(x: &mut [f64]) {
    ///     let mut squares = x.iter().map(|x| x * x).sum::<f64>();
    ///     Collective::new().on_behalf_of("normalise").co_sum(&mut squares);
    ///     x.iter_mut().for_each(|x| *x /= squares.sqrt());
    /// }
    ///
    /// let norms = coarray_launch::run(4, || {
    ///     let mut x = [1.0; 4];
    ///     normalise(&mut x);
    ///     x[0]
    /// });
    /// assert_eq!(norms, [0.25; 4]);
    /// ```
    pub fn on_behalf_of(self, name: &'static str) -> Self {
        Self {
            behalf: Some(name),
            ..self
        }
    }

    /// Collective. Waits for all images of the current team, as the function `sync_all` does, with these options.
    ///
    /// What each image wrote or put before is visible to all afterwards.
    ///
    /// The job ends with a report if images are in different operations, wait by different barriers, or have failed.
    ///
    /// # Panics
    /// On a thread that is not an image.
    ///
    /// # Examples
    /// ```
    /// use coarray_collectives::{Barrier, Collective};
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// let arrived = AtomicUsize::new(0); // the images are threads here
    /// coarray_launch::run(5, || {
    ///     arrived.fetch_add(1, Relaxed);
    ///     Collective::new().barrier(Barrier::Tree).sync_all();
    ///     assert_eq!(arrived.load(Relaxed), 5);
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `sync all`; for the barriers see [`Barrier`].
    #[track_caller]
    pub fn sync_all(self) {
        let team = Team::current();
        let call = Call::plain(Operation::SyncAll, Location::caller()).on_behalf_of(self.behalf);
        let barrier = self.barrier.unwrap_or_else(|| team.barrier_algorithm());
        // SAFETY: no layer relies on anything that an image did before `sync_all`.
        if let Err(failed) = unsafe { team.try_barrier_by(&call, barrier) } {
            team.fail_because(&failed, &call.describe(&team));
        }
    }
}

/// A collective operation that has been called: the team, the options and the line of the call.
pub(crate) struct Start {
    pub(crate) team: Rc<Team>,
    algorithm: Option<Algorithm>,
    behalf: Option<&'static str>,
    caller: &'static Location<'static>,
    /// What it is, if the job is checked.
    checked: Cell<Option<Checked>>,
}

/// An operation of a job that is checked: its number, and from or to which image.
#[derive(Clone, Copy)]
struct Checked {
    number: u64,
    operation: Operation,
    root: usize,
}

/// An operation that could not be completed, because images have failed.
pub(crate) struct CallFailed {
    call: Call,
    failed: ImageFailed,
}

impl Start {
    #[inline]
    #[track_caller]
    pub(crate) fn here(collective: Collective) -> Self {
        Self {
            team: Team::current(),
            algorithm: collective.algorithm,
            behalf: collective.behalf,
            caller: Location::caller(),
            checked: Cell::new(None),
        }
    }

    /// The call of an operation on `length` elements of type `T`, from or to image `root` if there is one.
    ///
    /// # Panics
    /// On all images if all say the same root, and it does not exist.
    #[inline]
    #[track_caller]
    pub(crate) fn call<T: Remote>(
        &self,
        operation: Operation,
        length: usize,
        root: Option<usize>,
    ) -> Call {
        const { T::CHECK };
        self.call_with::<T>(operation, length, root)
    }

    /// The same for values of any type, which travel as something else.
    ///
    /// # Panics
    /// As [`call`](Self::call).
    #[inline]
    #[track_caller]
    pub(crate) fn call_with<T: 'static>(
        &self,
        operation: Operation,
        length: usize,
        root: Option<usize>,
    ) -> Call {
        let images = self.team.images();
        let number = root.unwrap_or_default();
        let call = Call::on_values::<T>(operation, length, number, self.caller)
            .by(self.algorithm.map(|algorithm| algorithm as u8))
            .on_behalf_of(self.behalf);
        if number >= images {
            self.no_such_root(&call, operation, number);
        }
        if self.team.image().is_checked() {
            self.check_begin(operation, number);
        }
        call
    }

    /// Notes that the image brings its part.
    #[cold]
    #[inline(never)]
    fn check_begin(&self, operation: Operation, root: usize) {
        self.checked.set(Some(Checked {
            number: self.team.check_contribution(operation.name(), self.caller),
            operation,
            root,
        }));
    }

    /// Notes in a job that is checked that the image has its result.
    #[inline]
    pub(crate) fn check_end(&self) {
        if let Some(checked) = self.checked.get() {
            self.check_result(checked);
        }
    }

    #[cold]
    #[inline(never)]
    fn check_result(&self, checked: Checked) {
        let Checked {
            number,
            operation,
            root,
        } = checked;
        let from = givers(operation, root, self.team.index(), self.team.images());
        self.team
            .check_result(number, from, operation.name(), self.caller);
    }

    #[cold]
    #[track_caller]
    fn no_such_root(&self, call: &Call, operation: Operation, root: usize) -> ! {
        // If the images disagree about the root, the barrier reports that instead.
        // SAFETY: no layer relies on anything that an image did before this barrier: no image completes the call.
        unsafe { self.team.barrier(call) };
        let name = operation.name();
        match self.team.part_of_the_job() {
            None => {
                let images = self.team.images();
                panic!("{name} with image {root} as root, but there are {images} images")
            }
            Some(part) => {
                panic!("{name} with image {root} as root, but this is a team of {part}")
            }
        }
    }

    /// The algorithm for an operation of kind `kind` on `bytes` bytes; [`Algorithm::Eager`] only where they are posted, and
    /// [`Algorithm::Fabric`] where the fabric has it.
    ///
    /// # Panics
    /// If the caller chose one that the operation does not have.
    #[inline]
    #[track_caller]
    pub(crate) fn algorithm(&self, kind: Kind, bytes: usize) -> Algorithm {
        let algorithm = match self.algorithm {
            None => chosen(self.team.plan(), kind, bytes),
            Some(algorithm) if kind.algorithms().contains(&algorithm) => algorithm,
            Some(algorithm) => no_algorithm(kind, algorithm),
        };
        match algorithm {
            Algorithm::Eager if !may_post(&self.team, bytes) => Algorithm::Flat,
            Algorithm::Fabric if !by_fabric::may_use(&self.team, bytes) => Algorithm::Flat,
            algorithm => algorithm,
        }
    }

    /// Whether images ask each other where their `T`s are, to read them there. If not, one has to write `bytes` bytes for the others.
    /// Asked once in a call.
    #[inline]
    pub(crate) fn asks_where<T: Remote>(
        &self,
        call: &Call,
        algorithm: Algorithm,
        bytes: usize,
    ) -> bool {
        let pays = || self.algorithm.is_none() && pays::<T>(&self.team, bytes);
        (algorithm == Algorithm::InPlace || pays())
            && self.team.images() > 1
            && self.team.asks_for_places(call)
    }

    /// The result of an operation, or the end of the job.
    #[inline]
    pub(crate) fn or_end_job<R>(&self, result: Result<R, CallFailed>) -> R {
        match result {
            Ok(result) => result,
            Err(CallFailed { call, failed }) => {
                self.team.fail_because(&failed, &call.describe(&self.team))
            }
        }
    }
}

/// The images whose values image `me` gets in an operation from or to a root.
fn givers(operation: Operation, root: usize, me: usize, images: usize) -> Range<usize> {
    use Operation::{
        CoBroadcast, CoBroadcastValue, CoExscan, CoGather, CoGatherValues, CoGatherv, CoMaxLocTo,
        CoMaxTo, CoMinLocTo, CoMinTo, CoReduceTo, CoScan, CoScatter, CoScatterv, CoSumTo,
    };
    match operation {
        CoBroadcast | CoBroadcastValue | CoScatter | CoScatterv if me == root => 0..0,
        CoBroadcast | CoBroadcastValue | CoScatter | CoScatterv => root..root + 1,
        CoGather | CoGatherValues | CoGatherv | CoSumTo | CoMinTo | CoMaxTo | CoReduceTo
        | CoMinLocTo | CoMaxLocTo
            if me != root =>
        {
            0..0
        }
        CoScan => 0..me + 1,
        CoExscan => 0..me,
        _ => 0..images,
    }
}

#[cold]
#[track_caller]
fn no_algorithm(kind: Kind, algorithm: Algorithm) -> ! {
    let names: Vec<&str> = kind.algorithms().iter().map(|one| one.name()).collect();
    panic!(
        "{} has no algorithm `{algorithm}`: it has {}",
        kind.name(),
        names.join(", ")
    )
}

impl CallFailed {
    /// Turns an error of `call` into this one.
    pub(crate) fn from(call: &Call) -> impl Fn(ImageFailed) -> Self {
        let call = *call;
        move |failed| Self { call, failed }
    }

    pub(crate) fn failed(self) -> ImageFailed {
        self.failed
    }
}

/// Makes the four forms of a collective operation: two functions, and two methods of [`Collective`].
///
/// The last expression carries the operation out, from a [`Start`], and returns a `Result<_, CallFailed>`.
macro_rules! forms {
    (
        $(#[$doc:meta])*
        $(must_use $why:literal)?
        fn $name:ident [$($generics:tt)*] ($($argument:ident: $type:ty),*) -> $result:ty
        where [$($bounds:tt)*]

        $(#[$try_doc:meta])*
        fn $try_name:ident

        |$start:ident| $run:expr
    ) => {
        $(#[$doc])*
        $(#[must_use = $why])?
        #[inline]
        #[track_caller]
        pub fn $name<$($generics)*>($($argument: $type),*) -> $result
        where
            $($bounds)*
        {
            $crate::Collective::new().$name($($argument),*)
        }

        #[doc = concat!("Collective. As [`", stringify!($name), "`], but failed images do not end the job.")]
        ///
        /// # Errors
        /// The images of the current team that have failed, the same on all others; then the values are unspecified.
        ///
        $(#[$try_doc])*
        #[inline]
        #[track_caller]
        pub fn $try_name<$($generics)*>(
            $($argument: $type),*
        ) -> Result<$result, ::coarray_runtime::ImageFailed>
        where
            $($bounds)*
        {
            $crate::Collective::new().$try_name($($argument),*)
        }

        impl $crate::Collective {
            #[doc = concat!("Collective. [`", stringify!($name), "`](crate::", stringify!($name), ") with these options.")]
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($name), "`](crate::", stringify!($name), "); or if it does not have the algorithm.")]
            ///
            /// # Examples
            /// See [`Collective`](crate::Collective), and the function of this name.
            $(#[must_use = $why])?
            #[inline]
            #[track_caller]
            pub fn $name<$($generics)*>(self, $($argument: $type),*) -> $result
            where
                $($bounds)*
            {
                let start = $crate::collective::Start::here(self);
                let $start = &start;
                let result = start.or_end_job($run);
                start.check_end();
                result
            }

            #[doc = concat!("Collective. [`", stringify!($try_name), "`](crate::", stringify!($try_name), ") with these options.")]
            ///
            /// # Errors
            /// The images of the current team that have failed, the same on all others.
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($name), "`](crate::", stringify!($name), "); or if it does not have the algorithm.")]
            ///
            /// # Examples
            /// See [`Collective`](crate::Collective), and the function of this name.
            #[inline]
            #[track_caller]
            pub fn $try_name<$($generics)*>(
                self,
                $($argument: $type),*
            ) -> Result<$result, ::coarray_runtime::ImageFailed>
            where
                $($bounds)*
            {
                let start = $crate::collective::Start::here(self);
                let $start = &start;
                let result = ($run).map_err($crate::collective::CallFailed::failed)?;
                start.check_end();
                Ok(result)
            }
        }
    };
}

pub(crate) use forms;
