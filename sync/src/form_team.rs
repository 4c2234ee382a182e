//! Forming teams, and working in one.

use std::panic::Location;

use coarray_runtime::{Call, ImageFailed, OnFailure, Operation, Team as Members};

use crate::team::{Team, name, of_any_type};

impl Team {
    /// Collective. Splits the current team into teams, and returns the team of all images that give the same `number`. Their
    /// indices in it follow the order of the current team.
    ///
    /// Numbers are integers of any type. If an image of the current team has failed, the job ends with a report.
    ///
    /// # Panics
    /// On all images if there is no room in the heap for the teams' structures; if the number is negative or does not fit 64 bits;
    /// on a thread that is not an image.
    ///
    /// # Source
    /// Fortran 2018 `form team`, clause 11.6.9.
    ///
    /// # Examples
    /// The rows of a grid of images:
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(6, || {
    ///     let row = Team::form(this_image() / 3);
    ///     let sum = row.change(|| {
    ///         let mut x = this_image(); // 0, 1 and 2 in each row
    ///         co_sum(&mut x);
    ///         x
    ///     });
    ///     assert_eq!((row.num_images(), sum), (3, 3));
    /// });
    /// ```
    #[must_use]
    #[track_caller]
    pub fn form(number: impl TryInto<u64>) -> Self {
        Self::form_at(number, None, OnFailure::EndJob).unwrap_or_else(never)
    }

    /// Collective. As [`form`](Self::form), and this image gets index `index` in its team.
    ///
    /// If images of a team ask for the same index, or for one that is not less than their number, the job ends with a report.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::run;
    /// use coarray_runtime::{num_images, this_image};
    /// use coarray_sync::Team;
    ///
    /// run(3, || {
    ///     let reversed = Team::form_with_index(1, num_images() - 1 - this_image());
    ///     assert_eq!(reversed.this_image(), 2 - this_image());
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `new_index`, clause 11.6.9.
    #[must_use]
    #[track_caller]
    pub fn form_with_index(number: impl TryInto<u64>, index: usize) -> Self {
        Self::form_at(number, Some(index), OnFailure::EndJob).unwrap_or_else(never)
    }

    /// Collective. As [`form`](Self::form), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the current team that have failed, the same on all others; then no team is formed.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     if this_image() == 0 {
    ///         coarray::failure::fail_image();
    ///     }
    ///     Team::try_form(1).unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[0], [0]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `stat`, clause 11.6.9.
    #[track_caller]
    pub fn try_form(number: impl TryInto<u64>) -> Result<Self, ImageFailed> {
        Self::form_at(number, None, OnFailure::Error)
    }

    /// Collective. As [`form_with_index`](Self::form_with_index), but failed images do not end the job.
    ///
    /// # Errors
    /// As [`try_form`](Self::try_form).
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::run;
    /// use coarray_runtime::{num_images, this_image};
    /// use coarray_sync::Team;
    ///
    /// run(3, || {
    ///     let reversed = Team::try_form_with_index(1, num_images() - 1 - this_image()).unwrap();
    ///     assert_eq!(reversed.this_image(), 2 - this_image());
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `new_index` and `stat`, clause 11.6.9.
    #[track_caller]
    pub fn try_form_with_index(
        number: impl TryInto<u64>,
        index: usize,
    ) -> Result<Self, ImageFailed> {
        Self::form_at(number, Some(index), OnFailure::Error)
    }

    /// Collective. As [`form`](Self::form), of those images of the current team that have not failed.
    ///
    /// # Panics
    /// As [`form`](Self::form).
    ///
    /// # Examples
    /// ```
    /// use coarray_launch::Launch;
    /// use coarray_runtime::{fail_image, num_images, this_image};
    /// use coarray_sync::{Team, try_sync_all};
    ///
    /// let survivors = Launch::new(4).keep_going(true).run(|| {
    ///     if this_image() == 2 {
    ///         fail_image();
    ///     }
    ///     match try_sync_all() {
    ///         Ok(()) => unreachable!("image 2 does not come"),
    ///         Err(_) => Team::form_survivors(1).change(num_images),
    ///     }
    /// });
    /// assert_eq!(survivors.unwrap(), [3, 3, 3]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `form team` with `stat`, clause 11.6.11: the team is formed of the active images.
    #[must_use]
    #[track_caller]
    pub fn form_survivors(number: impl TryInto<u64>) -> Self {
        Self::form_at(number, None, OnFailure::Continue).unwrap_or_else(never)
    }

    #[track_caller]
    fn form_at(
        number: impl TryInto<u64>,
        index: Option<usize>,
        on_failure: OnFailure,
    ) -> Result<Self, ImageFailed> {
        let number = of_any_type(number);
        let members = Members::current().form(number, index, on_failure, Location::caller())?;
        Ok(Self { members })
    }

    /// Collective. Runs `body` with this team as the current team. Its images synchronise before and after.
    ///
    /// If an image of the team has failed, or fails before the end, the job ends with a report.
    ///
    /// # Panics
    /// If this team was not formed by the current team, as when its parent has ended. A panic of `body` passes
    /// through without synchronising.
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// coarray::run(4, || {
    ///     let pair = Team::form(this_image() / 2);
    ///     let mut y = pair.change(|| Coarray::new(this_image())); // 0 and 1 in each pair
    ///     let y = y.open();
    ///     assert_eq!(y.at(1).get(), 1); // of the pair, also here
    /// });
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `change team`, clause 11.1.5.
    #[track_caller]
    pub fn change<R>(&self, body: impl FnOnce() -> R) -> R {
        let caller = Location::caller();
        self.assert_formed_here();
        // SAFETY: no layer relies on anything that an image did before it changed the team.
        unsafe {
            self.members
                .barrier(&Call::plain(Operation::ChangeTeam, caller))
        };
        let current = self.members.enter();
        let result = body();
        drop(current);
        // SAFETY: no layer relies on anything that an image did before it left the team.
        unsafe {
            self.members
                .barrier(&Call::plain(Operation::EndTeam, caller))
        };
        result
    }

    /// Collective. As [`change`](Self::change), but failed images do not end the job.
    ///
    /// # Errors
    /// The images of the team that failed before `body` began, which then does not run, or before they reached its end;
    /// the same on all others.
    ///
    /// # Panics
    /// As [`change`](Self::change).
    ///
    /// # Examples
    /// ```
    /// use coarray::prelude::*;
    ///
    /// let survivors = coarray::Launch::new(3).keep_going(true).run(|| {
    ///     let team = Team::form(1);
    ///     let outcome = team.try_change(|| {
    ///         if this_image() == 2 {
    ///             coarray::failure::fail_image();
    ///         }
    ///     });
    ///     outcome.unwrap_err().images
    /// });
    /// assert_eq!(survivors.unwrap(), [[2], [2]]);
    /// ```
    ///
    /// # Source
    /// Fortran 2018 `change team` with `stat`, clause 11.1.5.
    #[track_caller]
    pub fn try_change<R>(&self, body: impl FnOnce() -> R) -> Result<R, ImageFailed> {
        let caller = Location::caller();
        self.assert_formed_here();
        // SAFETY: no layer relies on anything that an image did before it changed the team.
        unsafe {
            self.members
                .try_barrier(&Call::plain(Operation::ChangeTeam, caller))
        }?;
        let current = self.members.enter();
        let result = body();
        drop(current);
        // SAFETY: no layer relies on anything that an image did before it left the team.
        unsafe {
            self.members
                .try_barrier(&Call::plain(Operation::EndTeam, caller))
        }?;
        Ok(result)
    }

    #[track_caller]
    fn assert_formed_here(&self) {
        let current = Members::current();
        let is_child = self
            .members
            .parent()
            .is_some_and(|parent| parent.is(&current));
        assert!(
            is_child,
            "{} was not formed by the current team, {}: change to a team only in the team whose images formed it, \
             and before that has ended",
            name(&self.members),
            name(&current)
        );
    }
}

fn never(failed: ImageFailed) -> Team {
    unreachable!("{failed}, which ends the job or is accepted")
}
